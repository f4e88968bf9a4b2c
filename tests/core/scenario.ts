// Runs a story against the core: text in, text out. A file is a row of blocks, each a few lines of input, `----`, and
// what the core asked of its host. Ids are numbered as they appear (`#1`), operations too (`op1`).

import type { Input, Outcome, engine, types } from "../../hosts/host.js";
import { Instance } from "../../hosts/instance.js";
import type { StepOutputs } from "../../hosts/outbox.js";
import { loadCore } from "../../hosts/node/core-files.js";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, OPTIONS } from "./fixtures.js";

const core = loadCore();
const SECOND = 1_000_000_000n;
const EPOCH = 1_767_225_600n * SECOND; // 2026-01-01T00:00:00Z

/** The story as it came out: the same text, if nothing has changed. */
export function play(text: string): string {
  const world = new World();
  const blocks = text.trimEnd().split(/\n\n(?=\S)/);
  return blocks.map((block) => world.block(block)).join("\n\n") + "\n";
}

class World {
  #instance = new Instance(core);
  #epoch = 0;
  #elapsed = 0n;
  #records = new Map<string, Uint8Array>();
  #names = new Map<string, string>();
  #operations = new Map<string, bigint>();

  block(block: string): string {
    const lines = block.split("\n");
    const rule = lines.indexOf("----");
    const inputs = lines.slice(0, rule < 0 ? lines.length : rule);
    const outputs = inputs.filter((line) => !line.startsWith("#! ")).flatMap((line) => this.#line(line));
    return [...inputs, "----", ...outputs].join("\n");
  }

  #line(line: string): string[] {
    const [word = "", ...rest] = line.split(" ");
    if (word === "given") this.#given(rest);
    if (word === "open") return this.#open(rest);
    if (word === "sleep") this.#elapsed += BigInt(rest[0] ?? "0") * SECOND;
    if (word === "given" || word === "sleep" || word === "") return [];
    return this.#written(this.#instance.step(this.#now(), this.#input(word, rest)));
  }

