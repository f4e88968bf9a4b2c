// Runs a story against the core: text in, text out. A file consists of blocks. Each block has some lines of input, then
// `----`, then what the core asked of its host. Ids are numbered in the order in which they appear (`#1`), and so are
// operations (`op1`). Besides the inputs of `inputs.ts`, a story may have these lines:
//
//   image NAME LAYER…     defines an image. Later lines refer to its parts as `config:NAME`, `manifest:NAME`,
//                         `sha256:NAME` and `sha256:LAYER`
//   given NAME            the engine has the records and the layers of this image
//   given nothing         the engine was never started before
//   given subnet SUBNET   the default bridge has this subnet
//   networks JSON         engines that are opened from now on have these options of networks, and else the usual ones
//   open [REGISTRY…]      opens a new instance of the core. REGISTRY: registries that need no TLS. The indented lines
//                         below it say what the host finds: process, exec, mount, files, join, network, volume, chain,
//                         no-chain
//   sleep SECONDS         time passes
//   clock SECONDS         the time of day is set forward by this many seconds
//   earlier MEMBER        records of containers are those of an earlier version, without this number
//   boot                  the machine was restarted: its monotonic clock starts again
//   sizes shown           shows measurements that the core asks for by itself, too
//   explain               shows why the core did what it did after the last input or `open`
//
// A request may end with ` | ` and the parts of its JSON answer to show: `State.Status Mounts.*.Name`.

import type { engine, types } from "../../../hosts/shared/host.js";
import { type CompiledCore, Instance } from "../../../hosts/driver/instance.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { loadCore } from "../../../hosts/node/core-files.js";
import type { Effect, StepOutputs } from "../../../hosts/shared/outputs.js";
import { BUSYBOX_CHAIN, BUSYBOX_ID, BUSYBOX_RECORDS, FIRST_RECORDS, NETWORKS, OPTIONS } from "../support/fixtures.js";
import { type MadeImage, digestOf, encode, makeImage } from "../support/image-world.js";
import { keep } from "../../support/records/kept-records.js";
import { exitOf, foundExec, inputOf, isSecret } from "./inputs.js";
import { Names } from "./names.js";
import { shownEffect, shownNote, shownRecord, shownReply } from "./outputs.js";

let built: CompiledCore | null = null;
const NS = 1_000_000_000;
const EPOCH = 1_767_225_600_000_000_000n; // 2026-01-01T00:00:00Z
const STARTED = 100n * BigInt(NS);

/** The story as it came out: the same text if nothing has changed. */
export function play(text: string, core: CompiledCore = (built ??= loadCore())): string {
  const story = new Story(core);
  const blocks = text.trimEnd().split(/\n\n(?=\S)/);
  return blocks.map((block) => story.block(block)).join("\n\n") + "\n";
}

class Story {
  readonly #names = new Names();
  readonly #images = new Map<string, MadeImage>();
  readonly #records = new Map<string, Uint8Array>();
  readonly #journal = new MemoryJournal();
  readonly #operations = new Map<string, bigint>();
  /** The parts of a request's answer to show. */
  readonly #paths = new Map<bigint, string[]>();
  readonly #core: CompiledCore;
  #instance: Instance;
  #epoch = 0;
  #elapsed = 0n;
  /** How far the time of day was set. */
  #set = 0n;
  /** Elapsed time when the machine was started. */
  #booted = 0n;
  #showsSizes = false;
  /** Options of networks that are not the usual ones. */
  #networks: Partial<engine.NetworkOptions> = {};

  constructor(core: CompiledCore) {
    this.#core = core;
    this.#instance = new Instance(core);
    for (const [key, value] of FIRST_RECORDS) this.#records.set(key, value);
    for (const [name, id] of NETWORKS) this.#names.callId(id, name);
    this.#names.call(BUSYBOX_ID, "busybox");
    this.#names.call(BUSYBOX_CHAIN, "busybox.layer");
  }

