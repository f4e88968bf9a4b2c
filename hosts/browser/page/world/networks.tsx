// Networks and volumes, and which containers use them.

import type { ContainerView, NetworkView, VolumeView } from "../../../timeline/index.js";
import { useSession } from "../context.js";
import { shortId } from "../words.js";
import { changeOf } from "./lit.js";

export interface NetworksProps {
  networks: readonly NetworkView[];
  volumes: readonly VolumeView[];
  containers: readonly ContainerView[];
}

export function Networks({ networks, volumes, containers }: NetworksProps) {
  const session = useSession();
  const named = (ids: readonly string[]): string =>
    ids.map((id) => containers.find((one) => one.id === id)?.name ?? shortId(id)).join(", ");
  return (
    <>
      <section class="things" aria-label="Networks">
        <h3>Networks</h3>
        <ul class="plain-list">
          {networks.map((network) => (
            <li key={network.id} data-lit={changeOf(session, "network", network.id) !== null}>
              <strong>{network.name}</strong> <span class="muted small wire">{network.subnet || network.driver}</span>
              {network.containers.length > 0 && <span class="small"> {named(network.containers)}</span>}
            </li>
          ))}
        </ul>
      </section>
      {volumes.length > 0 && (
        <section class="things" aria-label="Volumes">
          <h3>Volumes</h3>
          <ul class="plain-list">
            {volumes.map((volume) => (
              <li key={volume.name} data-lit={changeOf(session, "volume", volume.name) !== null}>
                <strong class="breakable">{volume.name}</strong> <span class="small">{named(volume.containers)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
