// The published ports of a container: each can be opened.

import type { ContainerView } from "../../../timeline/index.js";
import { usePlayground, useSession } from "../context.js";

/** One button for each TCP port of the machine, and the last answer of each. */
export function Ports({ container }: { container: ContainerView }) {
  const playground = usePlayground();
  const session = useSession();
  const isTcp = ({ protocol, address }: ContainerView["ports"][number]): boolean => protocol === "tcp" && !address.includes(":");
  const ports = [...new Set(container.ports.filter(isTcp).map(({ host }) => host))];
  return (
    <>
      {ports.map((port) => (
        <div key={port} class="stack">
          <div class="row">
            <button type="button" onClick={() => void playground.run(session.visit(port))}>
              Open localhost:{port}
            </button>
          </div>
          <Answer port={port} />
        </div>
      ))}
    </>
  );
}

function Answer({ port }: { port: number }) {
  const visit = useSession().visits.value.findLast((one) => one.port === port);
  if (visit === undefined) return null;
  return (
    <pre class="small wire shown" role="status" aria-label={`localhost:${port}`} tabIndex={0}>
      {visit.answer ?? "…"}
    </pre>
  );
}
