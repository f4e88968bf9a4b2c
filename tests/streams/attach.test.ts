// Attached output and stdin.

import { describe, expect, test } from "vitest";
import type { Stdin, replies } from "../../hosts/shared/host.js";
import { Attachment } from "../../hosts/streams/attach.js";
import { Collected, MemoryLog, frames, line } from "./log-of.js";
import { NO_STREAMS } from "../support/no-streams.js";

const RUN: replies.RunStdio = { container: "c", run: 1, history: false, ended: false, live: true };
const LIVE: replies.Hijack = {
  head: { status: 101, headers: "" },
  stdio: { tag: "run", val: RUN },
  stdin: true,
  stdout: true,
  stderr: true,
  framing: "multiplexed",
  keepAfterInput: false,
  detachKeys: new Uint8Array(),
};

class Client extends Collected {
  readonly #sent: (string | null)[] = [];
  #wake = () => {};

  send(text: string | null): void {
    this.#sent.push(text);
    this.#wake();
  }

  async *bytes(): AsyncIterable<Uint8Array> {
    for (;;) {
      while (this.#sent.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const text = this.#sent.shift();
      if (text === null || text === undefined) return;
      yield new TextEncoder().encode(text);
    }
  }
}

class RecordedStdin implements Stdin {
  text = "";

  async write(bytes: Uint8Array): Promise<void> {
    this.text += new TextDecoder().decode(bytes);
  }

  end(): void {
    this.text += "<end>";
  }

  release(): void {
    this.text += "<released>";
  }
}

async function attached(
  hijack: Partial<replies.Hijack>,
  run: Partial<replies.RunStdio> = {},
  log = new MemoryLog(line(1, "before")),
) {
  const client = new Client();
  const stdin = new RecordedStdin();
  const drain = new AbortController();
  const gone = new AbortController();
  const stdio = { log: async () => log, stdin: () => stdin, ...NO_STREAMS };
  const attachment = await Attachment.bind({ ...LIVE, ...hijack }, { ...RUN, ...run }, stdio);
  const ending = attachment.run(client, drain.signal, gone.signal);
  return { client, stdin, drain, gone, log, ending };
}

describe("attached output", () => {
  test("starts when the connection is bound, and is joined into one frame per stream and read", async () => {
    const { client, log, drain, ending } = await attached({});
    log.append(line(2, "a") + line(3, "b", "stdout", "P") + line(4, "oops", "stderr") + line(5, "c"));
    drain.abort();
    expect(await ending).toBe("ended");
    expect(frames(client.text)).toBe("1:a\nb|2:oops\n|1:c\n");
    expect([log.closed, log.watchers]).toEqual([1, 0]);
  });

  test("of a TTY is raw, and a prompt comes at once", async () => {
    const { client, log, drain, ending } = await attached({ framing: "raw" });
    log.append(line(2, "$ ", "stdout", "P"));
    await turns();
    expect(client.text).toBe("$ ");
    drain.abort();
    await ending;
  });

  test("with history starts at the beginning; history alone stops at the end of the log", async () => {
    const both = await attached({ framing: "raw" }, { history: true });
    both.log.append(line(2, "after"));
    both.drain.abort();
    await both.ending;
    expect(both.client.text).toBe("before\nafter\n");

    const past = await attached({ framing: "raw" }, { history: true, live: false });
    past.log.append(line(2, "after"));
    past.drain.abort();
    expect(await past.ending).toBe("ended");
    expect(past.client.text).toBe("before\n");
  });

  test("with history has no unfinished line there; later text comes at once", async () => {
    const log = new MemoryLog(line(1, "before") + line(2, "login: ", "stdout", "P"));
    const { client, drain, ending } = await attached({}, { history: true }, log);
    log.append(line(3, "me") + line(4, "bye", "stdout", "P") + line(5, "", "stdout", "E"));
    drain.abort();
    expect(await ending).toBe("ended");
    expect(frames(client.text)).toBe("1:before\n|1:me\nbye");

    log.append(line(6, "rest", "stdout", "P"));
    for (const [ended, past] of [
      [false, "1:before\n|1:login: me\n|1:bye"],
      [true, "1:before\n|1:login: me\n|1:bye|1:rest"],
    ] as const) {
      const later = await attached({}, { history: true, live: false, ended }, log);
      expect(await later.ending).toBe("ended");
      expect(frames(later.client.text)).toBe(past);
    }
  });

  test("leaves out streams that were not requested", async () => {
    const { client, log, drain, ending } = await attached({ stderr: false, framing: "raw" });
    log.append(line(2, "out") + line(3, "err", "stderr"));
    drain.abort();
    await ending;
    expect(client.text).toBe("out\n");
  });

  test("ends when the client is gone", async () => {
    const { gone, log, ending } = await attached({});
    gone.abort();
    expect(await ending).toBe("client");
    expect([log.closed, log.watchers]).toEqual([1, 0]);
  });
});

describe("attached stdin", () => {
  test("a half-close ends the whole stream and leaves the process's stdin open", async () => {
    const { client, stdin, ending } = await attached({});
    client.send("hello");
    client.send(null);
    expect(await ending).toBe("input-ended");
    expect(stdin.text).toBe("hello<released>");
  });

  test("a half-close ends only the process's stdin if the stream outlives it", async () => {
    const { client, stdin, log, drain, ending } = await attached({ keepAfterInput: true, framing: "raw" });
    client.send("hello");
    client.send(null);
    await turns();
    expect(stdin.text).toBe("hello<end>");
    log.append(line(2, "HELLO"));
    drain.abort();
    expect(await ending).toBe("ended");
    expect(client.text).toBe("HELLO\n");
  });

  test("that was not requested is read and dropped, and its end changes nothing", async () => {
    const { client, stdin, log, drain, ending } = await attached({ stdin: false, framing: "raw" });
    client.send("hello");
    client.send(null);
    await turns();
    log.append(line(2, "out"));
    drain.abort();
    expect(await ending).toBe("ended");
    expect([client.text, stdin.text]).toEqual(["out\n", ""]);
  });

  test("sent before the client left still arrives", async () => {
    const { client, stdin, gone, ending } = await attached({ keepAfterInput: true });
    client.send("hello");
    gone.abort();
    expect(await ending).toBe("client");
    client.send(" world");
    client.send(null);
    await turns();
    expect(stdin.text).toBe("hello world<end><released>");
  });

  test.each([
    [["a\x10\x11b"], "a", "detached"],
    [["a\x10", "\x11"], "a", "detached"],
    [["a\x10", "b"], "a\x10b", "input-ended"],
    [["\x10\x10\x11"], "\x10", "detached"],
    [["a\x10"], "a\x10", "input-ended"],
  ])("%j with detach keys ctrl-p,ctrl-q", async (sent, taken, expected) => {
    const { client, stdin, ending } = await attached({ detachKeys: new Uint8Array([0x10, 0x11]), framing: "raw" });
    for (const text of sent) client.send(text);
    client.send(null);
    expect(await ending).toBe(expected);
    expect(stdin.text).toBe(`${taken}<released>`);
  });
});

async function turns(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
