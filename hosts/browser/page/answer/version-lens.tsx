// How other versions of the API answer the same request.

import { useEffect, useState } from "preact/hooks";
import type { Exchange } from "../../session/exchange.js";
import type { LensGroup } from "../../session/explain/explain.js";
import { lens } from "../../session/lens.js";
import { usePlayground, useSession } from "../context.js";

export function VersionLens({ exchange }: { exchange: Exchange }) {
  const playground = usePlayground();
  const session = useSession();
  const [groups, setGroups] = useState<readonly LensGroup[] | null>(null);
  useEffect(() => {
    let left = false;
    void playground.run(lens(session, exchange)).then((found) => {
      if (!left && found !== undefined) setGroups(found);
    });
    return () => {
      left = true;
    };
  }, [exchange, session]);
  if (groups === null) return <p class="muted">Asking every version…</p>;
  return (
    <ol class="lens">
      {groups.map((group) => (
        <Group key={group.versions} group={group} only={groups.length === 1} />
      ))}
    </ol>
  );
}

function Group({ group, only }: { group: LensGroup; only: boolean }) {
  const { versions, shown, status, difference } = group;
  return (
    <li>
      <p>
        <strong>{versions}</strong>{" "}
        <span class={(status ?? 0) >= 400 ? "refused" : "muted"}>{status ?? "no answer yet"}</span>
        {shown && <span class="muted"> – this answer</span>}
      </p>
      {only && <p class="small muted">All versions give the same answer.</p>}
      {difference.length > 0 && (
        <pre class="body" tabIndex={0} role="group" aria-label={`Difference at ${versions}`}>
          {difference.map((line, at) => (
            <span key={at} class={line.startsWith("-") ? "gone" : "added"}>{`${line}\n`}</span>
          ))}
        </pre>
      )}
    </li>
  );
}
