// An engine on a simulated host in this process, of which everything can be seen: for tests of what a dry run leaves alone.

import { isDeepStrictEqual } from "node:util";
import { RequestBodies } from "../../hosts/bodies.js";
import { straight } from "../../hosts/door.js";
import type { Door } from "../../hosts/door.js";
import { Driver } from "../../hosts/driver.js";
import { DryRuns } from "../../hosts/dry-run/dry-runs.js";
import type { Plan } from "../../hosts/dry-run/format.js";
import { coreOptions } from "../../hosts/embedding/core-options.js";
import type { Connection } from "../../hosts/embedding/engine.js";
import { loadFirstImages } from "../../hosts/embedding/first-images.js";
import { hostWith } from "../../hosts/embedding/host-with.js";
import { LocalRequests } from "../../hosts/embedding/local-requests.js";
import type { Input } from "../../hosts/host.js";
import type { CompiledCore } from "../../hosts/instance.js";
import { loadCore } from "../../hosts/node/core-files.js";
import { ReplyRouter } from "../../hosts/reply-router.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import type { SimulatedHost, SimulatedOptions } from "../../hosts/simulated/options.js";
import { Attachments } from "../../hosts/streams/attachments.js";

export const core = loadCore();

/** Where a request comes in. */
export type Listener = "live" | "session";

export class Rig {
  readonly #requests: Record<Listener, LocalRequests>;
  readonly #seen: Seen;
  /** Tells the live engine that something happened, as its host does. */
  readonly happen: (input: Input) => void;

  private constructor(
    readonly host: SimulatedHost,
    readonly driver: Driver,
    readonly dryRuns: DryRuns,
    door: Door,
    seen: Seen,
    happen: (input: Input) => void,
  ) {
    this.#seen = seen;
    this.happen = happen;
    const through = (listener: string): LocalRequests =>
      new LocalRequests({
        bodyLimit: 4 << 20,
        requireOpen: () => {},
        passage: (method, target, headers) => dryRuns.passage({ listener, method, target, headers }) ?? straight(door),
      });
    this.#requests = { live: through("unix:///d.sock"), session: through("unix:///dry.sock?dry-run") };
  }

  static async open(options: SimulatedOptions = {}, run: CompiledCore = core): Promise<Rig> {
    const host = simulatedHost(options);
    const [bodies, replies, attachments] = [
      new RequestBodies(),
      new ReplyRouter(),
      new Attachments(host.replies, host.timers),
    ];
    let happen: (input: Input) => void = () => {};
    const ordered = hostWith(host, {
      listen: (happened, given) => {
        happen = attachments.inOrder(happened);
        host.listen(happen, given);
      },
    });
    const engine = coreOptions({ host });
    const driver = await Driver.open(run, ordered, replies, bodies, { engine, lost: () => {}, fatal: () => {} });
    const seen: Seen = { told: new Set(), copies: 0 };
    const dryRuns = new DryRuns({
      ...{ core: run, host, options: engine },
      fork: () => {
        seen.copies++;
        return driver.fork();
      },
      onEnd: (told) => {
        const deaf = driver.onEnd(told);
        seen.told.add(told);
        return () => {
          seen.told.delete(told);
          deaf();
        };
      },
    });
    const door: Door = {
      nextRequest: () => driver.nextRequest(),
      deliver: (input) => driver.deliver(input),
      ...{ replies, bodies, stdio: host.replies, attachments },
    };
    await loadFirstImages(host.firstImages(), door);
    return new Rig(host, driver, dryRuns, door, seen, (input) => happen(input));
  }

  /** Dry runs that the live engine still tells what ends, and that it keeps so. */
  get kept(): number {
    return this.#seen.told.size;
  }

  /** How often the live instance was copied for a dry run. */
  get copies(): number {
    return this.#seen.copies;
  }

  fetch(
    at: Listener,
    method: string,
    target: string,
    body?: unknown,
    headers: HeadersInit = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const json = { "content-type": "application/json" };
    const init = body instanceof Uint8Array || body === undefined ? { headers } : { headers: { ...json, ...headers } };
    const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
    return this.#requests[at].fetch(target, {
      method,
      ...init,
      ...(sent !== undefined && { body: sent as BodyInit }),
      ...(signal && { signal }),
    });
  }

  connect(at: Listener, target: string): Promise<Connection> {
    return this.#requests[at].connect(target, { method: "POST" });
  }

  /** Status and text of an answer. */
  async ask(at: Listener, method: string, target: string, body?: unknown): Promise<{ status: number; text: string }> {
    const response = await this.fetch(at, method, target, body);
    return { status: response.status, text: await response.text() };
  }

  /** What a request would do. */
  async plan(method: string, target: string, body?: unknown): Promise<Plan> {
    const response = await this.fetch("live", method, target, body, { "Coracle-Dry-Run": "plan" });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Plan;
  }

  /** A container that runs; its id. */
  async run(name: string, command: readonly string[], more: object = {}): Promise<string> {
    const body = { Image: "busybox", Cmd: command, ...more };
    const created = await this.ask("live", "POST", `/containers/create?name=${name}`, body);
    if (created.status !== 201) throw new Error(created.text);
    const { Id } = JSON.parse(created.text) as { Id: string };
    const started = await this.ask("live", "POST", `/containers/${Id}/start`);
    if (started.status !== 204) throw new Error(started.text);
    return Id;
  }

  /** All that there is of the live engine and its world. */
  async everything(): Promise<Everything> {
    const { host, driver } = this;
    const fork = driver.fork();
    if (fork === null) throw new Error("there is no instance");
    return {
      core: Buffer.from(fork.snapshot).toString("base64"),
      pending: fork.pending.length,
      records: (await host.records.load()).map(({ key, value }) => [key, Buffer.from(value).toString()]),
      journal: await host.records.journal.end(),
      processes: host.world.processes(),
    };
  }

  /** The same, once the engine has done what it does by itself after an answer: sizes are measured, say. */
  async settled(): Promise<Everything> {
    let before = await this.everything();
    for (;;) {
      await this.ask("live", "GET", "/_ping");
      await new Promise((resolve) => setTimeout(resolve, 5));
      const now = await this.everything();
      if (isDeepStrictEqual({ ...now, core: "" }, { ...before, core: "" }) && now.pending === 0) return now;
      before = now;
    }
  }

  async close(): Promise<void> {
    this.dryRuns.close("the test is over");
    await this.driver.close();
    await this.host.close();
  }
}

interface Seen {
  told: Set<unknown>;
  copies: number;
}

export interface Everything {
  /** The instance's memory, its counter of ids among it. */
  core: string;
  pending: number;
  records: [string, string][];
  journal: unknown;
  processes: unknown;
}

/** Effects of a plan, in order: `processes signal`. */
export function effectsOf(plan: Plan): string[] {
  return plan.plan.flatMap((entry) => ("effect" in entry ? [`${entry.effect.to} ${entry.effect.command}`] : []));
}

/** Events of a plan, in order: `container die`. */
export function eventsOf(plan: Plan): string[] {
  return plan.plan.flatMap((entry) => {
    if (!("event" in entry)) return [];
    const { Type, Action } = entry.event as { Type: string; Action: string };
    return [`${Type} ${Action}`];
  });
}
