// Clients that request much output and read none: the engine does not buffer it without limit, other clients do not
// wait, and everything is released when they leave.
import { afterEach, beforeEach, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { atOnce } from "../support/at-once.js";
import { pause, until } from "../support/commands.js";
import { Footprint } from "../support/measured/footprint.js";
import { onOwnEngines } from "../support/on-engines.js";
import { promptly } from "../support/measured/prompt.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

/** Clients of each kind. */
const CLIENTS = 10;
/** MiB of output for each of them. */
const MEBIBYTES = 16;
const LINE = "0123456789012345678901234567890";
const LINES = (MEBIBYTES << 20) / (LINE.length + 1);
/** A fraction of what all clients are sent; includes the usual growth of heaps with this much work. */
const MEBIBYTES_MAX = 80;
/** How long output is sent to clients that do not read before anything is measured. */
const MOMENT_MS = 1000;
const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };
const SMALL_LOG = { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } };

onOwnEngines("clients that never read", (engine, kind) => {
  if (kind === "reference") return test("unread", ({ skip }) => skip(REFERENCE.unread));
  let idle: RawConnection[] = [];

  beforeEach(async () => {
    // Creates things that appear with the first container and stay.
    await engine().run({ Cmd: ["true"] });
  });
  afterEach(() => {
    for (const connection of idle) connection.close();
    idle = [];
  });

  test("logs: the container runs to its end", async () => {
    await unread(async () => {
      const id = await chatty();
      await ask({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1` });
      await go(id);
      expect(await engine().wait(id)).toBe(0);
      return id;
    });
  });

  test("attach: the container runs to its end", async () => {
    await unread(async () => {
      const id = await chatty();
      const target = `/v1.41/containers/${id}/attach?stream=1&stdout=1`;
      await ask({ method: "POST", target, headers: UPGRADE });
      await go(id);
      expect(await engine().wait(id)).toBe(0);
      return id;
    });
  });

  test("exec: its process waits for them, and continues when they are gone", async () => {
    await unread(
      async () => {
        const id = await engine().running();
        const Cmd = ["sh", "-c", `yes ${LINE} | head -n ${LINES}; touch /done`];
        for (let at = 0; at < CLIENTS; at += 1) {
          const exec = await engine().must(201, "POST", `/containers/${id}/exec`, { Cmd, AttachStdout: true });
          const target = `/v1.41/exec/${exec.json<{ Id: string }>().Id}/start`;
          await ask({ method: "POST", target, headers: UPGRADE, body: {} }, 1);
        }
        await pause(MOMENT_MS);
        expect((await engine().call("HEAD", `/containers/${id}/archive?path=/done`)).status).toBe(404);
        return id;
      },
      async (id) => {
        await until("the execs' end", async () => (await execsOf(id)) === null);
        expect((await engine().call("HEAD", `/containers/${id}/archive?path=/done`)).status).toBe(200);
      },
    );
  });

  test("events", async () => {
    await unread(async () => {
      const id = await engine().running({ Labels: { long: "x".repeat(60_000) }, Tty: true });
      await ask({ target: "/v1.41/events" });
      const events = Math.ceil((MEBIBYTES << 20) / 60_000);
      await atOnce(events, 4, () => engine().must(200, "POST", `/containers/${id}/resize?h=20&w=80`));
      return id;
    });
  });

  test("lists, requested again and again on one connection", async () => {
    await unread(async () => {
      const id = await engine().running({ Labels: { long: "x".repeat(60_000) } });
      const requests = Math.ceil((MEBIBYTES << 20) / 60_000);
      const bytes = encodeRequest({ target: "/v1.41/containers/json" });
      await ask(Buffer.concat(Array.from({ length: requests }, () => bytes)));
      return id;
    });
  });

  test("archives and exports", async () => {
    await unread(async () => {
      const id = await engine().create({ Cmd: ["sh", "-c", `yes ${LINE} | head -n ${LINES} > /large`] });
      await engine().start(id);
      expect(await engine().wait(id)).toBe(0);
      await ask({ target: `/v1.41/containers/${id}/archive?path=/large` }, CLIENTS / 2);
      await ask({ target: `/v1.41/containers/${id}/export` }, CLIENTS / 2);
      return id;
    });
  });

  test("stats", async () => {
    await unread(async () => {
      const id = await engine().running();
      await ask({ target: `/v1.41/containers/${id}/stats` }, 5 * CLIENTS);
      return id;
    });
  });

  /** `act` sends their requests; `after` checks the container when they are gone. */
  async function unread(
    act: () => Promise<string>,
    after: (id: string) => Promise<void> = async () => {},
  ): Promise<void> {
    const name = expect.getState().currentTestName ?? "";
    const footprint = await Footprint.of(engine().daemon);
    const id = await footprint.during(() =>
      promptly(engine(), name, async () => {
        const made = await act();
        await pause(MOMENT_MS);
        return made;
      }),
    );
    console.log(`${name}: ${footprint.most.toFixed(0)} MiB`);
    expect(footprint.most).toBeLessThan(MEBIBYTES_MAX);
    for (const connection of idle) connection.close();
    await after(id);
    await engine().remove(id);
    await footprint.expectFilesClosed();
  }

  async function ask(request: Buffer | Parameters<typeof encodeRequest>[0], clients = CLIENTS): Promise<void> {
    const bytes = Buffer.isBuffer(request) ? request : encodeRequest(request);
    for (let at = 0; at < clients; at += 1) {
      const connection = await RawConnection.open(engine().socketPath);
      idle.push(connection);
      connection.pause();
      connection.send(bytes);
    }
  }

  /** Writes when told to; its log is small, so that memory held for clients is visible. */
  function chatty(): Promise<string> {
    const Cmd = ["sh", "-c", `read go; yes ${LINE} | head -n ${LINES}`];
    return engine().running({ Cmd, OpenStdin: true, HostConfig: { LogConfig: SMALL_LOG } });
  }

  async function go(id: string): Promise<void> {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/attach?stream=1&stdin=1` }));
    await connection.head();
    connection.send("go\n");
    connection.end();
    await connection.rest();
    connection.close();
  }

  async function execsOf(id: string): Promise<unknown> {
    return (await engine().inspect<{ ExecIDs: unknown }>(id)).ExecIDs;
  }
});
