// An engine on a simulated host in this process, whose whole state is visible: for tests of what a dry run changes.

import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { bodyOf } from "../../hosts/request/body-form.js";
import type { Driver } from "../../hosts/driver/driver.js";
import type { DryRuns } from "../../hosts/dry-run/dry-runs.js";
import type { Plan } from "../../hosts/dry-run/format.js";
import { AssembledEngine } from "../../hosts/engine/assembled-engine.js";
import { coreOptions } from "../../hosts/engine/core-options.js";
import type { Connection } from "../../hosts/engine/fetch/connection.js";
import { LocalRequests } from "../../hosts/engine/fetch/local-requests.js";
import { hostWith } from "../../hosts/engine/host-with.js";
import { loadImage } from "../../hosts/engine/load-image.js";
import type { Input } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { loadCore } from "../../hosts/node/core-files.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import type { SimulatedHost, SimulatedOptions } from "../../hosts/simulated/options.js";

export const core = loadCore();

/** Where a request arrives. */
export type Listener = "live" | "session";

export class Rig {
  readonly #requests: Record<Listener, LocalRequests>;
  readonly #seen: Seen;
  readonly dryRuns: DryRuns;
  /** Reports an event to the live engine, as its host does. */
  readonly happen: (input: Input) => void;

  private constructor(
    readonly host: SimulatedHost,
    readonly engine: AssembledEngine,
    readonly driver: Driver,
    happen: (input: Input) => void,
  ) {
    this.#seen = watched(driver);
    this.dryRuns = engine.dryRuns;
    this.happen = happen;
    const through = (listener: string): LocalRequests =>
      new LocalRequests({
        bodyLimit: engine.bodyLimit,
        requireOpen: () => {},
        passage: (asking) => engine.passage({ ...asking, listener }),
      });
    this.#requests = { live: through("unix:///d.sock"), session: through("unix:///dry.sock?dry-run") };
  }

  static async open(options: SimulatedOptions = {}, run: CompiledCore = core): Promise<Rig> {
    const host = simulatedHost(options);
    let happen: (input: Input) => void = () => {};
    const heard = hostWith(host, {
      listen: (happened, given) => {
        happen = happened;
        host.listen(happened, given);
      },
    });
    const told = coreOptions(host, { platform: "embedded", dataRoot: "", execRoot: "" });
    const engine = new AssembledEngine({
      ...{ core: run, host: heard, options: () => told },
      ...{ lost: () => {}, fatal: () => {} },
    });
    await engine.open();
    for (const archive of host.firstImages()) expect(await loadImage(bodyOf(archive), engine)).toBe(null);
    return new Rig(host, engine, engine.driver!, (input) => happen(input));
  }

  /** Number of dry runs that still receive ends from the live engine, and are kept for that. */
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

  /** Runs a container and returns its id. */
  async run(name: string, command: readonly string[], more: object = {}): Promise<string> {
    const body = { Image: "busybox", Cmd: command, ...more };
    const created = await this.ask("live", "POST", `/containers/create?name=${name}`, body);
    if (created.status !== 201) throw new Error(created.text);
    const { Id } = JSON.parse(created.text) as { Id: string };
    const started = await this.ask("live", "POST", `/containers/${Id}/start`);
    if (started.status !== 204) throw new Error(started.text);
    return Id;
  }

  /** The whole state of the live engine and its world. */
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

  /** The same, after the engine's own work behind an answer, such as measuring sizes. */
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
    await this.engine.close();
    await this.host.close();
  }
}

interface Seen {
  told: Set<unknown>;
  copies: number;
}

/** Records what dry runs ask of the driver from now on. */
function watched(driver: Driver): Seen {
  const seen: Seen = { told: new Set(), copies: 0 };
  const [fork, onEnd] = [driver.fork.bind(driver), driver.onEnd.bind(driver)];
  driver.fork = () => {
    seen.copies++;
    return fork();
  };
  driver.onEnd = (told) => {
    const deaf = onEnd(told);
    seen.told.add(told);
    return () => {
      seen.told.delete(told);
      deaf();
    };
  };
  return seen;
}

export interface Everything {
  /** The instance's memory, including its id counter. */
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
