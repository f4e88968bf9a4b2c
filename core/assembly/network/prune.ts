// POST /networks/prune (surface §2.23): removes all networks that are not built in and have no containers, except
// configurations. Containers and networks share one lock, since pruned containers free their networks.

import { PruneFilters } from "../api/prune-filters";
import { Call } from "../call";
import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { containerStore } from "../container/store";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { Lanes } from "../lanes";
import { setAside } from "../records/set-aside";
import { conflict, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { containersOn, networksInUse } from "./endpoint/containers-on-network";
import { Network } from "./network";
import { beginNetworkRemoval, NetworkRemovalClient } from "./removal";
import { networkStore } from "./store";

const KEYS: string[] = ["label", "label!", "until"];

export function pruneNetworks(call: Call): Refusal | null {
  const filters = new PruneFilters();
  const problem = filters.read(call.query.first("filters"), KEYS);
  if (problem !== null) return problem;
  if (engine.pruning && call !== engine.waitingPrune) return conflict("a prune operation is already running");
  if (call !== engine.waitingPrune) networkStore.leavingBeforePrune = leavingContainers();
  const leaving = nextLeaving();
  if (leaving !== null) {
    // Its client has been told of its end already. A prune that waits keeps others out like one that has begun.
    leaving.queue.push(call);
    engine.waitingPrune = call;
    engine.pruning = true;
    return null;
  }
  engine.waitingPrune = null;

  // Accepted from here on: the work continues even if the client disconnects.
  new NetworkPrune(call, choose(filters)).begin();
  return null;
}

/** The containers whose run is over, and which are about to leave a network that may be pruned. */
function leavingContainers(): Container[] {
  const leaving: Container[] = [];
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    if (all[i].status == Status.Releasing && isOnOwnNetwork(all[i])) leaving.push(all[i]);
  }
  return leaving;
}

/**
 * The next to wait for; null if there is none. Those that began to leave later are not waited for: where runs end all
 * the time, there would always be one.
 */
function nextLeaving(): Container | null {
  const leaving = networkStore.leavingBeforePrune;
  while (leaving.length > 0) {
    const container = leaving.pop();
    if (container.status == Status.Releasing) return container;
  }
  return null;
}

/** Whether the container is on a network that is not built in. */
function isOnOwnNetwork(container: Container): bool {
  for (let i = 0; i < container.endpoints.length; i++) {
    if (container.endpoints[i].place === null) continue;
    const network = networkStore.find(container.endpoints[i].networkId);
    if (network !== null && !network.isBuiltIn) return true;
  }
  return false;
}

function choose(filters: PruneFilters): Network[] {
  const chosen: Network[] = [];
  const all = networkStore.all();
  const used = networksInUse();
  for (let i = 0; i < all.length; i++) {
    const network = all[i];
    if (network.isBuiltIn || network.creating || network.removing || used.has(network.id)) continue;
    if (network.configOnly || setAside.isOnNetwork(network.id)) continue;
    if (filters.match(network.created, network.labelKeys, network.labelValues)) chosen.push(network);
  }
  return chosen;
}

class NetworkPrune extends Lanes {
  private readonly removed: string[] = [];

  constructor(
    private readonly call: Call,
    private readonly chosen: Network[],
  ) {
    super(chosen.length);
  }

  begin(): void {
    engine.pruning = true;
    this.run();
  }

  protected take(index: i32): bool {
    const network = this.chosen[index];
    // Other clients may have removed it or started a container on it since it was chosen.
    if (networkStore.find(network.id) !== network || network.removing) return false;
    if (containersOn(network).length > 0) return false;
    beginNetworkRemoval(network, new PruneClient(this));
    return true;
  }

  hear(network: Network, removed: bool): void {
    if (removed) this.removed.push(network.name);
    this.done();
  }

  protected close(): void {
    engine.pruning = false;
    eventRing.emit(new Event("network", "prune", "", engine.now.wall).with("reclaimed", "0"));
    const json = new JsonWriter().beginObject();
    if (this.removed.length == 0) json.nullField("NetworksDeleted");
    else json.stringArrayField("NetworksDeleted", this.removed);
    sendJson(this.call, 200, line(json.endObject()));
  }
}

class PruneClient extends NetworkRemovalClient {
  constructor(private readonly prune: NetworkPrune) {
    super();
  }

  removed(network: Network): void {
    this.prune.hear(network, true);
  }

  failed(network: Network, _why: string): void {
    this.prune.hear(network, false);
  }
}
