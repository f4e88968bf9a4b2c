// Replaces some members of a host.

import type { Host } from "../shared/index.js";
import { offersOf } from "./host-offers.js";
import type { HostOffers } from "./host-offers.js";

/**
 * The same host with `parts` replaced. Everything else stays. A spread (`{ ...host, processes }`) would lose the
 * methods of a host that is an instance of a class.
 */
export function hostWith(host: Host, parts: Partial<Host & HostOffers>): Host & HostOffers {
  const whole: Host = {
    timers: host.timers,
    records: host.records,
    processes: (op, command, report) => host.processes(op, command, report),
    content: (op, command, report) => host.content(op, command, report),
    networks: (op, command, report) => host.networks(op, command, report),
    volumes: (op, command, report) => host.volumes(op, command, report),
    replies: host.replies,
    machine: host.machine,
    runtimes: host.runtimes,
    inventory: () => host.inventory(),
    listen: (happened, bodies) => host.listen(happened, bodies),
    seed: () => host.seed(),
    close: () => host.close(),
  };
  return { ...whole, ...offersOf(host), ...parts };
}
