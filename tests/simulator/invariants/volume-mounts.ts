// Checks what is mounted on volumes with options: at rest, exactly those that a running container has are mounted, and
// none is unmounted while one that has it runs.

import type { VolumeRecord } from "../../../build/core/record-types.js";
import { Breach } from "../breach.js";
import { type Ledger, isVolume, RUNNING, wordOf } from "../ledger.js";
import { Failures } from "./failures.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

export class VolumeMounts implements Invariant {
  /** Volumes that could not be unmounted. */
  readonly #stuck = new Failures("unmount");

  stepped(seen: Seen): void {
    this.#stuck.stepped(seen);
    const needed = inRuns(seen.ledger);
    for (const { to, command } of seen.outputs.effects) {
      if (to === "volumes" && command.tag === "unmount" && needed.has(command.val))
        throw new Breach("volume mounts", `${command.val} is unmounted, though a running container has it`);
    }
  }

  rested({ ledger, held }: AtRest): void {
    const needed = inRuns(ledger);
    const mounted = held.mountedVolumes();
    // A container with a damaged record may need any.
    const isKnown = ledger.keys("damaged/container/").length === 0;
    const left = mounted.find((name) => isKnown && !needed.has(name) && !this.#stuck.has(name));
    if (left !== undefined) throw new Breach("volume mounts", `${left} is mounted, but no running container has it`);
    const missing = [...needed].find((name) => isMountable(ledger, name) && !mounted.includes(name));
    if (missing !== undefined) throw new Breach("volume mounts", `${missing} is in use, but nothing is mounted on it`);
  }
}

/** Volumes of running containers. */
function inRuns({ containers }: Ledger): Set<string> {
  const running = [...containers.values()].filter((one) => RUNNING.includes(wordOf(one)));
  return new Set(running.flatMap(({ mounts }) => mounts.filter(isVolume).map(({ name }) => name)));
}

function isMountable(ledger: Ledger, volume: string): boolean {
  return ledger.json<VolumeRecord>(`volume/${volume}`)?.options?.["type"] !== undefined;
}