  #given(words: string[]): void {
    if (words[0] !== "busybox") throw new Error(`nothing to give: ${words.join(" ")}`);
    for (const [key, value] of BUSYBOX_RECORDS) this.#records.set(key, value);
  }

  /** `open`, or after a crash `open running #1 1` and the like: what the host found. */
  #open(words: string[]): string[] {
    this.#instance = new Instance(core);
    this.#epoch += 1;
    const records = [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => ({ key, value }));
    const seed = new Uint8Array(32).fill(this.#epoch);
    const options = { ...OPTIONS, epoch: this.#epoch };
    return this.#written(this.#instance.open(options, this.#now(), seed, records, this.#inventory(words)));
  }

  #inventory(words: string[]): engine.Inventory {
    const [state, name, run] = words;
    const chains = this.#records.has(`layer/${BUSYBOX_CHAIN}`) ? [BUSYBOX_CHAIN] : [];
    const none = { processes: [], mounts: [], containers: [], joins: [], networks: [], volumes: [], chains };
    if (!state || !name) return none;
    const container = this.#idOf(name);
    const found: engine.FoundProcess = { container, run: Number(run ?? "1"), state: this.#state(state) };
    return { ...none, processes: state === "nothing" ? [] : [found], mounts: [container], containers: [container] };
  }

  #state(word: string): engine.ProcessState {
    const at = this.#now().wall;
    if (word === "running") return { tag: "running", val: { pid: 77, at } };
    if (word === "exited") return { tag: "exited", val: { code: 5, outOfMemory: false, at } };
    return word === "lost" ? { tag: "lost" } : { tag: "unstarted" };
  }

  #input(word: string, rest: string[]): Input {
    const [first = "", second = "", ...more] = rest;
    switch (word) {
      case "request":
        return { tag: "request", val: this.#request(BigInt(first), second, more) };
      case "closed":
        return { tag: "closed", val: { request: BigInt(first), why: second as engine.Closing } };
      case "elapsed":
        return { tag: "elapsed", val: this.#operation(first) };
      case "exited":
        return {
          tag: "exited",
          val: {
            container: this.#idOf(first),
            run: Number(second),
            exit: { code: Number(more[0] ?? "0"), outOfMemory: more[1] === "oom", at: this.#now().wall },
          },
        };
      case "done":
        return this.#completed(first, { tag: "done" });
      case "launched":
        return this.#completed(first, { tag: "launched", val: { pid: 77, at: this.#now().wall } });
      case "size":
        return this.#completed(first, { tag: "size", val: BigInt(second) });
      case "failed":
        return {
          tag: "completed",
          val: {
            op: this.#operation(first),
            outcome: { tag: "err", val: failure(second as types.FailureKind, more.join(" ")) },
          },
        };
      default:
        throw new Error(`no such input: ${word}`);
    }
  }

  #completed(op: string, outcome: Outcome): Input {
    return { tag: "completed", val: { op: this.#operation(op), outcome: { tag: "ok", val: outcome } } };
  }

  #request(id: bigint, method: string, [target = "", ...body]: string[]): engine.Request {
    const text = this.#unnamed(body.join(" "));
    const upgrade = text === "upgrade";
    return {
      id,
      listener: "unix:///test.sock",
      method,
      target: this.#unnamed(target),
      headers: upgrade ? "Upgrade: tcp" : text ? "Content-Type: application/json" : "",
      body: text && !upgrade ? { tag: "whole", val: new TextEncoder().encode(text) } : { tag: "none" },
    };
  }

  #now(): types.Instant {
    return { wall: EPOCH + this.#elapsed, monotonic: this.#elapsed };
  }

  #written(outputs: StepOutputs): string[] {
    const records = outputs.records.map((command) => {
      if (command.tag === "put") this.#records.set(command.val.key, command.val.value);
      else this.#records.delete(command.val);
      return `-> record ${command.tag} ${command.tag === "put" ? command.val.key : command.val}`;
    });
    const effects = outputs.effects.map(
      ({ to, op, command }) => `-> ${to} ${this.#operationName(op)} ${shown(command)}`,
    );
    const replies = outputs.replies.map(({ request, command }) => `-> reply ${request} ${shown(command)}`);
    return [...records, ...effects, ...replies].map((line) => this.#named(line));
  }

  #operationName(op: bigint): string {
    const name = `op${this.#operations.size + 1}`;
    for (const [known, value] of this.#operations) if (value === op) return known;
    this.#operations.set(name, op);
    return name;
  }

  #operation(name: string): bigint {
    const op = this.#operations.get(name);
    if (op === undefined) throw new Error(`no such operation: ${name}`);
    return op;
  }

  #named(line: string): string {
    return line.replace(/(?<!sha256:)\b[0-9a-f]{64}\b/g, (id) => {
      if (!this.#names.has(id)) this.#names.set(id, `#${this.#names.size + 1}`);
      return this.#names.get(id) as string;
    });
  }

  #unnamed(text: string): string {
    return text.replace(/#\d+/g, (name) => this.#idOf(name));
  }

  #idOf(name: string): string {
    for (const [id, known] of this.#names) if (known === name) return id;
    throw new Error(`no such id: ${name}`);
  }
}

function failure(kind: types.FailureKind, message: string): types.Failure {
  return { kind, message, status: 0, code: "", retryAfter: 0 };
}

/** A command on one line: its case, then its fields; bytes as text, documents cut to what tells them apart. */
function shown(command: { tag: string; val?: unknown }): string {
  return command.val === undefined ? command.tag : `${command.tag} ${written(command.val)}`;
}

function written(value: unknown): string {
  if (value instanceof Uint8Array) return JSON.stringify(new TextDecoder().decode(value).trimEnd());
  if (Array.isArray(value)) return `[${value.map(written).join(" ")}]`;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && !isEmpty(field));
  return fields.map(([name, field]) => `${name}=${inner(field)}`).join(" ");
}

function inner(value: unknown): string {
  const nested = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  return nested ? `(${written(value)})` : written(value);
}

function isEmpty(value: unknown): boolean {
  return value === false || value === "" || value === 0 || value === 0n || (Array.isArray(value) && value.length === 0);
}
