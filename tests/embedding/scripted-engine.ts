// An embedded engine with a core scripted by the test, on a host that does nothing.

import type { ImportObject } from "../../build/core/core.js";
import type { Engine, EngineOptions } from "../../hosts/embedding/engine.js";
import { openEngine } from "../../hosts/embedding/open.js";
import type { Bodies, Host, Input, RequestId, engine, replies } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { FastRecords, HandClock, scripted } from "../driver/fake.js";
import type { Script } from "../driver/fake.js";
import { RecordedStdin } from "../node/scripted-server.js";
import { MemoryLog } from "../streams/log-of.js";
import { NO_STREAMS } from "../support/no-streams.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

export interface ScriptedEngine {
  engine: Engine;
  log: MemoryLog;
  stdin: RecordedStdin;
  requests: engine.Request[];
  /** All inputs except requests. */
  inputs: Input[];
  /** The seed of each opened instance. */
  seeds: Uint8Array[];
  epochs: number[];
  /** The request bodies for the host. */
  bodies: Bodies;
  /** Reports an event in the host's world. */
  happen: (input: Input) => void;
  /** Sends a reply outside a step. */
  reply: (request: RequestId, command: replies.ReplyCommand) => void;
  closed: string[];
}

type Answer = (request: engine.Request, reply: (command: replies.ReplyCommand) => void, imports: ImportObject) => void;

/**
 * `answer` is called for each request, within its step; without it the test replies itself. `parts`: of the host.
 * `opening` is called within the core's `open`.
 */
export async function scriptedEngine(
  answer: Answer = () => {},
  options: Partial<EngineOptions> = {},
  parts: Partial<Host> = {},
  opening: (imports: ImportObject) => void = () => {},
): Promise<ScriptedEngine> {
  const made = { log: new MemoryLog(), stdin: new RecordedStdin(), requests: [], inputs: [], seeds: [], epochs: [] };
  const one: Omit<ScriptedEngine, "engine"> = { ...made, bodies: NO_BODIES, happen, reply, closed: [] };
  let due: { request: RequestId; command: replies.ReplyCommand }[] = [];
  const clock = new HandClock();
  const core = withSeeds(one.seeds, {
    open: (imports, { epoch }) => {
      one.epochs.push(epoch);
      opening(imports);
    },
    step: (imports, input) => {
      if (input.tag === "request") take(imports, input.val);
      else if (input.tag !== "elapsed") one.inputs.push(input);
      for (const { request, command } of due) imports["coracle:engine/replies"].perform(request, command);
      due = [];
    },
  });
  const host: Host = {
    timers: clock,
    records: Object.assign(new FastRecords(), { close: async () => void one.closed.push("records") }),
    processes: async () => ({ tag: "done" }),
    content: async () => ({ tag: "done" }),
    networks: async () => ({ tag: "done" }),
    volumes: async () => ({ tag: "done" }),
    replies: { log: async () => one.log, stdin: () => one.stdin, ...NO_STREAMS },
    machine: {} as engine.Machine,
    runtimes: [],
    inventory: async () => NOTHING_FOUND,
    listen: (happened, bodies) => {
      one.happen = happened;
      one.bodies = bodies;
    },
    seed: () => new Uint8Array(32),
    close: async () => void one.closed.push("host"),
    ...parts,
  };
  return Object.assign(one, { engine: await openEngine({ host, core, ...options }) });

  function take(imports: ImportObject, request: engine.Request): void {
    one.requests.push(request);
    answer(request, (command) => imports["coracle:engine/replies"].perform(request.id, command), imports);
  }

  function reply(request: RequestId, command: replies.ReplyCommand): void {
    due.push({ request, command });
    one.happen({ tag: "elapsed", val: 0n });
  }

  function happen(): void {}
}

/** A scripted core that records the seeds of its instances. */
function withSeeds(seeds: Uint8Array[], script: Script): CompiledCore {
  const core = scripted(script);
  return {
    instantiate(imports) {
      const instance = core.instantiate(imports);
      const { engine } = instance.exports;
      const open: typeof engine.open = (options, now, seed, ...found) => {
        seeds.push(seed);
        engine.open(options, now, seed, ...found);
      };
      return { ...instance, exports: { ...instance.exports, engine: { ...engine, open } } };
    },
  };
}

const NO_BODIES: Bodies = {
  take: noEngine,
  session: noEngine,
  upload: noEngine,
  credentials: noEngine,
  secret: noEngine,
  deliver: noEngine,
  agent: noEngine,
  document: noEngine,
  blob: noEngine,
  give: noEngine,
};

function noEngine(): never {
  throw new Error("no engine listens yet");
}

export const HEAD: replies.Head = { status: 200, headers: "Content-Type: text/plain" };

export function open(headers = HEAD.headers, status = 200): replies.ReplyCommand {
  return { tag: "open", val: { status, headers } };
}

export function chunk(text: string): replies.ReplyCommand {
  return { tag: "chunk", val: new TextEncoder().encode(text) };
}

export function logsOf(container: string, follow: boolean): replies.ReplyCommand {
  const what = { stdout: true, stderr: true, framed: false, timestamps: false, prefix: "", since: 0n, until: 0n };
  return { tag: "splice", val: { tag: "logs", val: { container, ...what, follow, ended: !follow } } };
}

export function hijack(container: string, status = 101): replies.ReplyCommand {
  const type = "Content-Type: application/vnd.docker.raw-stream";
  const head = { status, headers: status === 101 ? `${type}\nConnection: Upgrade\nUpgrade: tcp` : type };
  const flags = { stdin: true, stdout: true, stderr: true, framing: "raw" } as const;
  const stdio = { tag: "run", val: { container, run: 1, history: true, ended: false, live: true } } as const;
  const keys = { keepAfterInput: true, detachKeys: new Uint8Array() };
  return { tag: "hijack", val: { head, stdio, ...flags, ...keys } };
}
