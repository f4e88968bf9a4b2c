// The console: turns a curl line, a docker command, several of them, or `GET /path` into requests.

import { useRef, useState } from "preact/hooks";
import { WEB_SHOP } from "../../lessons/examples.js";
import { Wrong } from "../../notation/docker/wrong.js";
import { History } from "../../notation/history.js";
import { writtenFor } from "../../notation/plan.js";
import { readLine } from "../../notation/parse.js";
import { runAlone, runScript } from "../../notation/shell/run.js";
import { usePlayground } from "../context.js";
import { isInterrupt } from "./interrupt.js";
import { keyed, namesOf } from "./line-keys.js";
import { NOTHING, placeOf, type Said } from "./said.js";

export function TypedLine() {
  const playground = usePlayground();
  const [line, setLine] = useState("");
  const [said, setSaid] = useState(NOTHING);
  const history = useRef(new History()).current;
  const field = useRef<HTMLInputElement>(null);
  const { runs } = playground;

  const take = (line: string): void => {
    const read = readLine(line, playground.version.value, runs.variables);
    history.add(line);
    if ("script" in read) {
      setLine("");
      setSaid(NOTHING);
      const place = placeOf(playground, setSaid);
      return void playground.run(runs.run(refusing(runScript(read.script, place), place.refuse)));
    }
    const { parsed } = read;
    if (!parsed.ok) {
      runs.variables.ended(parsed.code ?? 1);
      return setSaid({ ...NOTHING, problem: parsed.message });
    }
    setLine("");
    if (parsed.requests.length === 1) {
      setSaid({ ...NOTHING, text: parsed.text ?? "", remarks: parsed.remarks });
      return playground.add(writtenFor(parsed.requests[0]!, () => playground.folder()));
    }
    setSaid(NOTHING);
    const place = placeOf(playground, setSaid);
    void playground.run(runs.run(refusing(runAlone(parsed, place), place.refuse)));
  };
  const press = (event: KeyboardEvent): void => {
    if (isInterrupt(event)) {
      event.preventDefault();
      runs.stop();
      return setLine("");
    }
    const made = keyed(event, history, () => namesOf(playground.session.value.world.value));
    if (made === null) return;
    event.preventDefault();
    setLine(made.line);
    setSaid({ ...said, choices: made.choices });
  };
  return (
    <form
      class="typed-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (line.trim() !== "") take(line);
      }}
    >
      <input
        ref={field}
        class="wire"
        aria-label="curl line, docker command, or method and path"
        aria-invalid={said.problem !== ""}
        aria-describedby="typed-line-problem"
        placeholder="docker ps -a   ·   curl …   ·   GET /info"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={line}
        onInput={(event) => {
          setLine(event.currentTarget.value);
          if (said.choices.length > 0) setSaid({ ...said, choices: [] });
        }}
        onKeyDown={press}
        onPaste={(event) => pasteWhole(event, setLine)}
      />
      <div class="row">
        <button>Add</button>
        <button
          type="button"
          class="plain"
          title="Brings up three containers"
          onClick={() => {
            take(WEB_SHOP.lines.join("; "));
            playground.notice.value = WEB_SHOP.lookFor;
          }}
        >
          {WEB_SHOP.label}
        </button>
        {runs.going.value && (
          <button
            type="button"
            title="Ctrl+C"
            onClick={() => {
              runs.stop();
              // The button disappears, so the focus moves to the field.
              field.current?.focus();
            }}
          >
            Stop
          </button>
        )}
      </div>
      <Under said={said} />
    </form>
  );
}

function Under({ said: { problem, text, remarks, choices } }: { said: Said }) {
  return (
    <>
      <p id="typed-line-problem" class="small refused" role="status">
        {problem}
      </p>
      {choices.length > 0 && (
        <p class="small wire muted choices" role="status" aria-label="Could be">
          {choices.join("  ")}
        </p>
      )}
      {text !== "" && (
        <pre class="small wire shown" role="status" aria-label="Printed" tabIndex={0}>
          {text}
        </pre>
      )}
      {remarks.map((remark) => (
        <p key={remark} class="small muted">
          {remark}
        </p>
      ))}
    </>
  );
}

/** Shows a command's error under its line. */
async function refusing(running: Promise<unknown>, refuse: (problem: string) => void): Promise<void> {
  try {
    await running;
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    refuse(error.message);
  }
}

/** A line that ends in `\` continues on the next one. Other lines become separate commands. */
function pasteWhole(event: ClipboardEvent, setLine: (line: string) => void): void {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!text.trim().includes("\n") || /^\s*(GET|HEAD|POST|PUT|DELETE)\s/i.test(text)) return;
  event.preventDefault();
  const one = text
    .trim()
    .replace(/\\\r?\n\s*/g, " ")
    .replace(/\s*\r?\n\s*/g, "; ");
  const { value, selectionStart, selectionEnd } = event.currentTarget as HTMLInputElement;
  setLine(value.slice(0, selectionStart ?? 0) + one + value.slice(selectionEnd ?? value.length));
}
