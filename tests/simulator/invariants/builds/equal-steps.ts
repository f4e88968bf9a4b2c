// Checks that steps which the stages of a build have in common run once: no two containers of one build do the same step at
// a time. Only while a single build is under way is it known whose containers they are.

import type { RequestId } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import { type ContainerRecord, wordOf } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";
import type { Replies } from "../replies.js";

const AT_WORK = ["created", "starting", "running"];

export class EqualSteps implements Invariant {
  readonly #replies: Replies;
  /** Containers of steps, by the build that they were made for. */
  readonly #builds = new Map<string, RequestId>();

  constructor(replies: Replies) {
    this.#replies = replies;
  }

  stepped({ ledger, opening }: Seen): void {
    if (opening !== null) return this.crashed();
    for (const key of ledger.changed) {
      if (!key.startsWith("container/")) continue;
      const id = key.slice("container/".length);
      const container = ledger.containers.get(id);
      if (container === undefined) this.#builds.delete(id);
      else if (container.forBuild === true && !this.#builds.has(id)) this.#made(container, ledger.containers);
    }
  }

  crashed(): void {
    this.#builds.clear();
  }

  #made(container: ContainerRecord, all: ReadonlyMap<string, ContainerRecord>): void {
    const [build, ...others] = this.#replies.cachedBuilds ?? [];
    // Of a build that is over, whose containers are on their way out, or unknown.
    if (build === undefined || others.length > 0) return;
    for (const [id, whose] of this.#builds) {
      const other = all.get(id);
      if (whose !== build || other === undefined || !AT_WORK.includes(wordOf(other))) continue;
      if (stepOf(other) === stepOf(container)) {
        throw new Breach("equal-steps", `${id} and ${container.id} do the same step: ${stepOf(container)}`);
      }
    }
    this.#builds.set(container.id, build);
  }
}

function stepOf({ imageId, config, mounts }: ContainerRecord): string {
  const { Cmd, Env, User, WorkingDir } = config as Record<string, unknown>;
  return JSON.stringify([imageId, Cmd, Env, User, WorkingDir, mounts.map(({ name, source }) => [name, source])]);
}
