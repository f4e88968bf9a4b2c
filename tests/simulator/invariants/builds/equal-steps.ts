// Checks that equal steps run once, in one build and in several at once: no two containers do the same step at a time.

import type { Input } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import { type ContainerRecord, type Ledger, wordOf } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";
import type { Replies } from "../replies.js";

const BEFORE_THE_END = ["created", "starting", "running"];

/** All that it knows, it forgets as soon as no build is under way. */
export class EqualSteps implements Invariant {
  readonly #replies: Replies;
  /** By the ids of their containers. */
  readonly #steps = new Map<string, string>();
  /** Steps that have ended. If one has failed, all that waited for it do it themselves, at once. */
  readonly #ended = new Set<string>();
  /** A build does all its steps again, or a step may have failed before it had a container. */
  #isUnsure = false;

  constructor(replies: Replies) {
    this.#replies = replies;
  }

  stepped({ ledger, opening, input }: Seen): void {
    const builds = this.#replies.cachedBuilds;
    if (opening !== null || builds?.length === 0) return this.crashed();
    if (builds === null || isFailure(input)) this.#isUnsure = true;
    for (const key of ledger.changed) {
      if (key.startsWith("container/")) this.#changed(key.slice("container/".length), ledger);
    }
  }

  crashed(): void {
    this.#steps.clear();
    this.#ended.clear();
    this.#isUnsure = false;
  }

  #changed(id: string, { containers }: Ledger): void {
    const container = containers.get(id);
    if (container?.forBuild === true && !this.#steps.has(id)) this.#steps.set(id, stepOf(container));
    const step = this.#steps.get(id);
    if (step === undefined || this.#isUnsure) return;
    if (container === undefined || !BEFORE_THE_END.includes(wordOf(container))) this.#ended.add(step);
    if (this.#ended.has(step) || !isAtWork(container)) return;
    const other = [...this.#steps].find(([one, of]) => one !== id && of === step && isAtWork(containers.get(one)));
    if (other !== undefined) throw new Breach("equal-steps", `${id} and ${other[0]} do the same step: ${step}`);
  }
}

/** That a file is not there is no failure: each build looks for files that may be there. */
function isFailure(input: Input | null): boolean {
  if (input?.tag !== "completed" || input.val.outcome.tag !== "err") return false;
  const failure = input.val.outcome.val;
  return failure.tag !== "call" || failure.val.error !== "ENOENT";
}

/** A container that a build has left is removed with its volumes. */
function isAtWork(container: ContainerRecord | undefined): boolean {
  return container !== undefined && wordOf(container) === "running" && !container.removeVolumes;
}

function stepOf({ imageId, config, mounts }: ContainerRecord): string {
  const { Cmd, Env, User, WorkingDir } = config as Record<string, unknown>;
  return JSON.stringify([imageId, Cmd, Env, User, WorkingDir, mounts.map(({ name, source }) => [name, source])]);
}
