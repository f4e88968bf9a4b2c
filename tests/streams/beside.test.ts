// Logs that an exchange sends between the other parts of a reply: those of commands that run at once.

import { describe, expect, test } from "vitest";
import { Exchange } from "../../hosts/request/exchange.js";
import type { Channel } from "../../hosts/request/exchange.js";
import type { Input, LogBytes, ReplyOrCut, Stdio, replies } from "../../hosts/shared/host.js";
import { ALL, MemoryLog, line } from "./log-of.js";

const FORM = { attributes: "", separated: false, progress: false };
/** The core counts a log as so much (`replies.wit`). */
const WEIGHT = 64 * 1024;

function besideOf(container: string): ReplyOrCut {
  const source: replies.LogSource = {
    ...{ ...ALL, container, follow: true, ended: false },
    objects: { ...FORM, vertex: container },
  };
  return { tag: "beside", val: source };
}

/** A reply whose client reads by hand, and what the core was told. */
class Reply {
  readonly logs = new Map<string, MemoryLog>();
  readonly inputs: Input[] = [];
  readonly opened: string[] = [];
  text = "";
  state: "open" | "ended" | "broken" = "open";
  reads = true;
  #unread: (() => void)[] = [];
  readonly #exchange: Exchange;

  constructor() {
    const log = async (container: string): Promise<LogBytes> => {
      this.opened.push(container);
      const found = this.logs.get(container);
      if (found === undefined) throw new Error(`no log of ${container}`);
      return found;
    };
    const write = (bytes: Uint8Array, sent: (wentOut: boolean) => void): void => {
      if (this.state !== "open") return sent(false);
      this.text += new TextDecoder().decode(bytes);
      if (this.reads) sent(true);
      else this.#unread.push(() => sent(this.state === "open"));
    };
    const end = (): void => {
      this.state = "ended";
      this.#exchange.finished();
    };
    const channel = {
      open: () => {},
      write,
      end,
      destroy: () => (this.state = "broken"),
    } as Partial<Channel> as Channel;
    this.#exchange = new Exchange(1n, channel, {
      deliver: (input) => this.inputs.push(input),
      stdio: { log } as Partial<Stdio> as Stdio,
      attachments: { add: () => {}, remove: () => {} } as never,
      over: () => {},
    });
    this.send({ tag: "open", val: { status: 200, headers: "" } });
  }

  send(...commands: ReplyOrCut[]): void {
    for (const command of commands) this.#exchange.perform(command);
  }

  say(...words: string[]): void {
    for (const word of words) this.send({ tag: "chunk", val: new TextEncoder().encode(`{"${word}":1}\n`) });
  }

  begin(container: string, text = ""): MemoryLog {
    const log = new MemoryLog(text);
    this.logs.set(container, log);
    this.send(besideOf(container));
    return log;
  }

  drain(container: string): void {
    this.send({ tag: "drain", val: container });
  }

  leave(): void {
    this.state = "broken";
    this.#exchange.closed();
    this.readAll();
  }

  readAll(): void {
    for (const read of this.#unread.splice(0)) read();
  }

  /** Each line as the word of a chunk, or as `container:text`. */
  get lines(): string[] {
    return this.text
      .split("\n")
      .slice(0, -1)
      .map((text) => {
        const object = JSON.parse(text) as { logs?: [{ vertex: string; msg: string }] };
        const log = object.logs?.[0];
        return log === undefined ? Object.keys(object)[0]! : `${log.vertex}:${atob(log.msg).trim()}`;
      });
  }

  /** The core is told of few more bytes than those of logs here. */
  get logsDrained(): number {
    const bytes = this.inputs.reduce((sum, input) => sum + (input.tag === "drained" ? input.val.bytes : 0), 0);
    return Math.floor(bytes / WEIGHT);
  }
}

