// Logs: framing, follow, tail, since, until, timestamps.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf } from "../support/engine-client.js";
import { frames, splitFrames } from "../support/frames.js";
import { saidInTurn } from "../support/gate.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";
import { until } from "../support/commands.js";

onEngines("logs", (engine, kind) => {
  test("each stream in its own frames, chosen by the query", async () => {
    const id = await saidInTurn(engine(), ["echo one", "echo two >&2", "echo three"]);
    expect(await engine().logs(id)).toEqual({ stdout: "one\nthree\n", stderr: "two\n" });
    expect(await engine().logs(id, "stdout=1")).toEqual({ stdout: "one\nthree\n", stderr: "" });
    expect(await engine().logs(id, "stderr=1")).toEqual({ stdout: "", stderr: "two\n" });
    const { body } = await engine().call("GET", `/containers/${id}/logs?stdout=1&stderr=1`);
    expect(splitFrames(body).map((frame) => [frame.stream, frame.payload.toString()])).toEqual([
      [1, "one\n"],
      [2, "two\n"],
      [1, "three\n"],
    ]);
    await engine().remove(id);
  });

  test("no stream asked for is refused", async () => {
    const id = await engine().create();
    for (const query of ["", "?stdout=0", "?follow=1"]) {
      const answer = await engine().call("GET", `/containers/${id}/logs${query}`);
      expect(answer.status).toBe(400);
      expect(messageOf(answer)).toBe(
        engine().expected(
          "logs-stream-text",
          "must specify at least one of 'stdout' or 'stderr'",
          "Bad parameters: you must choose at least one stream",
        ),
      );
    }
    expect((await engine().call("GET", "/containers/nope/logs?stdout=1")).status).toBe(404);
    await engine().remove(id);
  });

  test("a container that never ran has an empty log, followed or not", async () => {
    const id = await engine().create();
    expect(await engine().logs(id)).toEqual({ stdout: "", stderr: "" });
    expect(await engine().logs(id, "stdout=1&follow=1")).toEqual({ stdout: "", stderr: "" });
    await engine().remove(id);
  });

  test("tail", async () => {
    const id = await ended(["sh", "-c", "for i in 1 2 3 4 5; do echo $i; done"]);
    const cases = {
      "0": "",
      "1": "5\n",
      "2": "4\n5\n",
      "99": "1\n2\n3\n4\n5\n",
      all: "1\n2\n3\n4\n5\n",
      "": "1\n2\n3\n4\n5\n",
      junk: "1\n2\n3\n4\n5\n",
    };
    for (const [tail, wanted] of Object.entries(cases)) {
      expect([tail, (await engine().logs(id, `stdout=1&tail=${tail}`)).stdout]).toEqual([tail, wanted]);
    }
    await engine().remove(id);
  });

  test("timestamps have nine digits and rise", async () => {
    const id = await ended(["sh", "-c", "echo a; sleep 0.05; echo b"]);
    const { stdout } = await engine().logs(id, "stdout=1&timestamps=1");
    const lines = stdout.trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z [ab]$/);
    expect((lines[0] ?? "") < (lines[1] ?? "")).toBe(true);
    await engine().remove(id);
  });

  test("since and until, inclusive, before tail", async () => {
    const id = await ended(["sh", "-c", "for i in 1 2 3 4; do echo $i; sleep 0.2; done"]);
    const stamped = (await engine().logs(id, "stdout=1&timestamps=1")).stdout.trimEnd().split("\n");
    const at = (index: number): string => unixTime((stamped[index] ?? "").split(" ")[0] ?? "");
    expect((await engine().logs(id, `stdout=1&since=${at(2)}`)).stdout).toBe("3\n4\n");
    expect((await engine().logs(id, `stdout=1&until=${at(1)}`)).stdout).toBe("1\n2\n");
    expect((await engine().logs(id, `stdout=1&since=${at(1)}&until=${at(2)}`)).stdout).toBe("2\n3\n");
    expect((await engine().logs(id, "stdout=1&until=0")).stdout).toBe("1\n2\n3\n4\n");
    expect((await engine().logs(id, `stdout=1&since=${Math.floor(Date.now() / 1000) + 100}`)).stdout).toBe("");
    const bad = await engine().call("GET", `/containers/${id}/logs?stdout=1&since=yesterday`);
    expect(bad.status).toBe(engine().expected("logs-since", 400, 500));
    await engine().remove(id);
  });

  test("follow: headers at once, lines as they are written, the end with the container", async () => {
    const id = await engine().running({
      Cmd: ["sh", "-c", "for i in 1 2; do read line; echo $line; done"],
      OpenStdin: true,
    });
    const type = await typing(id);
    const follower = await followed(id);
    // The headers have arrived without waiting for a line, because nothing is written until something is typed.
    type("first\n");
    expect(await follower.next()).toBe("first\n");
    type("last\n");
    expect([await follower.next(), await follower.next()]).toEqual(["last\n", null]);
    await engine().remove(id);
  });

  test("follow with tail=0 shows new lines only", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", "echo old; read line; echo $line"], OpenStdin: true });
    const type = await typing(id);
    await until("the old line", async () => (await engine().logs(id)).stdout === "old\n");
    const follower = await followed(id, "&tail=0");
    type("new\n");
    expect([await follower.next(), await follower.next()]).toEqual(["new\n", null]);
    await engine().remove(id);
  });

  test("a TTY's log is not framed and all of it is stdout", async () => {
    const id = await ended(["sh", "-c", "echo out; echo err >&2"], { Tty: true });
    expect((await engine().call("GET", `/containers/${id}/logs?stdout=1`)).text).toBe("out\r\nerr\r\n");
    expect((await engine().call("GET", `/containers/${id}/logs?stderr=1`)).text).toBe("");
    await engine().remove(id);
  });

  test("a line of 40,000 bytes comes in parts of 16 KiB with one time", async () => {
    const id = await ended(["sh", "-c", "head -c 40000 /dev/zero | tr '\\0' x; echo"]);
    const { body } = await engine().call("GET", `/containers/${id}/logs?stdout=1`);
    expect(splitFrames(body).map((frame) => frame.payload.length)).toEqual([16384, 16384, 7233]);
    const stamped = splitFrames((await engine().call("GET", `/containers/${id}/logs?stdout=1&timestamps=1`)).body);
    const stamps = stamped.map((frame) => frame.payload.toString().split(" ")[0]);
    expect(new Set(stamps).size).toBe(1);
    await engine().remove(id);
  });

  test("output without a newline and bytes that are not text come through", async () => {
    const id = await ended(["sh", "-c", "printf 'no newline'; printf '\\303\\050' >&2"]);
    const found = splitFrames((await engine().call("GET", `/containers/${id}/logs?stdout=1&stderr=1`)).body);
    expect(found.find((frame) => frame.stream === 1)?.payload.toString()).toBe("no newline");
    await engine().remove(id);
  });

  test("text without a newline is sent when the newline arrives or the run ends", async () => {
    const Cmd = ["sh", "-c", "echo first; printf 'login: '; read x; echo you $x; printf bye; read x"];
    const id = await engine().create({ Cmd, OpenStdin: true });
    const attached = await attach(id, "stream=1&stdout=1");
    await engine().start(id);
    await attached.untilText("login: ");
    const type = await typing(id);
    for (const query of ["", "&tail=1", "&tail=9", "&until=9000000000"])
      expect([query, await payloads(id, `stdout=1&stderr=1${query}`)]).toEqual([query, ["first\n"]]);
    expect(frames(await (await attach(id, "logs=1&stdout=1")).rest()).stdout).toBe("first\n");

    type("bob\n");
    await attached.untilText("bye");
    await until("the line", async () => (await payloads(id, "stdout=1")).length > 1);
    expect(await payloads(id, "stdout=1")).toEqual(["first\n", "login: you bob\n"]);
    expect(await payloads(id, "stdout=1&tail=1")).toEqual(["login: you bob\n"]);
    type("\n");
    await engine().wait(id);
    await until("the last words", async () => (await payloads(id, "stdout=1&tail=1")).join() === "bye");
    expect(await payloads(id, "stdout=1")).toEqual(["first\n", "login: you bob\n", "bye"]);
    expect(frames(await (await attach(id, "logs=1&stdout=1")).rest()).stdout).toBe("first\nlogin: you bob\nbye");
    await engine().remove(id);
  });

  test("unterminated text has the time at which its stream ended", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "printf last; read x; echo mark >&2; read x"],
      OpenStdin: true,
    });
    const attached = await attach(id, "stream=1&stdout=1");
    await engine().start(id);
    await attached.untilText("last");
    const type = await typing(id);
    type("\n");
    await until("the mark", async () => (await payloads(id, "stderr=1")).join() === "mark\n");
    type("\n");
    await engine().wait(id);
    await until("the last words", async () => (await payloads(id, "stdout=1")).join() === "last");
    const told = await payloads(id, "stdout=1&stderr=1&timestamps=1");
    expect(told.map((text) => text.split("Z ")[1])).toEqual(["mark\n", "last"]);
    // Not before the mark; possibly at the same time, because the kernel's coarse clock advances in ticks.
    const [marked = "", ended = ""] = told.map((text) => text.split(" ")[0]);
    expect(marked <= ended, `${marked} ${ended}`).toBe(true);
    await engine().remove(id);
  });

  test("with a TTY too, a prompt is sent when its newline arrives or the run ends", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "echo first; printf '$ '; read x"],
      OpenStdin: true,
      Tty: true,
    });
    const attached = await attach(id, "stream=1&stdout=1");
    await engine().start(id);
    await attached.untilText("$ ");
    const raw = async (): Promise<string> => (await engine().call("GET", `/containers/${id}/logs?stdout=1`)).text;
    expect(await raw()).toBe("first\r\n");
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().wait(id);
    await until("the prompt", async () => (await raw()) === "first\r\n$ ");
    await engine().remove(id);
  });

  test("unterminated text at the end of a run is a separate record, even if the next run starts without a newline", async () => {
    const id = await ended(["sh", "-c", "printf one"]);
    await until("the first", async () => (await payloads(id, "stdout=1")).length === 1);
    await engine().start(id);
    await engine().wait(id);
    await until("the second", async () => (await payloads(id, "stdout=1")).length === 2);
    expect(await payloads(id, "stdout=1")).toEqual(["one", "one"]);
    expect(await payloads(id, "stdout=1&tail=1")).toEqual(["one"]);
    const stamps = (await payloads(id, "stdout=1&timestamps=1")).map((text) => text.split(" ")[0] ?? "");
    expect((stamps[0] ?? "") < (stamps[1] ?? "")).toBe(true);
    await engine().remove(id);
  });

  test("tail counts each 16 KiB of a long line", async () => {
    const id = await ended(["sh", "-c", "echo first; head -c 40000 /dev/zero | tr '\\0' x; echo; echo last"]);
    const sizes = async (tail: number): Promise<number[]> =>
      (await payloads(id, `stdout=1&tail=${tail}`)).map((text) => text.length);
    expect(await sizes(1)).toEqual([5]);
    expect(await sizes(2)).toEqual([7233, 5]);
    expect(await sizes(3)).toEqual([16384, 7233, 5]);
    expect(await sizes(4)).toEqual([16384, 16384, 7233, 5]);
    expect(await sizes(5)).toEqual([6, 16384, 16384, 7233, 5]);
    await engine().remove(id);
  });

  test("two runs share one log", async () => {
    const id = await ended(["echo", "again"]);
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().logs(id)).stdout).toBe("again\nagain\n");
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("the content type shows the framing from 1.42", async () => {
    const framed = await ended(["echo", "x"]);
    const raw = await ended(["echo", "x"], { Tty: true });
    const typeOf = async (id: string, version: string): Promise<string | null> =>
      (await engine().call("GET", `/containers/${id}/logs?stdout=1`, undefined, { version })).header("content-type");
    expect(await typeOf(framed, "1.42")).toBe("application/vnd.docker.multiplexed-stream");
    expect(await typeOf(framed, "1.41")).toBe("application/vnd.docker.raw-stream");
    expect(await typeOf(raw, "1.55")).toBe("application/vnd.docker.raw-stream");
    for (const id of [framed, raw]) await engine().remove(id);
  });

  /** Writes to the container's stdin. */
  async function typing(id: string): Promise<(text: string) => void> {
    const connection = await attach(id, "stream=1&stdin=1");
    return (text) => connection.send(text);
  }

  async function attach(id: string, query: string): Promise<RawConnection> {
    const connection = await RawConnection.open(engine().socketPath);
    const target = `/v1.41/containers/${id}/attach?${query}`;
    connection.send(encodeRequest({ method: "POST", target, headers: { Connection: "Upgrade", Upgrade: "tcp" } }));
    expect((await connection.head()).status).toBe(101);
    return connection;
  }

  /** The payload of each frame. */
  async function payloads(id: string, query: string): Promise<string[]> {
    const { body } = await engine().must(200, "GET", `/containers/${id}/logs?${query}`);
    return splitFrames(body).map(({ payload }) => payload.toString());
  }

  /** A client that follows stdout and has received the headers: `next` returns the next text, or null at the end. */
  async function followed(id: string, query = ""): Promise<{ next(): Promise<string | null> }> {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1${query}` }));
    expect((await connection.head()).status).toBe(200);
    const chunks = connection.chunks();
    return {
      async next() {
        const { value, done } = await chunks.next();
        if (!done) return frames(value).stdout;
        connection.close();
        return null;
      },
    };
  }

  async function ended(Cmd: string[], more: Record<string, unknown> = {}): Promise<string> {
    const id = await engine().create({ Cmd, ...more });
    await engine().start(id);
    await engine().wait(id);
    return id;
  }
});

/** Seconds and nanoseconds of an RFC 3339 time with nine digits. */
function unixTime(stamp: string): string {
  const [seconds = "", fraction = ""] = stamp.replace("Z", "").split(".");
  return `${Date.parse(`${seconds}Z`) / 1000}.${fraction}`;
}
