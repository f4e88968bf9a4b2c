// Shows what a request would do, before it is sent.

import { useState } from "preact/hooks";
import type { Plan, PlanEntry } from "../../../dry-run/index.js";
import { dryRun } from "../../session/dry-run.js";
import { jsonText } from "../../session/view/json-text.js";
import type { WrittenRequest } from "../../session/request.js";
import { usePlayground, useSession } from "../context.js";
import { shortIds, statusText } from "../words.js";

interface Tried {
  readonly request: WrittenRequest;
  /** The selected step. */
  readonly looking: number | null;
  readonly plan: Plan;
}

/** The plan disappears when the request is edited or another moment is selected. */
export function DryRun({ request }: { request: WrittenRequest }) {
  const playground = usePlayground();
  const session = useSession();
  const looking = session.looking.value;
  const [tried, setTried] = useState<Tried | null>(null);
  const [trying, setTrying] = useState(false);
  const isShown = tried?.request === request && tried.looking === looking;
  const attempt = async (): Promise<void> => {
    setTrying(true);
    const plan = await playground.run(dryRun(session, request));
    setTried(plan === undefined ? null : { request, looking, plan });
    setTrying(false);
  };
  return (
    <>
      <button type="button" class="plain small dry-run" aria-busy={trying} onClick={() => void attempt()}>
        Dry run
      </button>
      <div role="status" class="planned">
        {isShown && <Planned plan={tried.plan} />}
      </div>
    </>
  );
}

function Planned({ plan: { answer, plan } }: { plan: Plan }) {
  const status = answer?.status ?? 0;
  const lines = plan.map(lineOf).filter((line) => line !== null);
  return (
    <>
      <p class="small">
        The answer would be{" "}
        <strong class={status >= 400 ? "refused" : "accepted"}>
          {status} {statusText(status)}
        </strong>
        . Nothing was done.
      </p>
      {answer !== undefined && "json" in answer.body && (
        <pre class="body" tabIndex={0} role="group" aria-label="Answer of the dry run">
          {jsonText(answer.body.json)}
        </pre>
      )}
      {lines.length > 0 && (
        <ol class="small" aria-label="What it would do">
          {lines.map(([what, text], at) => (
            <li key={at}>
              <span class="muted">{what}</span> <span class="breakable">{shortIds(text)}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** Null for entries that are not actions: the request and its answer. */
function lineOf(entry: PlanEntry): readonly [what: string, text: string] | null {
  if ("record" in entry) {
    const { record } = entry;
    if ("delete" in record) return ["record", `delete ${record.delete}`];
    return ["record", "put" in record ? `write ${record.put}` : "append to the event journal"];
  }
  if ("effect" in entry) return ["effect", `${entry.effect.to}: ${entry.effect.command.replaceAll("-", " ")}`];
  if ("event" in entry) {
    const { Type, Action, Actor } = entry.event as { Type: string; Action: string; Actor: { ID: string } };
    return ["event", `${Type} ${Action} ${Actor.ID}`];
  }
  if ("ended" in entry) return ["process", `ends with exit code ${entry.ended.code}`];
  return null;
}