  block(block: string): string {
    const lines = block.split("\n");
    const rule = lines.indexOf("----");
    const inputs = lines.slice(0, rule < 0 ? lines.length : rule);
    const outputs = inputs.flatMap((line, at) => (/^[a-z]/.test(line) ? this.#play(line, below(inputs, at)) : []));
    return [...inputs, "----", ...outputs].join("\n");
  }

  #play(line: string, indented: string[]): string[] {
    const shown = this.#line(line, indented).map((output) => this.#names.named(output));
    if (shown.some(isSecret)) throw new Error(`a secret leaves the core: ${line}`);
    return shown;
  }

  #line(line: string, indented: string[]): string[] {
    const [word, ...rest] = line.split(" ");
    switch (word) {
      case "image":
        this.#makeImage(rest);
        return [];
      case "given":
        this.#give(rest[0] ?? "", rest[1]);
        return [];
      case "networks":
        this.#networks = JSON.parse(rest.join(" ")) as Partial<engine.NetworkOptions>;
        return [];
      case "sizes":
        this.#showsSizes = true;
        return [];
      case "sleep":
        this.#elapsed += BigInt(Math.round(Number(rest[0]) * NS));
        return [];
      case "clock":
        this.#set += BigInt(Number(rest[0]) * NS);
        return [];
      case "earlier":
        this.#forget(rest[0] ?? "");
        return [];
      case "boot":
        this.#booted = this.#elapsed;
        return [];
      case "open":
        return this.#open(rest, indented);
      case "explain":
        return this.#instance.explain().map((note) => `-> because ${shownNote(note)}`);
      default:
        return this.#step(line, indented);
    }
  }

