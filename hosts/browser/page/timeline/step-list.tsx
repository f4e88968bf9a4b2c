// The steps around the selected moment: the input, and the core's records, commands and answers.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Step } from "../../../timeline/index.js";
import { useSession } from "../context.js";
import { clockTime, count, shortIds } from "../words.js";

const AROUND = 100;

export function StepList() {
  const session = useSession();
  const [quiet, setQuiet] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const steps = session.steps.value.filter((step) => quiet || !step.quiet);
  const looking = session.looking.value;
  const at = looking === null ? steps.length - 1 : steps.findLastIndex((step) => step.number <= looking);
  const from = Math.max(0, Math.min(at - AROUND / 2, steps.length - AROUND));
  useEffect(() => {
    list.current?.querySelector("[aria-current=step]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div class="step-list">
      <div class="row">
        <h2>Steps</h2>
        <span class="small muted">{count(steps.length, "step")}</span>
        <span class="grow" />
        <label class="row small">
          <input type="checkbox" checked={quiet} onChange={(event) => setQuiet(event.currentTarget.checked)} />
          Show the page’s own steps too
        </label>
      </div>
      <ol ref={list} tabIndex={0} aria-label="Steps">
        {steps.slice(from, from + AROUND).map((step) => (
          <StepRow key={step.number} step={step} current={step === steps[at]} look={() => session.goTo(step.number)} />
        ))}
      </ol>
    </div>
  );
}

function StepRow({ step, current, look }: { step: Step; current: boolean; look: () => void }) {
  const keys = step.records.map((record) => `${record.deleted ? "deleted" : "wrote"} ${record.key}`);
  return (
    <li class="step" aria-current={current ? "step" : undefined}>
      <button type="button" class="plain wire" onClick={look} aria-label={`Look at step ${step.number}`}>
        {step.number}
      </button>
      <time class="wire muted small">{clockTime(step.wall)}</time>
      <p class="cause">{shortIds(step.cause)}</p>
      <Lines title="records" lines={keys} />
      <Lines title="effects" lines={step.effects} />
      <Lines title="reply" lines={step.replies} />
    </li>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <p class="small step-lines">
      <span class="muted">{title}</span> <span class="breakable">{shortIds(lines.join(" · "))}</span>
    </p>
  );
}
