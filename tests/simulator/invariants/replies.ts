// Checks that each request is answered exactly once, and that no reply goes to an unknown, answered or closed request.

import type { RequestId, engine, replies } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type Ledger, wordOf } from "../ledger.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

interface Open {
  method: string;
  target: string;
  /**
   * `waiting`: nothing was sent. `answering`: the head was sent. `moving`: the host moves the bytes. `calls`: the
   * connection carries calls, until the client hangs up.
   */
  state: "waiting" | "answering" | "moving" | "calls";
  /** Its client has hung up before any answer. */
  left: boolean;
  /** The id of its container, which may be renamed. */
  container: string;
  /** The run whose stdio it is bound to. */
  run: number;
  /** Containers whose logs are sent beside the rest. */
  logs: Set<string>;
  /** Bytes that were sent, but not reported as drained. */
  unsent: number;
  /** Of a build. */
  build: Build | null;
}

interface Build {
  /** Its client asks for results, and says when it ends. */
  isDirected: boolean;
  /** Its steps may be found in the cache. */
  isCached: boolean;
}

/** `replies.wit`: at most 1 MiB may be unsent. */
const CREDIT = 1024 * 1024;
/** Requests for which a container's files are mounted, even if it does not run. */
const ON_FILES = /\/(archive|changes|commit|export|json|system\/df)\b/;
/** Requests that end with the container's removal at the latest. */
const ENDS_WITH_CONTAINER = /\/(wait|stats|stop|restart)\b/;
const BUILD = /^\/v[\d.]+\/(?:build\b(?!\/)|grpc\/.*\/Solve\b)/;
/** A request that an earlier instance has begun to answer. */
const UNKNOWN: Open = {
  method: "",
  target: "",
  state: "waiting",
  left: false,
  run: 0,
  container: "",
  logs: new Set(),
  unsent: 0,
  build: null,
};
/** It goes on as long as its build. */
const WATCH = /\/grpc\/moby\.buildkit\.v1\.Control\/Status$/;
const SETTLED = ["running", "paused", "restarting"];

export class Replies implements Invariant {
  readonly #open = new Map<RequestId, Open>();
  /** Requests whose clients have hung up, whether the engine knows it or not. */
  readonly #departed = new Set<RequestId>();
  /** Requests that a lost instance had begun to answer. The driver cuts them off. */
  readonly #half = new Set<RequestId>();

