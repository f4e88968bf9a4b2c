// The list of containers, each with its details.

import { useState } from "preact/hooks";
import type { ContainerView } from "../../../timeline/index.js";
import { useSession } from "../context.js";
import { shortId } from "../words.js";
import { Files } from "./files.js";
import { changeOf } from "./lit.js";
import { Logs } from "./logs.js";
import { Ports } from "./ports.js";

export function Containers({ containers }: { containers: readonly ContainerView[] }) {
  return (
    <section class="things" aria-label="Containers">
      <h3>Containers</h3>
      {containers.length === 0 && <p class="muted small">None yet. POST /containers/create creates one.</p>}
      {containers.map((container) => (
        <ContainerRow key={container.id} container={container} />
      ))}
    </section>
  );
}

function ContainerRow({ container }: { container: ContainerView }) {
  const session = useSession();
  const [open, setOpen] = useState(false);
  const change = changeOf(session, "container", container.id);
  return (
    <details
      class="thing"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      data-lit={change !== null}
    >
      <summary>
        <strong>{container.name}</strong>
        <span class="muted small clip">{container.image}</span>
        <span class="state-word small">{stateOf(container)}</span>
      </summary>
      {open && (
        <div class="stack">
          <Facts container={container} />
          {session.recording === null && <Ports container={container} />}
          {session.recording === null && <Logs container={container.id} />}
          <Files container={container.id} />
        </div>
      )}
    </details>
  );
}

function stateOf({ status, exitCode, outOfMemory }: ContainerView): string {
  if (status !== "exited" || exitCode === null) return status;
  return `exited (${exitCode}${outOfMemory ? ", out of memory" : ""})`;
}

function networkText({ name, address }: ContainerView["networks"][number]): string {
  return address === "" ? name : `${name} (${address})`;
}

function Facts({ container }: { container: ContainerView }) {
  const ports = container.ports.map(({ address, host, container: port, protocol }) => {
    return `${address.includes(":") ? `[${address}]` : address}:${host} → ${port}/${protocol}`;
  });
  const volumes = container.volumes.map((one) => `${one.name} at ${one.destination}`);
  const facts: [string, string][] = [
    ["Id", shortId(container.id)],
    ["Command", container.command.join(" ")],
    ["Process", container.pid > 0 ? String(container.pid) : ""],
    [container.networks.length > 1 ? "Networks" : "Network", container.networks.map(networkText).join(", ")],
    ["Ports", ports.join(", ")],
    ["Volumes", volumes.join(", ")],
    ["Error", container.error],
  ];
  return (
    <dl class="facts small">
      {facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="wire breakable">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
