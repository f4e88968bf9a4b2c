// The console: a line of curl, a docker command, several of them, or `GET /path` becomes the requests that it stands for.

import { useRef, useState } from "preact/hooks";
import { Wrong } from "../../notation/docker/wrong.js";
import { History } from "../../notation/history.js";
import { readLine } from "../../notation/parse.js";
import { INTERRUPTED } from "../../notation/shell/result.js";
import { runAlone, runScript } from "../../notation/shell/run.js";
import { Variables } from "../../notation/shell/variables.js";
import { usePlayground } from "../context.js";
import { isInterrupt, keyed, namesOf } from "./line-keys.js";
import { NOTHING, placeOf, type Said } from "./said.js";

export function TypedLine() {
  const playground = usePlayground();
  const [line, setLine] = useState("");
  const [said, setSaid] = useState(NOTHING);
  const history = useRef(new History()).current;
  const variables = useRef(new Variables()).current;
  // Of all that this line has begun: Ctrl-C ends it.
  const interrupt = useRef(new AbortController());

  const take = (): void => {
    const read = readLine(line, playground.version.value, variables);
    history.add(line);
    if ("script" in read) {
      setLine("");
      setSaid(NOTHING);
      const place = placeOf(playground, variables, interrupt.current.signal, setSaid);
      return void playground.run(refusing(runScript(read.script, place), place.refuse));
    }
    const { parsed } = read;
    if (!parsed.ok) {
      variables.ended(parsed.code ?? 1);
      return setSaid({ ...NOTHING, problem: parsed.message });
    }
    setLine("");
    if (parsed.requests.length === 1) {
      setSaid({ ...NOTHING, text: parsed.text ?? "", remarks: parsed.remarks });
      return playground.add(parsed.requests[0]!);
    }
    setSaid(NOTHING);
    const place = placeOf(playground, variables, interrupt.current.signal, setSaid);
    void playground.run(refusing(runAlone(parsed, place), place.refuse));
  };
  const press = (event: KeyboardEvent): void => {
    if (isInterrupt(event)) {
      event.preventDefault();
      interrupt.current.abort();
      interrupt.current = new AbortController();
      variables.ended(INTERRUPTED);
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
        if (line.trim() !== "") take();
      }}
    >
      <input
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
      <button>Add</button>
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

/** What is wrong with a command stands under the line that it was typed in. */
async function refusing(running: Promise<unknown>, refuse: (problem: string) => void): Promise<void> {
  try {
    await running;
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    refuse(error.message);
  }
}

/** A line that goes on behind a `\` is one; what else stands on lines of its own are several commands. */
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