  stepped({ input, outputs, ledger }: Seen): void {
    if (input?.tag === "request") {
      const { id, method, target, body } = input.val;
      this.#open.set(id, {
        method,
        target,
        state: "waiting",
        left: false,
        run: 0,
        container: meant(ledger, target),
        logs: new Set(),
        unsent: 0,
        build: BUILD.test(target) ? buildIn(target, messageIn(body)) : null,
      });
    }
    // A closed request may still be answered once. The answer reaches no client.
    if (input?.tag === "closed") this.#left(input.val.request);
    if (input?.tag === "source-failed") this.#failed(input.val);
    if (input?.tag === "drained") this.#drained(input.val.request, input.val.bytes);
    for (const { request, command } of outputs.replies) this.#reply(request, command);
  }

  /** Whether an open request needs the container's files. */
  needFiles(id: string): boolean {
    return [...this.#open.values()].some(({ target, container }) => {
      return ON_FILES.test(target) && (container === "" || container === id);
    });
  }

  /** Whether a build may be under way. */
  get areBuilding(): boolean {
    return [...this.#open.values()].some(({ build }) => build !== null);
  }

  /** Builds that may be under way. Null if one of them may do equal steps again. */
  get cachedBuilds(): RequestId[] | null {
    const all = [...this.#open].flatMap(([id, { build }]) => (build === null ? [] : [{ id, build }]));
    return all.every(({ build }) => build.isCached) ? all.map(({ id }) => id) : null;
  }

  crashed(): void {
    for (const [request, { state }] of this.#open)
      if (state === "answering" || state === "calls") this.#half.add(request);
    this.#open.clear();
  }

  /** At rest, an instance must know each request that is not fully answered. Throws a `Breach`. */
  expectOpen(request: RequestId, what: string, isBegun: boolean): void {
    if (isBegun ? !this.#half.has(request) : this.#open.has(request)) return;
    throw new Breach("replies", `${what} hangs, and no instance knows the request`);
  }

  /** A client hangs up. This instance or the next must learn it. */
  departed(request: RequestId): void {
    this.#departed.add(request);
  }

  /** Another engine starts, and counts requests from the beginning. */
  restarted(): void {
    this.#departed.clear();
    this.#half.clear();
  }

  /** No request waits for an event that cannot come, and the engine knows which clients are gone. */
  rested({ ledger }: AtRest): void {
    const isDirected = [...this.#open.values()].some(({ build }) => build?.isDirected === true);
    for (const [request, { method, target, state, left, container, run, build }] of this.#open) {
      if (left) continue;
      if (this.#departed.has(request)) {
        throw new Breach("replies", `the client of ${method} ${target} has hung up, but the engine does not know`);
      }
      if (state === "calls") continue;
      if (build?.isDirected === true || (isDirected && WATCH.test(target))) continue;
      const whose = ledger.containers.get(container);
      const isGone = container !== "" && whose === undefined;
      if (mayWaitForEver(target) && !(isGone && ENDS_WITH_CONTAINER.test(target))) continue;
      const status = whose === undefined ? "gone" : wordOf(whose);
      const runs = SETTLED.includes(status);
      if (runs && /\/(wait|attach|logs|stats)\b/.test(target)) continue;
      if (whose !== undefined && /\/attach/.test(target) && run > whose.run) continue;
      if (/\/exec\//.test(target) && state !== "waiting") continue;
      throw new Breach("replies", `${method} ${target} hangs (${state}, container ${status})`);
    }
  }

  #left(request: RequestId): void {
    const open = this.#open.get(request);
    if (open?.state === "waiting") open.left = true;
    else this.#open.delete(request);
  }

  /**
   * Its source failed. This or a later instance answers it as if the reply had not begun, unless a part of it was
   * already sent.
   */
  #failed({ request, begun }: engine.SourceFailure): void {
    const state = begun === undefined ? "waiting" : "answering";
    this.#open.set(request, { ...(this.#open.get(request) ?? UNKNOWN), logs: new Set(), state });
  }

  #drained(request: RequestId, bytes: number): void {
    const open = this.#open.get(request);
    if (open !== undefined) open.unsent -= bytes;
  }

  #reply(request: RequestId, command: replies.ReplyCommand): void {
    const open = this.#open.get(request);
    if (open === undefined) throw new Breach("replies", `${command.tag} to request ${request}, which is not open`);
    const wrong = (): never => {
      throw new Breach("replies", `${command.tag} to ${open.method} ${open.target}, which is ${open.state} already`);
    };
    switch (command.tag) {
      case "whole":
      case "bare":
        if (open.state !== "waiting") wrong();
        break;
      case "open":
        if (open.state !== "waiting") wrong();
        open.state = "answering";
        return;
      case "hijack":
        if (open.state !== "waiting") wrong();
        open.state = "moving";
        if (command.val.stdio.tag === "run") {
          open.run = command.val.stdio.val.run;
        }
        return;
      case "calls":
        if (open.state !== "waiting") wrong();
        open.state = "calls";
        return;
      case "splice":
        if (open.state !== "answering") wrong();
        open.state = "moving";
        return;
      case "insert":
        if (open.state !== "answering") wrong();
        return;
      case "beside":
        if (open.state !== "answering" || open.logs.has(command.val.container)) wrong();
        open.logs.add(command.val.container);
        return;
      case "drain":
        if (!open.logs.delete(command.val)) wrong();
        return;
      case "chunk":
        if (open.state === "waiting") wrong();
        open.unsent += command.val.length;
        if (open.unsent > CREDIT + 16 * 1024) throw new Breach("replies", `${open.target} has ${open.unsent} unsent`);
        return;
      case "end":
        if (open.state === "waiting" || open.logs.size > 0) wrong();
    }
    this.#open.delete(request);
  }
}

function messageIn(body: engine.Body): Record<string, unknown> {
  if (body.tag !== "whole" || body.val.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder().decode(body.val)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function buildIn(target: string, message: Record<string, unknown>): Build {
  const options = (message["FrontendAttrs"] ?? {}) as object;
  const isCall = target.includes("/grpc/");
  const isDirected = isCall && (message["Frontend"] ?? "") === "";
  return {
    isDirected,
    // What a client that directs its build asks for comes in other calls.
    isCached: !isDirected && !("no-cache" in options) && !/[?&](?:nocache=1|cachefrom=)/.test(target),
  };
}

/** The id of the container in a target at the time of the request. Empty if there is none. */
function meant(ledger: Ledger, target: string): string {
  const ref = /\/containers\/([^/?]+)/.exec(target)?.[1] ?? "";
  const all = [...ledger.containers.values()];
  const named = all.find(({ id, name }) => id === ref || name === ref);
  return (named ?? all.find(({ id }) => ref !== "" && id.startsWith(ref)))?.id ?? "";
}

function mayWaitForEver(target: string): boolean {
  // The stats of a stopped container are all 0, and continue.
  if (/\/(events|stats)\b|\/ListenBuildHistory$/.test(target) || /condition=(next-exit|removed)/.test(target))
    return true;
  // A stop or restart without a limit (surface §2.16): with a negative or a huge timeout.
  const [, seconds] = /\/(?:stop|restart)\?(?:.*&)?t=(-?\d{1,30})(?:&|$)/.exec(target) ?? [];
  return seconds !== undefined && (BigInt(seconds) < 0n || BigInt(seconds) > 1n << 32n);
}
