// A daemon that tests kill with SIGKILL and start again, and the checks that nothing is wrong or left over afterwards.

import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { pause, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { takeCensus, type Census } from "../support/measured/census.js";
import { findProcesses } from "../support/processes.js";

/** Why these tests cannot run here. */
export const missing = missingLinux();

/** Time limit for cleanup after an answer (of veths, for example). */
const CALM_MS = 60_000;

/** One for the tests of a `describe`. */
export function killedDaemon(): KilledDaemon {
  const killed = new KilledDaemon();
  beforeAll(() => killed.open());
  afterEach(() => killed.removeAll());
  afterAll(() => killed.daemon?.close());
  return killed;
}

class KilledDaemon {
  daemon!: DaemonProcess;
  engine!: EngineClient;
  /** All containers so far. */
  readonly ids: string[] = [];
  #before!: Census;

  async open(): Promise<void> {
    this.daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    this.engine = new EngineClient(this.daemon.socketPath);
    // The bridge and its rules appear with the first container and stay.
    await this.engine.run({ Cmd: ["true"] });
    await this.killAndRestart();
    this.#before = await this.#calmCensus();
  }

  readonly created = async (config: Json, query = ""): Promise<string> => {
    const id = await this.engine.create(config, query);
    this.ids.push(id);
    return id;
  };

  readonly started = async (config: Json, query = ""): Promise<string> => {
    const id = await this.created(config, query);
    await this.engine.start(id);
    return id;
  };

  readonly execIn = async (id: string, config: Json): Promise<string> => {
    return (await this.engine.must(201, "POST", `/containers/${id}/exec`, config)).json<{ Id: string }>().Id;
  };

  /** Exit code of an exec that is waited for. */
  readonly codeOf = async (id: string, Cmd: readonly string[]): Promise<number> => {
    const exec = await this.execIn(id, { Cmd, AttachStdout: true });
    await this.engine.must(200, "POST", `/exec/${exec}/start`, {});
    return (await this.engine.read<{ ExitCode: number }>(`/exec/${exec}/json`)).ExitCode;
  };

  readonly stateOf = async (id: string): Promise<Json> => {
    return (await this.engine.inspect<{ State: Json }>(id)).State;
  };

  readonly listed = (): Promise<{ Id: string; Names: string[]; State: string }[]> => {
    return this.engine.read("/containers/json?all=1");
  };

  readonly killAndRestart = async (): Promise<void> => {
    await this.daemon.end("SIGKILL");
    await this.daemon.start();
  };

  /** Begins a request, kills the daemon, and starts it again. */
  readonly killedDuring = async (delayMs: number, request: () => Promise<unknown>): Promise<void> => {
    const answer = request().catch(() => null);
    await pause(delayMs);
    await this.daemon.end("SIGKILL");
    await answer;
    await this.daemon.start();
  };

  /**
   * `ps -a` is correct: containers listed as running have a process, others have none. A removal completes by itself.
   */
  readonly expectTruth = async (): Promise<void> => {
    await until("removals to end", async () => (await this.listed()).every(({ State }) => State !== "removing"));
    for (const { Id, State } of await this.listed()) {
      this.ids.push(Id);
      const state = await this.stateOf(Id);
      expect(["created", "running", "exited"]).toContain(State);
      expect(state["Status"]).toBe(State);
      if (State === "running") {
        expect(() => process.kill(state["Pid"] as number, 0)).not.toThrow();
        continue;
      }
      expect(state["Pid"]).toBe(0);
      // It may take a moment longer than its container.
      await until(`no supervisor of ${Id}`, () => findProcesses("conmon", Id).length === 0);
    }
  };

  readonly removeAll = async (): Promise<void> => {
    for (const { Id } of await this.listed()) await this.engine.call("DELETE", `/containers/${Id}?force=1&v=1`);
    await until("an empty list", async () => (await this.listed()).length === 0);
  };

  readonly expectNothingLeft = async ({ besideOpenFiles = false } = {}): Promise<void> => {
    expect(await this.listed()).toEqual([]);
    const looked = (census: Census): Partial<Census> => ({
      ...census,
      openFiles: besideOpenFiles ? [] : withoutPrograms(census.openFiles),
    });
    expect(await this.#settled(looked)).toEqual(looked(this.#before));
  };

  /** The stable state: unchanged for longer than any cleanup after an answer takes. */
  async #calmCensus(): Promise<Census> {
    let last = await takeCensus(this.daemon, this.ids);
    await until("what is held stays the same", async () => {
      await pause(1000);
      const before = JSON.stringify(last);
      last = await takeCensus(this.daemon, this.ids);
      return JSON.stringify(last) === before;
    });
    return last;
  }

  /** The selected parts of the census, once they are stable. */
  async #settled(looked: (census: Census) => Partial<Census>): Promise<Partial<Census>> {
    const deadline = Date.now() + CALM_MS;
    for (;;) {
      const now = looked(await takeCensus(this.daemon, this.ids));
      if (Date.now() > deadline || JSON.stringify(now) === JSON.stringify(looked(this.#before))) return now;
      await pause(50);
    }
  }
}

/** The first run of a daemon's life makes sealed copies of two programs, which stay open (`launch/sealed-program.ts`). */
function withoutPrograms(openFiles: readonly string[]): readonly string[] {
  const copies = ["/memfd:coracle-runtime (deleted)", "/memfd:coracle-supervisor (deleted)"];
  return openFiles.filter((file, at) => !copies.includes(file) || openFiles.indexOf(file) !== at);
}
