// Attach over a websocket: text or binary messages by version, streams by the query, stdin, and refusals.
import { expect, test } from "vitest";
import WebSocket from "ws";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { until } from "../support/commands.js";
import { goOn, WAITS } from "../support/gate.js";

const HANDSHAKE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

onEngines("attach over a websocket", (engine, kind) => {
  test("output is unframed, both streams", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", `echo out; ${WAITS}; echo err >&2`] });
    const client = await attach(id, "stream=1");
    await engine().start(id);
    await until("what it says first", () => client.text === "out\n");
    await goOn(engine(), id);
    await client.closed;
    expect(client.text).toBe("out\nerr\n");
    await engine().remove(id);
  });

  test("messages are text before 1.28, bytes from then on", async () => {
    for (const [version, binary] of [
      ["1.27", false],
      ["1.28", true],
    ] as const) {
      const id = await engine().create({ Cmd: ["echo", "hello"] });
      const client = await attach(id, "stream=1", version);
      await engine().start(id);
      await client.closed;
      expect([version, client.kinds, client.text]).toEqual([version, [binary], "hello\n"]);
      await engine().remove(id);
    }
  });

  testExcept(kind, { reference: REFERENCE.after141 })("from 1.42 on the query chooses the streams", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo out; echo err >&2"] });
    const chosen = await attach(id, "stream=1&stderr=1", "1.42");
    const all = await attach(id, "stream=1&stderr=1", "1.41");
    await engine().start(id);
    await Promise.all([chosen.closed, all.closed]);
    expect(chosen.text).toBe("err\n");
    expect(all.text.split("\n").sort()).toEqual(["", "err", "out"]);
    await engine().remove(id);
  });

  test("client messages are stdin, and a close ends it", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "head -n 2 > /tmp/x; echo got; cat > /tmp/rest; cat /tmp/x"],
      ...{ OpenStdin: true, StdinOnce: true },
    });
    const client = await attach(id, "stream=1&stdin=1&stdout=1");
    client.socket.send("one\n");
    client.socket.send(Buffer.from("two\n"));
    await engine().start(id);
    await until("both lines to come", async () => (await engine().logs(id)).stdout === "got\n");
    client.socket.close();
    expect(await engine().wait(id)).toBe(0);
    expect((await engine().logs(id)).stdout).toBe("got\none\ntwo\n");
    await engine().remove(id);
  });

  test("large input and output in many messages", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "head -c 1000000"],
      OpenStdin: true,
      StdinOnce: true,
    } as Json);
    const client = await attach(id, "stream=1&stdin=1&stdout=1");
    await engine().start(id);
    const block = "0123456789abcde\n".repeat(2500);
    for (let sent = 0; sent < 25; sent++) client.socket.send(block);
    await client.closed;
    expect(client.text.length).toBe(1_000_000);
    expect(client.text).toBe(block.repeat(25));
    await engine().remove(id);
  });

  test("a terminal's client detaches by its keys, and the container keeps running", async () => {
    const id = await engine().create({ Cmd: ["cat"], Tty: true, OpenStdin: true });
    const client = await attach(id, "stream=1&stdin=1&stdout=1&detachKeys=ctrl-x");
    await engine().start(id);
    client.socket.send("hi\n");
    await expect.poll(() => client.text).toContain("hi\r\nhi\r\n");
    client.socket.send(Buffer.of(0x18));
    await client.closed;
    expect((await engine().inspect<{ State: { Running: boolean } }>(id)).State.Running).toBe(true);
    await engine().remove(id);
  });

  test("logs replays earlier output", async () => {
    const { id } = await ended({ Cmd: ["echo", "before"] });
    const client = await attach(id, "logs=1");
    await client.closed;
    expect(client.text).toBe("before\n");
    await engine().remove(id);
  });

  test("refusals are JSON", async () => {
    const missing = await engine().call("GET", "/containers/nope/attach/ws?stream=1", undefined, {
      headers: HANDSHAKE,
    });
    expect([missing.status, messageOf(missing)]).toEqual([404, "No such container: nope"]);
    const id = await engine().create({ Tty: true });
    const keys = await engine().call("GET", `/containers/${id}/attach/ws?detachKeys=ctrl-nonsense`, undefined, {
      headers: HANDSHAKE,
    });
    expect(keys.status).toBe(400);
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.handshakes })("an invalid handshake is refused", async () => {
    const id = await engine().create();
    for (const [headers, text, spoken] of [
      [{}, "not websocket protocol", null],
      [{ ...HANDSHAKE, "Sec-WebSocket-Version": "8" }, "missing or bad WebSocket Version", "13"],
      [{ ...HANDSHAKE, "Sec-WebSocket-Key": "short" }, "mismatch challenge/response", null],
    ] as const) {
      const answer = await engine().call("GET", `/containers/${id}/attach/ws?stream=1`, undefined, { headers });
      expect([answer.status, messageOf(answer)]).toEqual([400, text]);
      expect(answer.header("sec-websocket-version")).toBe(spoken);
    }
    await engine().remove(id);
  });

  test("a protocol that the client offers is accepted", async () => {
    const id = await engine().create();
    const client = await attach(id, "stream=0", "1.41", ["mine"]);
    await client.closed;
    expect(client.socket.protocol).toBe("mine");
    await engine().remove(id);
  });

  async function attach(id: string, query: string, version = "1.41", protocols: string[] = []): Promise<Client> {
    const target = `/v${version}/containers/${id}/attach/ws?${query}`;
    const client = new Client(new WebSocket(`ws+unix://${engine().socketPath}:${target}`, protocols));
    await client.open;
    return client;
  }

  async function ended(config: Json): Promise<{ id: string }> {
    const id = await engine().create(config);
    await engine().start(id);
    await engine().wait(id);
    return { id };
  }
});

class Client {
  readonly open: Promise<void>;
  readonly closed: Promise<void>;
  text = "";
  /** For each message, whether it was binary. */
  readonly kinds: boolean[] = [];

  constructor(readonly socket: WebSocket) {
    this.open = new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("message", (message, binary) => {
      this.text += (message as Buffer).toString();
      this.kinds.push(binary);
    });
  }
}
