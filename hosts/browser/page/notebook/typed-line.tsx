// The console: turns a curl line, a docker command, several of them, or `GET /path` into requests.

import { useRef, useState } from "preact/hooks";
import { WEB_SHOP } from "../../lessons/examples.js";
import { History } from "../../notation/history.js";
import { usePlayground } from "../context.js";
import type * as consoleParts from "./console.js";
import { isInterrupt } from "./interrupt.js";
import { completed, completes, moved, namesOf, type Keyed } from "./line-keys.js";
import { NOTHING, placeOf, type Said } from "./said.js";

type Console = typeof consoleParts;

let used: Console | null = null;

async function fetched(): Promise<Console> {
  return (used ??= await import("./console.js"));
}

export function TypedLine() {
  const playground = usePlayground();
  const [line, setLine] = useState("");
  const [said, setSaid] = useState(NOTHING);
  const history = useRef(new History()).current;
  const field = useRef<HTMLInputElement>(null);
  const { runs } = playground;

  const take = async (line: string): Promise<void> => {
    const { readLine, runAlone, runScript, writtenFor, Wrong } = await fetched();
    const running = (act: Promise<unknown>, refuse: (problem: string) => void): void =>
      void playground.run(runs.run(refusing(act, Wrong, refuse)));
    const read = readLine(line, playground.version.value, runs.variables);
    history.add(line);
    if ("script" in read) {
      setLine("");
      setSaid(NOTHING);
      const place = placeOf(playground, setSaid);
      return running(runScript(read.script, place), place.refuse);
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
    running(runAlone(parsed, place), place.refuse);
  };
  const show = ({ line, choices }: Keyed): void => {
    setLine(line);
    setSaid({ ...said, choices });
  };
  const complete = (event: KeyboardEvent): void => {
    const field = event.currentTarget as HTMLInputElement;
    const names = namesOf(playground.session.value.world.value);
    const made = used === null ? null : completed(field, used.complete, names);
    // If there is nothing to complete, Tab leaves the field as usual.
    if (used !== null && made === null) return;
    event.preventDefault();
    if (made !== null) return show(made);
    const later = fetched().then(({ complete }) => completed(field, complete, names));
    void playground.run(later.then((made) => made !== null && show(made)));
  };
  const press = (event: KeyboardEvent): void => {
    if (isInterrupt(event)) {
      event.preventDefault();
      runs.stop();
      return setLine("");
    }
    if (completes(event)) return complete(event);
    const made = moved(event, history);
    if (made === null) return;
    event.preventDefault();
    show(made);
  };
  return (
    <form
      class="typed-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (line.trim() !== "") void playground.run(take(line));
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
        onFocus={() => void playground.run(fetched())}
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
            playground.notice.value = WEB_SHOP.lookFor;
            void playground.run(take(WEB_SHOP.lines.join("; ")));
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
async function refusing(
  running: Promise<unknown>,
  Wrong: Console["Wrong"],
  refuse: (problem: string) => void,
): Promise<void> {
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
