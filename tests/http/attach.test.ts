// Attach: the hijacked connection, with and without Upgrade, stdin, half-close, TTY, detach keys; and resize.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf } from "../support/engine-client.js";
import { frames, splitFrames } from "../support/frames.js";
import { encodeRequest, RawConnection, type RawHead } from "../support/raw-http.js";
import { until } from "../support/commands.js";

const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };

onEngines("attach", (engine, kind) => {
  test("with Upgrade: 101 and exactly three headers", async () => {
    const id = await engine().create({ Cmd: ["echo", "hello"] });
    const { connection, head } = await attach(id, "stream=1&stdout=1&stderr=1", UPGRADE);
    expect([head.status, head.reason]).toEqual([101, "UPGRADED"]);
    expect(head.headers).toEqual([
      ["Content-Type", "application/vnd.docker.raw-stream"],
      ["Connection", "Upgrade"],
      ["Upgrade", "tcp"],
    ]);
    await engine().start(id);
    expect(frames(await connection.rest())).toEqual({ stdout: "hello\n", stderr: "" });
    await engine().remove(id);
  });

  test("without Upgrade: 200 with only the type, then raw bytes until the end", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo out; echo err >&2"] });
    const { connection, head } = await attach(id, "stream=1&stdout=1&stderr=1");
    expect(head.status).toBe(200);
    expect(head.headers).toEqual([["Content-Type", "application/vnd.docker.raw-stream"]]);
    await engine().start(id);
    expect(frames(await connection.rest())).toEqual({ stdout: "out\n", stderr: "err\n" });
    await engine().remove(id);
  });

  test("only the streams asked for", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo out; echo err >&2"] });
    const { connection } = await attach(id, "stream=1&stderr=1", UPGRADE);
    await engine().start(id);
    expect(frames(await connection.rest())).toEqual({ stdout: "", stderr: "err\n" });
    await engine().remove(id);
  });

  test("several clients each get all the output", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "for i in 1 2 3; do echo $i; done"] });
    const clients = await Promise.all([1, 2, 3].map(() => attach(id, "stream=1&stdout=1", UPGRADE)));
    await engine().start(id);
    for (const { connection } of clients) expect(frames(await connection.rest()).stdout).toBe("1\n2\n3\n");
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.earlyBytes })("a half-close right after the request ends stdin", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", "cat; echo after"], ...STDIN });
    const connection = await RawConnection.open(engine().daemon.socketPath);
    const target = `/v1.41/containers/${id}/attach?stream=1&stdin=1&stdout=1`;
    connection.send(Buffer.concat([encodeRequest({ method: "POST", target, headers: UPGRADE }), Buffer.from("one\n")]));
    connection.end();
    expect(await engine().wait(id)).toBe(0);
    expect((await engine().logs(id)).stdout).toBe("one\nafter\n");
    await engine().remove(id);
  });

  test("stdin reaches the process, a half-close ends it, later output still arrives", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "cat; sleep 0.2; echo after"], ...STDIN });
    const { connection } = await attach(id, "stream=1&stdin=1&stdout=1&stderr=1", UPGRADE);
    await engine().start(id);
    connection.send("one\n");
    await connection.untilText("one\n");
    connection.send("two\n");
    connection.end();
    expect(frames(await connection.rest()).stdout).toBe("two\nafter\n");
    expect(await engine().wait(id)).toBe(0);
    await engine().remove(id);
  });

  test("stdin sent before the start is held until then", async () => {
    const id = await engine().create({ Cmd: ["cat"], ...STDIN });
    const { connection } = await attach(id, "stream=1&stdin=1&stdout=1", UPGRADE);
    connection.send("early\n");
    connection.end();
    await engine().caughtUp();
    await engine().start(id);
    expect(frames(await connection.rest()).stdout).toBe("early\n");
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.earlyBytes })(
    "bytes that arrive with the request belong to stdin",
    async () => {
      const id = await engine().create({ Cmd: ["cat"], ...STDIN });
      const connection = await RawConnection.open(engine().socketPath);
      const target = `/v1.41/containers/${id}/attach?stream=1&stdin=1&stdout=1`;
      const request = encodeRequest({ method: "POST", target, headers: UPGRADE });
      connection.send(Buffer.concat([request, Buffer.from("along\n")]));
      expect((await connection.head()).status).toBe(101);
      connection.end();
      await engine().start(id);
      expect(frames(await connection.rest()).stdout).toBe("along\n");
      await engine().remove(id);
    },
  );

  test("a POST with a JSON body and no Upgrade, stdin after it, as dockerode sends it", async () => {
    const id = await engine().create({ Cmd: ["cat"], ...STDIN });
    const connection = await RawConnection.open(engine().socketPath);
    const target = `/v1.41/containers/${id}/attach?stream=true&stdin=true&stdout=true&hijack=true&Image=busybox&Cmd=cat`;
    connection.send(
      encodeRequest({ method: "POST", target, body: { stream: true }, headers: { Connection: "keep-alive" } }),
    );
    expect((await connection.head()).status).toBe(200);
    await engine().start(id);
    connection.send("by dockerode\n");
    connection.end();
    expect(frames(await connection.rest()).stdout).toBe("by dockerode\n");
    await engine().remove(id);
  });

  test("one megabyte each way arrives whole", async () => {
    const id = await engine().create({ Cmd: ["cat"], ...STDIN });
    const { connection } = await attach(id, "stream=1&stdin=1&stdout=1", UPGRADE);
    await engine().start(id);
    const sent = Buffer.alloc(1 << 20, "0123456789abcdef\n");
    connection.send(sent);
    connection.end();
    const got = Buffer.concat(splitFrames(await connection.rest()).map((frame) => frame.payload));
    expect(got.equals(sent)).toBe(true);
    await engine().remove(id);
  });

  test("without StdinOnce a half-close ends the attach, not the container", async () => {
    const id = await engine().create({ Cmd: ["cat"], OpenStdin: true, StdinOnce: false });
    const { connection } = await attach(id, "stream=1&stdin=1&stdout=1", UPGRADE);
    await engine().start(id);
    connection.send("x\n");
    await connection.untilText("x\n");
    connection.end();
    await connection.rest();
    expect((await engine().inspect<{ State: { Running: boolean } }>(id)).State.Running).toBe(true);
    await engine().remove(id);
  });

  test("without stdin=1 a half-close changes nothing", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "sleep 0.3; echo late"] });
    const { connection } = await attach(id, "stream=1&stdout=1", UPGRADE);
    connection.end();
    await engine().start(id);
    expect(frames(await connection.rest()).stdout).toBe("late\n");
    await engine().remove(id);
  });

  test("a client that goes away leaves the container running", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", "while :; do echo tick; sleep 0.05; done"] });
    const { connection } = await attach(id, "stream=1&stdout=1", UPGRADE);
    await connection.untilText("tick");
    connection.close();
    const said = (await engine().logs(id)).stdout.length;
    await until("more ticks", async () => (await engine().logs(id)).stdout.length > said + "tick\n".length * 4);
    expect((await engine().inspect<{ State: { Running: boolean } }>(id)).State.Running).toBe(true);
    await engine().remove(id);
  });

  test("logs=1 replays earlier output; with stream=1 it continues live", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo old; read x; echo new"], ...STDIN });
    const first = await attach(id, "stream=1&stdin=1", UPGRADE);
    await engine().start(id);
    await until("the first line", async () => (await engine().logs(id)).stdout === "old\n");
    const replay = await attach(id, "logs=1&stdout=1", UPGRADE);
    expect(frames(await replay.connection.rest()).stdout).toBe("old\n");
    const live = await attach(id, "logs=1&stream=1&stdout=1", UPGRADE);
    first.connection.send("go\n");
    expect(frames(await live.connection.rest()).stdout).toBe("old\nnew\n");
    await engine().remove(id);
  });

  test("neither logs nor stream: closed right after the handshake", async () => {
    const id = await engine().running();
    const { connection } = await attach(id, "stdout=1", UPGRADE);
    expect((await connection.rest()).length).toBe(0);
    await engine().remove(id);
  });

  test("a TTY is not framed, and knows its size", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "read x; stty size; tty"], Tty: true, ...STDIN });
    const { connection } = await attach(id, "stream=1&stdin=1&stdout=1&stderr=1", UPGRADE);
    await engine().start(id);
    expect((await engine().call("POST", `/containers/${id}/resize?h=31&w=97`)).status).toBe(200);
    connection.send("go\n");
    const output = (await connection.rest()).toString();
    expect(output).toContain("go\r\n31 97\r\n/dev/");
    await engine().remove(id);
  });

  test("detach keys end the attach, emit detach and are not forwarded", async () => {
    for (const [keys, bytes] of [
      ["", "\x10\x11"],
      ["&detachKeys=ctrl-a,b", "\x01b"],
    ] as const) {
      const id = await engine().create({ Cmd: ["cat"], Tty: true, ...STDIN });
      const { connection } = await attach(id, `stream=1&stdin=1&stdout=1${keys}`, UPGRADE);
      await engine().start(id);
      connection.send("x\n");
      await connection.untilText("x\r\nx\r\n");
      connection.send(bytes);
      await connection.rest();
      expect((await engine().inspect<{ State: { Running: boolean } }>(id)).State.Running).toBe(true);
      const filters = encodeURIComponent(JSON.stringify({ container: [id], event: ["detach"] }));
      // The event may come a moment after the end of the stream.
      const told = async (): Promise<string> =>
        (await engine().call("GET", `/events?since=1&until=${nowish()}&filters=${filters}`)).text;
      await expect.poll(told).toContain('"Action":"detach"');
      await engine().remove(id);
    }
  });

  test("a partial match of the detach keys is delivered", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "stty raw -echo; echo raw; head -c 2 | od -An -tx1"],
      Tty: true,
      ...STDIN,
    });
    const { connection } = await attach(id, "stream=1&stdin=1&stdout=1", UPGRADE);
    await engine().start(id);
    await connection.untilText("raw\n");
    connection.send("\x10");
    await engine().caughtUp();
    connection.send("z");
    expect((await connection.rest()).toString()).toContain("10 7a");
    await engine().remove(id);
  });

  test("failures are plain text on a closed connection", async () => {
    const { connection, head } = await attach("nope", "stream=1&stdout=1", UPGRADE);
    expect(head.status).toBe(404);
    expect(head.headers).toEqual([["Content-Type", "application/vnd.docker.raw-stream"]]);
    expect((await connection.rest()).toString()).toContain("No such container: nope");
    const id = await engine().create({ Tty: true });
    const bad = await attach(id, "stream=1&detachKeys=ctrl-nonsense", UPGRADE);
    expect(bad.head.status).toBe(400);
    expect((await bad.connection.rest()).toString()).toContain("nvalid detach keys (ctrl-nonsense) provided");
    await engine().remove(id);
  });

  test("it is refused during the delay before a restart, and earlier attaches end", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "echo out; sleep 0.2; exit 3"],
      HostConfig: { RestartPolicy: { Name: "on-failure", MaximumRetryCount: 20 } },
    });
    const first = await attach(id, "stream=1&stdout=1", UPGRADE);
    await engine().start(id);
    expect((await first.connection.rest()).toString()).toContain("out");
    const isWaiting = async (): Promise<boolean> => {
      const { State, RestartCount } = await engine().inspect<{ State: { Restarting: boolean }; RestartCount: number }>(
        id,
      );
      return State.Restarting && RestartCount >= 4;
    };
    await expect.poll(isWaiting, { interval: 50 }).toBe(true);
    const { connection, head } = await attach(id, "stream=1&stdout=1", UPGRADE);
    expect([head.status, (await connection.rest()).toString()]).toEqual([
      409,
      expect.stringContaining(`container ${id} is restarting, wait until the container is running`) as string,
    ]);
    expect(await engine().logs(id, "stdout=1&follow=1&tail=1")).toEqual({ stdout: "out\n", stderr: "" });
    await engine().remove(id);
  });

  test("resize: not running 409, bad sizes 400, its event", async () => {
    const created = await engine().create({ Tty: true });
    const idle = await engine().call("POST", `/containers/${created}/resize?h=1&w=1`);
    expect(idle.status).toBe(409);
    expect(messageOf(idle)).toMatch(/is not running$/);
    await engine().remove(created);
    const id = await engine().running({ Tty: true });
    for (const query of ["h=x&w=1", "h=1", "w=1", ""]) {
      expect([query, (await engine().call("POST", `/containers/${id}/resize?${query}`)).status]).toEqual([query, 400]);
    }
    const negative = await engine().call("POST", `/containers/${id}/resize?h=-1&w=1`);
    expect(negative.status).toBe(engine().expected("resize-signed", 400, 200));
    expect((await engine().call("POST", "/containers/nope/resize?h=1&w=1")).status).toBe(404);
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("the content type says how it is framed from 1.42", async () => {
    for (const [Tty, wanted] of [
      [false, "application/vnd.docker.multiplexed-stream"],
      [true, "application/vnd.docker.raw-stream"],
    ] as const) {
      const id = await engine().running({ Tty });
      const { connection, head } = await attach(id, "stream=1&stdout=1", UPGRADE, "1.42");
      expect(head.header("content-type")).toBe(wanted);
      connection.close();
      await engine().remove(id);
    }
  });

  async function attach(
    id: string,
    query: string,
    headers: Record<string, string> = {},
    version = "1.41",
  ): Promise<{ connection: RawConnection; head: RawHead }> {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(
      encodeRequest({ method: "POST", target: `/v${version}/containers/${id}/attach?${query}`, headers }),
    );
    return { connection, head: await connection.head() };
  }
});

const STDIN = { OpenStdin: true, StdinOnce: true, AttachStdin: true } as const;

function nowish(): string {
  return (Date.now() / 1000).toFixed(3);
}
