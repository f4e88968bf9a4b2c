// Logs that a client follows while they are written.

import { describe, expect, test } from "vitest";
import type { LogBytes } from "../../hosts/shared/host.js";
import { serveLogs } from "../../hosts/streams/logs.js";
import { ALL, Collected, MemoryLog, frames, line, never } from "./log-of.js";

describe("follow", () => {
  test("continues with new lines until the end is requested, then drains", async () => {
    const log = new MemoryLog(line(1, "old"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true }, log, client, drain.signal, never);
    await turns();
    expect(client.text).toBe("old\n");
    log.append(line(2, "new") + line(3, "half", "stdout", "P"));
    await turns();
    expect(client.text).toBe("old\nnew\n");
    log.append(line(4, " and half"));
    drain.abort();
    await served;
    expect(client.text).toBe("old\nnew\nhalf and half\n");
  });

  test("with tail 0 shows only what is new", async () => {
    const log = new MemoryLog(line(1, "old"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true, tail: 0 }, log, client, drain.signal, never);
    await turns();
    log.append(line(2, "new"));
    drain.abort();
    await served;
    expect(client.text).toBe("new\n");
  });

  test.each([
    [0, ""],
    [1, "two\n"],
  ])("with tail %i has the whole unfinished line, and the end of a run", async (tail, before) => {
    const log = new MemoryLog(line(1, "one", "stderr") + line(2, "two") + line(3, "log", "stdout", "P"));
    const client = new Collected();
    const drain = new AbortController();
    const source = { ...ALL, follow: true, ended: false, tail };
    const served = serveLogs(source, log, client, drain.signal, never);
    await turns();
    expect(client.text).toBe(before);
    log.append(
      line(4, "err", "stderr") + line(5, "in: me") + line(6, "bye", "stdout", "P") + line(7, "", "stdout", "E"),
    );
    await turns();
    expect(client.text).toBe(`${before}err\nlogin: me\nbye`);
    drain.abort();
    await served;
    expect(client.text).toBe(`${before}err\nlogin: me\nbye`);
  });

  test("continues with a whole line when the next part was dropped", async () => {
    const log = new MemoryLog(line(1, "one"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true }, log, client, drain.signal, never);
    await turns();
    log.forget((await log.size()) + line(2, "gone").length);
    log.append(line(2, "gone") + line(3, "three"));
    await turns();
    drain.abort();
    await served;
    expect(client.text).toBe("one\nthree\n");
  });

  test("does not continue with a line whose end was dropped", async () => {
    const log = new MemoryLog(line(1, "one") + line(2, "half", "stdout", "P"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true, framed: true }, log, client, drain.signal, never);
    await turns();
    log.forget((await log.size()) + line(2, " and half").length);
    log.append(line(2, " and half") + line(3, "three"));
    await turns();
    drain.abort();
    await served;
    expect(frames(client.text)).toBe("1:one\n|1:half|1:three\n");
  });

  test("ends when the client is gone", async () => {
    const log = new MemoryLog(line(1, "old"));
    const gone = new AbortController();
    const served = serveLogs({ ...ALL, follow: true }, log, new Collected(), never, gone.signal);
    await turns();
    gone.abort();
    await served;
    expect(log.watchers).toBe(0);
  });

  test("fails where it cannot be read further, after the text that was read", async () => {
    const log = new MemoryLog(line(1, "one"));
    let reads = 0;
    const breaking: LogBytes = {
      size: () => log.size(),
      start: () => log.start(),
      read: async (offset, into) => {
        if (reads++ > 0) throw new Error("input/output error");
        return log.read(offset, into);
      },
      watch: (grown) => log.watch(grown),
      close: () => log.close(),
    };
    for (const framed of [true, false]) {
      const client = new Collected();
      reads = 0;
      const served = serveLogs({ ...ALL, framed }, breaking, client, never, never);
      await expect(served).rejects.toThrow("input/output error");
      expect(framed ? frames(client.text) : client.text).toBe(framed ? "1:one\n" : "one\n");
    }
  });

  test("reads no further than a slow client lets it", async () => {
    const log = new MemoryLog(Array.from({ length: 20_000 }, () => line(1, "z".repeat(80))).join(""));
    let written = 0;
    let release = () => {};
    const slow = {
      write: async (bytes: Uint8Array) => {
        written += bytes.length;
        await new Promise<void>((resolve) => (release = resolve));
        return false;
      },
    };
    const served = serveLogs({ ...ALL }, log, slow, never, never);
    await turns();
    expect(written).toBeLessThan(70_000);
    release();
    await served;
  });
});

async function turns(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