  #makeImage([name = "", ...layers]: string[]): void {
    const image = makeImage(layers, { config: { Cmd: [name] } });
    this.#images.set(name, image);
    this.#names.call(image.id, name);
    this.#names.call(image.digest, `${name}.manifest`);
    layers.forEach((layer, at) => {
      this.#names.call(image.blobs[at]!.digest, `${layer}.blob`);
      this.#names.call(image.diffIds[at]!, `${layer}.tar`);
      this.#names.call(image.chains[at]!, at === 0 ? `${layer}.tar` : `${layers.slice(0, at + 1).join(".")}`);
    });
  }

  #give(name: string, subnet?: string): void {
    if (name === "nothing") return this.#records.clear();
    if (subnet !== undefined) return this.#giveSubnet(subnet);
    for (const [key, value] of name === "busybox" ? BUSYBOX_RECORDS : recordsOf(name, this.#image(name))) {
      this.#records.set(key, value);
    }
  }

  #giveSubnet(subnet: string): void {
    const key = `network/${NETWORKS.get("bridge")}`;
    const record = JSON.parse(new TextDecoder().decode(this.#records.get(key))) as { ipam: object[] };
    this.#records.set(key, encode(JSON.stringify({ ...record, ipam: [{ ...record.ipam[0], subnet }] })));
  }

  /** As text, because 64-bit numbers do not survive JSON.parse. */
  #forget(member: string): void {
    const kept = new RegExp(`"${member}":-?\\d+,`);
    for (const [key, value] of this.#records) {
      const text = new TextDecoder().decode(value);
      if (key.startsWith("container/")) this.#records.set(key, encode(text.replace(kept, "")));
    }
  }

  #image(name: string): MadeImage {
    const image = this.#images.get(name);
    if (image === undefined) throw new Error(`no image is called ${name}`);
    return image;
  }

  #open(insecureRegistries: string[], found: string[]): string[] {
    this.#instance = new Instance(this.#core);
    this.#epoch += 1;
    const records = [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => ({ key, value }));
    const seed = new Uint8Array(32).fill(this.#epoch);
    const networks = { ...OPTIONS.networks, ...this.#networks };
    const options = { ...OPTIONS, epoch: this.#epoch, insecureRegistries, networks };
    const inventory = this.#inventory(found.map((line) => this.#names.unnamed(line.trim()).split(" ")));
    return this.#taken(this.#instance.open(options, this.#now(), seed, records, this.#journal.endsAt, inventory));
  }

  #inventory(found: string[][]): engine.Inventory {
    const layers = [...this.#records.keys()].filter((key) => key.startsWith("layer/")).map((key) => key.slice(6));
    const of = (word: string) => found.filter(([first]) => first === word).map(([, ...rest]) => rest);
    const missing = of("no-chain").flat();
    return {
      processes: of("process").map(([container = "", run, ...state]) => ({
        container,
        run: Number(run),
        state: this.#processState(state),
        memoryKills: Number(/^kills=(\d+)$/.exec(state.at(-1) ?? "")?.[1] ?? 0),
      })),
      mounts: of("mount").flat(),
      containers: of("files").flat(),
      joins: of("join").map(([container = "", network = "", address = "", ipv6Address = ""]) => {
        return { container, network, address, ipv6Address };
      }),
      sandboxes: [...new Set([...of("join"), ...of("sandbox")].map(([container = ""]) => container))],
      networks: of("network").flat(),
      volumes: of("volume").flat(),
      execs: of("exec").map((exec) => foundExec(exec, this.#now().wall)),
      chains: [...layers.filter((chain) => !missing.includes(chain)), ...of("chain").flat()],
      rests: of("rest").map(([chain = "", since = ""]) => {
        return { chain, at: this.#now().wall - BigInt(/^since=(\d+)$/.exec(since)?.[1] ?? 0) * BigInt(NS) };
      }),
    };
  }

  #processState([word, code, how]: string[]): engine.ProcessState {
    const at = this.#now().wall;
    const since = BigInt(/^since=(\d+)$/.exec(code ?? "")?.[1] ?? 0) * BigInt(NS);
    if (word === "running") return { tag: "running", val: { pid: 77, at: at - since } };
    if (word === "exited") return { tag: "exited", val: exitOf(code, how, at) };
    return word === "lost" ? { tag: "lost" } : { tag: "unstarted" };
  }

  #step(line: string, indented: string[]): string[] {
    const [said = "", shown = ""] = line.split(" | ");
    const input = inputOf(said, indented, {
      operation: (name) => this.#operation(name),
      unnamed: (text) => this.#names.unnamed(text),
      document: (text) => this.#document(text),
      diffId: (layer) => this.#diffId(layer),
      now: this.#now(),
    });
    if (input.tag === "request") this.#paths.set(input.val.id, shown.split(" ").filter(Boolean));
    return this.#taken(this.#instance.step(this.#now(), input), input.tag === "request");
  }

  #document(text: string): Uint8Array {
    const [, kind, name] = /^(config|manifest):(.*)$/.exec(text) ?? [];
    if (kind === undefined || name === undefined) return encode(this.#names.unnamed(text));
    return kind === "config" ? this.#image(name).config : this.#image(name).manifest;
  }

  #diffId(layer: string): string {
    const digest = digestOf(encode(`tar of ${layer}`));
    this.#names.call(digest, `${layer}.tar`);
    return digest;
  }

  /** Automatic measurements are not part of a story, unless it is about them. */
  #taken({ records, effects, replies }: StepOutputs, asked = false): string[] {
    const isShown = ({ command }: Effect): boolean => this.#showsSizes || asked || command.tag !== "measure";
    for (const change of records) keep(change, this.#records, this.#journal);
    return [
      ...records.flatMap(shownRecord),
      ...effects.filter(isShown).map((effect) => {
        const shown = shownEffect(effect, this.#now().monotonic, (op) => this.#operationName(op));
        return `${effect.to} ${this.#operationName(effect.op)} ${shown}`;
      }),
      ...replies.map(({ request, command }) => {
        return `reply ${request} ${shownReply(command, this.#paths.get(request) ?? [])}`;
      }),
    ].map((line) => `-> ${line}`);
  }

  #operationName(op: bigint): string {
    for (const [known, value] of this.#operations) if (value === op) return known;
    const name = `op${this.#operations.size + 1}`;
    this.#operations.set(name, op);
    return name;
  }

  #operation(name: string): bigint {
    const op = this.#operations.get(name);
    if (op === undefined) throw new Error(`no such operation: ${name}`);
    return op;
  }

  #now(): types.Instant {
    return { wall: EPOCH + this.#elapsed + this.#set, monotonic: STARTED + this.#elapsed - this.#booted };
  }
}

/** The lines that belong to the one at `at`. */
function below(lines: string[], at: number): string[] {
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith(" "));
  return rest.slice(0, end < 0 ? rest.length : end);
}

/** The records after an image was pulled as `NAME:latest`. */
function recordsOf(name: string, image: MadeImage): [string, Uint8Array][] {
  const layers = image.chains.map((chain, at): [string, string] => {
    const parent = at === 0 ? {} : { parent: image.chains[at - 1] };
    return [`layer/${chain}`, JSON.stringify({ ...parent, diffId: image.diffIds[at], size: 1000 })];
  });
  const records: [string, Uint8Array][] = [
    [`image/${image.id}`, encode("{}")],
    [`config/${image.id}`, image.config],
    [`reference/docker.io/library/${name}:latest`, encode(image.id)],
  ];
  return [...records, ...layers.map(([key, text]): [string, Uint8Array] => [key, encode(text)])];
}