describe("logs that are sent beside the rest", () => {
  test("come between chunks and between each other, each in its order", async () => {
    const reply = new Reply();
    const [a, b] = [reply.begin("a"), reply.begin("b")];
    await turns();
    a.append(line(1, "a1"));
    await turns();
    reply.say("x");
    b.append(line(2, "b1"));
    await turns();
    a.append(line(3, "a2"));
    await turns();
    expect(reply.lines).toEqual(["a:a1", "x", "b:b1", "a:a2"]);
  });

  test("end before what follows; the other one goes on", async () => {
    const reply = new Reply();
    const [a, b] = [reply.begin("a"), reply.begin("b")];
    await turns();
    a.append(line(1, "a1") + line(2, "a2", "stdout", "P"));
    reply.drain("a");
    reply.say("a over");
    b.append(line(3, "b1"));
    await turns();
    expect(reply.lines.filter((one) => !one.startsWith("b"))).toEqual(["a:a1", "a:a2", "a over"]);
    expect(reply.lines).toContain("b:b1");
    b.append(line(4, "b2"));
    await turns();
    expect(reply.lines.at(-1)).toBe("b:b2");
    expect([a.closed, b.closed, reply.logsDrained]).toEqual([1, 0, 1]);
  });

  test("that end together end before what follows, and then the reply does", async () => {
    const reply = new Reply();
    const [a, b] = [reply.begin("a"), reply.begin("b")];
    a.append(line(1, "a1"));
    b.append(line(2, "b1"));
    reply.drain("a");
    reply.say("a over");
    reply.drain("b");
    reply.say("b over");
    reply.send({ tag: "end" });
    await turns();
    expect(reply.lines.indexOf("a:a1")).toBeLessThan(reply.lines.indexOf("a over"));
    expect(reply.lines.indexOf("b:b1")).toBeLessThan(reply.lines.indexOf("b over"));
    expect([reply.state, reply.lines.length, a.closed, b.closed]).toEqual(["ended", 4, 1, 1]);
    expect(reply.logsDrained).toBe(2);
  });

  test("that begin while another one ends are opened at once, and told in their place", async () => {
    const reply = new Reply();
    reply.begin("a", line(1, "a1"));
    reply.drain("a");
    reply.say("a over", "b begun");
    reply.begin("b", line(2, "b1"));
    expect(reply.opened).toEqual(["a", "b"]);
    reply.logs.delete("b");
    reply.drain("b");
    reply.say("b over");
    await turns();
    expect(reply.lines).toEqual(["a:a1", "a over", "b begun", "b:b1", "b over"]);
  });

  test("wait for their client: no more of each is kept than a window", async () => {
    const reply = new Reply();
    reply.reads = false;
    const logs = [reply.begin("a"), reply.begin("b")];
    const text = Array.from({ length: 3000 }, (_, at) => line(at % 60, "x".repeat(100))).join("");
    for (const log of logs) log.append(text);
    await turns();
    expect(reply.text.length).toBeLessThan(128 * 1024);
    reply.drain("a");
    reply.say("a over");
    await turns();
    expect(reply.logsDrained).toBe(0);
    reply.reads = true;
    for (let round = 0; round < 20; round++) {
      reply.readAll();
      await turns();
    }
    expect(reply.lines.filter((one) => one.startsWith("a:"))).toHaveLength(3000);
    expect(reply.lines.findLastIndex((one) => one.startsWith("a:"))).toBeLessThan(reply.lines.indexOf("a over"));
  });

  test.each(["before it is drained", "after it"])("are let go with a client that leaves %s", async (when) => {
    const reply = new Reply();
    reply.reads = false;
    const logs = [reply.begin("a", line(1, "a1")), reply.begin("b")];
    await turns();
    if (when === "after it") reply.drain("a");
    reply.leave();
    reply.say("more");
    await turns();
    expect(logs.map(({ closed, watchers }) => [closed, watchers])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(reply.inputs).toEqual([{ tag: "closed", val: { request: 1n, why: "client" } }]);
  });

  test("break the reply off if one cannot be read", async () => {
    const reply = new Reply();
    const a = reply.begin("a", line(1, "a1"));
    reply.send(besideOf("none"));
    await turns();
    expect([reply.state, a.closed, a.watchers]).toEqual(["broken", 1, 0]);
    expect(reply.inputs).toEqual([{ tag: "closed", val: { request: 1n, why: "failed" } }]);
  });
});

async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}
