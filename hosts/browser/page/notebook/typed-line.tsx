// A line of curl, a docker command, or `GET /path`: becomes the requests that it stands for.

import { useState } from "preact/hooks";
import { parse } from "../../notation/parse.js";
import { usePlayground } from "../context.js";
import { sendPlan } from "./plan.js";

export function TypedLine() {
  const playground = usePlayground();
  const [line, setLine] = useState("");
  const [problem, setProblem] = useState("");
  const [remarks, setRemarks] = useState<readonly string[]>([]);

  const take = (): void => {
    const parsed = parse(line, playground.version.value);
    if (!parsed.ok) {
      setProblem(parsed.message);
      return;
    }
    setProblem("");
    setRemarks(parsed.remarks);
    setLine("");
    if (parsed.requests.length === 1) playground.add(parsed.requests[0]!);
    else void playground.run(sendPlan(playground, parsed.requests));
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
        aria-invalid={problem !== ""}
        aria-describedby="typed-line-problem"
        placeholder="docker ps -a   ·   curl …   ·   GET /info"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={line}
        onInput={(event) => setLine(event.currentTarget.value)}
      />
      <button>Add</button>
      <p id="typed-line-problem" class="small refused" role="status">
        {problem}
      </p>
      {remarks.map((remark) => (
        <p key={remark} class="small muted">
          {remark}
        </p>
      ))}
    </form>
  );
}
