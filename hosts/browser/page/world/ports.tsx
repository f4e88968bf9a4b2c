// The published ports of a container: each can be opened.

import type { ContainerView } from "../../../timeline/index.js";
import { usePlayground, useSession } from "../context.js";

/** One button for each TCP port of the machine, and the last answer of each. */
export function Ports({ container }: { container: ContainerView }) {
  const playground = usePlayground();
  const session = useSession();
  const isTcp = ({ protocol, address }: ContainerView["ports"][number]): boolean =>
    protocol === "tcp" && !address.includes(":");
  const places = new Map(container.ports.filter(isTcp).map((port) => [nameOf(placeOf(port)), placeOf(port)]));
  return (
    <>
      {[...places].map(([name, place]) => (
        <div key={name} class="stack">
          <div class="row">
            <button type="button" onClick={() => void playground.run(session.visit(place.port, place.address))}>
              Open {name}
            </button>
          </div>
          <Answer name={name} />
        </div>
      ))}
    </>
  );
}

/** Where a port can be opened; without an address, on the loopback. */
interface Place {
  readonly port: number;
  readonly address?: string;
}

function placeOf({ address, host }: ContainerView["ports"][number]): Place {
  return ["0.0.0.0", "127.0.0.1"].includes(address) ? { port: host } : { port: host, address };
}

function nameOf({ port, address = "localhost" }: Place): string {
  return `${address}:${port}`;
}

function Answer({ name }: { name: string }) {
  const visit = useSession().visits.value.findLast((one) => nameOf(one) === name);
  if (visit === undefined) return null;
  return (
    <pre class="small wire shown" role="status" aria-label={name} tabIndex={0}>
      {visit.answer ?? "…"}
    </pre>
  );
}
