// Exec: create, start attached and detached, streams, terminals, exit codes, refusals, and leftovers.
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { pause, until } from "../support/commands.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { frames } from "../support/frames.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { encodeRequest, RawConnection, type RawHead, type RawResponse } from "../support/raw-http.js";

const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };
const OUTPUT = { AttachStdout: true, AttachStderr: true } as const;

interface Inspected {
  ID: string;
  Running: boolean;
  ExitCode: number | null;
  Pid: number;
  ProcessConfig: Json;
  DetachKeys: string;
}

onEngines("exec", (engine, kind) => {
  let id = "";

  beforeAll(async () => {
    id = await engine().running(
      { Env: ["GIVEN=1", "KEPT=2"], WorkingDir: "/tmp", Labels: { mine: "yes" } },
      "?name=execs",
    );
  });
  afterAll(() => engine().remove(id));

  test("attached: 101, three headers and the engine's own, frames, then the exit code", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["sh", "-c", "echo out; echo err >&2; exit 3"] });
    const { head, connection } = await start(exec, {}, UPGRADE);
    expect([head.status, head.reason]).toEqual([101, "UPGRADED"]);
    expect(head.headers.slice(0, 3)).toEqual([
      ["Content-Type", "application/vnd.docker.raw-stream"],
      ["Connection", "Upgrade"],
      ["Upgrade", "tcp"],
    ]);
    expect(head.header("api-version")).not.toBeNull();
    expect(head.header("date")).toBeNull();
    expect(frames(await connection.rest())).toEqual({ stdout: "out\n", stderr: "err\n" });
    const ended = await inspect(exec);
    expect([ended.Running, ended.ExitCode]).toEqual([false, 3]);
    expect(ended.Pid).toBeGreaterThan(0);
  });

  test("without Upgrade: 200 and raw bytes until the end", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["echo", "hello"] });
    const { head, connection } = await start(exec, { Detach: false });
    expect(head.status).toBe(200);
    expect(head.headers[0]).toEqual(["Content-Type", "application/vnd.docker.raw-stream"]);
    expect(head.header("content-length")).toBeNull();
    expect(frames(await connection.rest())).toEqual({ stdout: "hello\n", stderr: "" });
  });

  test("its streams can be opened by their names", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["sh", "-c", "echo out > /dev/stdout; echo err > /dev/stderr"] });
    const { connection } = await start(exec, {}, UPGRADE);
    expect(frames(await connection.rest())).toEqual({ stdout: "out\n", stderr: "err\n" });
  });

  test("only the streams asked for", async () => {
    const exec = await create({ AttachStderr: true, Cmd: ["sh", "-c", "echo out; echo err >&2"] });
    const { connection } = await start(exec, {}, UPGRADE);
    expect(frames(await connection.rest())).toEqual({ stdout: "", stderr: "err\n" });
  });

  testExcept(kind, { reference: REFERENCE.after141 })("the content type says how it is framed from 1.42", async () => {
    for (const [Tty, wanted] of [
      [false, "application/vnd.docker.multiplexed-stream"],
      [true, "application/vnd.docker.raw-stream"],
    ] as const) {
      const exec = await create({ ...OUTPUT, Tty, Cmd: ["true"] });
      const { head, connection } = await start(exec, { Tty }, UPGRADE, "1.42");
      expect(head.header("content-type")).toBe(wanted);
      await connection.rest();
    }
  });

  test("frames follow Tty of start, the terminal Tty of create", async () => {
    const raw = await create({ ...OUTPUT, Cmd: ["sh", "-c", "test -t 1 || echo none"] });
    const first = await start(raw, { Tty: true }, UPGRADE);
    expect((await first.connection.rest()).toString()).toBe("none\n");
    const framed = await create({ ...OUTPUT, Tty: true, Cmd: ["sh", "-c", "test -t 1 && echo one"] });
    const second = await start(framed, { Tty: false }, UPGRADE);
    expect(frames(await second.connection.rest()).stdout).toBe("one\r\n");
  });

  test("user, environment, directory: the container's, changed by the given values", async () => {
    const own = await output({ Cmd: ["sh", "-c", "pwd; id -u; echo $GIVEN $KEPT $HOME"] });
    expect(own).toEqual({ stdout: "/tmp\n0\n1 2 /root\n", stderr: "" });
    const changed = await output({
      ...{ Cmd: ["sh", "-c", "pwd; id -u; id -g; echo $GIVEN ${KEPT-none} $NEW"], User: "1000:50" },
      ...{ Env: ["GIVEN=other", "NEW=3", "KEPT"], WorkingDir: "/etc" },
    });
    expect(changed.stdout).toBe("/etc\n1000\n50\nother none 3\n");
  });

  test("stdin reaches it; a half-close ends its stdin and nothing else", async () => {
    const exec = await create({ ...OUTPUT, AttachStdin: true, Cmd: ["sh", "-c", "cat; sleep 0.2; echo after"] });
    const { connection } = await start(exec, {}, UPGRADE);
    connection.send("one\n");
    await connection.untilText("one\n");
    connection.send("two\n");
    connection.end();
    expect(frames(await connection.rest()).stdout).toBe("two\nafter\n");
    expect((await inspect(exec)).ExitCode).toBe(0);
  });

  test("without AttachStdin it has none, and a half-close changes nothing", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["sh", "-c", "cat; sleep 0.2; echo after"] });
    const { connection } = await start(exec, {}, UPGRADE);
    connection.end();
    expect(frames(await connection.rest()).stdout).toBe("after\n");
  });

  test("one megabyte each way arrives whole", async () => {
    const exec = await create({ ...OUTPUT, AttachStdin: true, Cmd: ["cat"] });
    const { connection } = await start(exec, {}, UPGRADE);
    const sent = Buffer.alloc(1 << 20, "0123456789abcdef\n");
    connection.send(sent);
    connection.end();
    expect(frames(await connection.rest()).stdout).toBe(sent.toString());
  });

  test("a terminal: size of start, resize, typing, the end of the input by Ctrl-D", async () => {
    const exec = await create({ ...OUTPUT, AttachStdin: true, Tty: true, Cmd: ["sh"] });
    const early = engine().call("POST", `/exec/${exec}/resize?h=33&w=99`);
    const { connection } = await start(exec, { Tty: true }, UPGRADE);
    const resized = await early;
    expect([kind, resized.status, resized.text]).toEqual([
      kind,
      kind === "reference" ? resized.status : 200,
      resized.text,
    ]);
    await engine().must(200, "POST", `/exec/${exec}/resize?h=44&w=111`);
    connection.send("stty size; tty\n");
    await connection.untilText("44 111\r\n");
    connection.send("exit 5\n");
    await connection.rest();
    expect((await inspect(exec)).ExitCode).toBe(5);
  });

  // crun sets a terminal's size after the program has started.
  const SIZE = ["sh", "-c", "until stty size 2>/dev/null | grep -v '^0 0$'; do sleep 0.05; done"];

  testExcept(kind, { reference: REFERENCE.after141 })("ConsoleSize from 1.42", async () => {
    const exec = await create({ ...OUTPUT, Tty: true, ConsoleSize: [20, 70], Cmd: SIZE }, "1.42");
    const { connection } = await start(exec, { Tty: true }, UPGRADE, "1.42");
    expect((await connection.rest()).toString()).toBe("20 70\r\n");
    const other = await create({ ...OUTPUT, Tty: true, ConsoleSize: [20, 70], Cmd: SIZE }, "1.42");
    const second = await start(other, { Tty: true, ConsoleSize: [21, 71] }, UPGRADE, "1.42");
    expect((await second.connection.rest()).toString()).toBe("21 71\r\n");
  });

  testExcept(kind, { reference: REFERENCE.detached })("detach keys detach from it, and it keeps running", async () => {
    const exec = await create({ ...OUTPUT, AttachStdin: true, Tty: true, DetachKeys: "ctrl-a,x", Cmd: ["sh"] });
    const { connection } = await start(exec, { Tty: true }, UPGRADE);
    connection.send("echo is-there\n");
    await connection.untilText("is-there\r\n");
    connection.send(Uint8Array.of(1, 0x78));
    await connection.rest();
    expect((await inspect(exec)).Running).toBe(true);
    expect(Buffer.from((await inspect(exec)).DetachKeys, "base64")).toEqual(Buffer.from([1, 0x78]));
    await expect.poll(() => actions(exec)).toContain("exec_detach");
  });

  // The reference stops reading its output, so the process blocks.
  testExcept(kind, { reference: REFERENCE.standsStill })(
    "a lost connection ends nothing, and the exec can keep writing",
    async () => {
      const script =
        "i=0; while test $i -lt 3000; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; exit 4";
      const exec = await create({ ...OUTPUT, Cmd: ["sh", "-c", `sleep 0.3; ${script}`] });
      const { connection } = await start(exec, {}, UPGRADE);
      connection.close();
      await until("its end", async () => (await inspect(exec)).ExitCode === 4);
    },
  );

  test("detached: the answer comes once it runs", async () => {
    const exec = await create({ Cmd: ["sh", "-c", "until [ -e /enough ]; do sleep 0.1; done; exit 7"] });
    const answer = await engine().must(200, "POST", `/exec/${exec}/start`, { Detach: true });
    expect(answer.text).toBe("");
    const runs = await inspect(exec);
    expect([runs.Running, runs.ExitCode]).toEqual([true, null]);
    expect((await engine().inspect<{ ExecIDs: string[] | null }>(id)).ExecIDs).toContain(exec);
    await engine().must(200, "POST", `/exec/${await create({ Cmd: ["touch", "/enough"] })}/start`, { Detach: true });
    await until("its end", async () => (await inspect(exec)).ExitCode === 7);
    expect((await engine().inspect<{ ExecIDs: string[] | null }>(id)).ExecIDs ?? []).not.toContain(exec);
  });

  test("inspect, before the start and after it", async () => {
    const exec = await create({ Cmd: ["sleep", "0.2"], Privileged: false, User: "0", Tty: false, AttachStdin: true });
    const before = await engine().read(`/exec/${exec}/json`);
    expect(before).toEqual({
      ...{ ID: exec, Running: false, ExitCode: null, ContainerID: id, DetachKeys: "", CanRemove: false, Pid: 0 },
      ...{ OpenStdin: true, OpenStdout: false, OpenStderr: false },
      ProcessConfig: { tty: false, entrypoint: "sleep", arguments: ["0.2"], privileged: false, user: "0" },
    });
    expect((await engine().inspect<{ ExecIDs: string[] }>(id)).ExecIDs).toContain(exec);
  });

  test("it can be started only once: refused in the stream, or as an answer when detached", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["true"] });
    await (await start(exec, {}, UPGRADE)).connection.rest();
    const ran = engine().expected(
      "exec-texts",
      `exec command ${exec} has already run`,
      `Error: Exec command ${exec} has already run`,
    );
    const again = await start(exec, {}, UPGRADE);
    expect(again.head.status).toBe(101);
    expect(frames(await again.connection.rest()).stdout).toBe(`${ran}\r\n`);
    const detached = await engine().must(409, "POST", `/exec/${exec}/start`, { Detach: true });
    expect(messageOf(detached)).toBe(ran);
    const long = await create({ Cmd: ["sleep", "100"] });
    await engine().must(200, "POST", `/exec/${long}/start`, { Detach: true });
    expect(messageOf(await engine().must(409, "POST", `/exec/${long}/start`, { Detach: true }))).toMatch(
      /is already running$/,
    );
  });

  test("an exec runs even if its container has as many processes as it may have", async () => {
    const Cmd = ["sh", "-c", "sleep 1000 & sleep 1000 & wait"];
    const full = await engine().running({ Cmd, HostConfig: { PidsLimit: 3 } });
    const top = () => engine().read<{ Processes: unknown[] }>(`/containers/${full}/top`);
    await until("its processes", async () => (await top()).Processes.length === 3);
    const created = await engine().must(201, "POST", `/containers/${full}/exec`, { ...OUTPUT, Cmd: ["echo", "more"] });
    const { connection } = await start(created.json<{ Id: string }>().Id, {});
    expect(frames(await connection.rest()).stdout).toBe("more\n");
    await engine().remove(full);
  });

  test("an exec that cannot be started is reported in the stream, and its code is kept", async () => {
    for (const [Cmd, text, code] of [
      [["nope"], /exec: "nope": executable file not found in \$PATH/, 127],
      [["/etc"], /exec: "\/etc": .*(permission denied|is a directory)/, 126],
    ] as const) {
      const exec = await create({ ...OUTPUT, Cmd });
      const { head, connection } = await start(exec, {}, UPGRADE);
      expect(head.status).toBe(101);
      const said = frames(await connection.rest()).stdout;
      expect(said).toMatch(text);
      expect(said).toMatch(
        /^OCI runtime exec failed: exec failed: unable to start container process: .*: unknown\r\n$/,
      );
      expect((await inspect(exec)).ExitCode).toBe(engine().expected("exec-failed-code", code, 126));
    }
    const detached = await create({ Cmd: ["nope"] });
    const answer = await engine().must(400, "POST", `/exec/${detached}/start`, { Detach: true });
    expect(messageOf(answer)).toMatch(/executable file not found in \$PATH: unknown$/);
  });

  test("a missing user", async () => {
    const text = "unable to find user nobody-here: no matching entries in passwd file";
    const exec = await create({ ...OUTPUT, Cmd: ["true"], User: "nobody-here" });
    const { connection } = await start(exec, {}, UPGRADE);
    expect(frames(await connection.rest()).stdout).toBe(`${text}\r\n`);
    expect(await inspect(exec)).toMatchObject({ ExitCode: 126, Running: false });
    const detached = await create({ Cmd: ["true"], User: "nobody-here" });
    const answer = await engine().call("POST", `/exec/${detached}/start`, { Detach: true });
    expect([answer.status, messageOf(answer)]).toEqual([engine().expected("exec-user-status", 400, 500), text]);
    expect((await inspect(detached)).ExitCode).toBe(126);
  });

  test("a missing directory", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["true"], WorkingDir: "/no/such" });
    const { connection } = await start(exec, {}, UPGRADE);
    expect((await connection.rest()).toString()).toMatch(
      /chdir to cwd \("\/no\/such"\) set in config.json failed: no such file/,
    );
  });

  test("refused at create: no command, no such container, not running", async () => {
    expect(messageOf(await refused(400, id, { Cmd: [] }))).toBe("No exec command specified");
    expect(messageOf(await refused(404, "nope", { Cmd: ["true"] }))).toContain("No such container: nope");
    const created = await engine().create();
    expect(messageOf(await refused(409, created, { Cmd: ["true"] }))).toBe(
      engine().expected("state-texts", `container ${created} is not running`, `Container ${created} is not running`),
    );
    await engine().remove(created);
  });

  testExcept(kind, { reference: REFERENCE.execRefusals })(
    "refused at create: invalid detach keys, a body of another type",
    async () => {
      const keys = await refused(400, id, { Cmd: ["true"], DetachKeys: "ctrl-nonsense" });
      expect(messageOf(keys)).toBe("Invalid escape keys (ctrl-nonsense) provided");
      expect(messageOf(await refused(400, id, { Cmd: "true" }))).toMatch(
        /^invalid JSON: json: cannot unmarshal string/,
      );
      // start accepts an empty body.
      const exec = await create({ ...OUTPUT, Cmd: ["echo", "empty"] });
      const connection = await RawConnection.open(engine().socketPath);
      connection.send(encodeRequest({ method: "POST", target: `/v1.41/exec/${exec}/start`, headers: UPGRADE }));
      expect((await connection.head()).status).toBe(101);
      expect(frames(await connection.rest()).stdout).toBe("empty\n");
    },
  );

  test("a missing exec", async () => {
    for (const [method, path] of [
      ["GET", "json"],
      ["POST", "start"],
      ["POST", "resize?h=1&w=1"],
    ] as const) {
      const answer = await engine().call(
        method,
        `/exec/nope/${path}`,
        method === "POST" && path === "start" ? {} : undefined,
      );
      expect([path, answer.status]).toEqual([path, 404]);
      expect(messageOf(answer)).toMatch(/^No such exec instance: nope$/i);
    }
  });

  test("the container's end ends its execs", async () => {
    const other = await engine().running();
    const exec = await create({ ...OUTPUT, Cmd: ["sleep", "1000"] }, undefined, other);
    const waiting = await create({ ...OUTPUT, Cmd: ["true"] }, undefined, other);
    const { connection } = await start(exec, {}, UPGRADE);
    await until("its start", async () => (await inspect(exec)).Pid > 0);
    await engine().must(204, "POST", `/containers/${other}/kill`);
    await connection.rest();
    await until("their end", async () => (await inspect(exec)).ExitCode === 137);
    expect((await engine().call("POST", `/exec/${waiting}/start`, {})).status).toBe(404);
    await engine().remove(other);
    expect((await engine().call("GET", `/exec/${exec}/json`)).status).toBe(404);
  });

  test("an exec started while its container is killed runs, or fails because the container is not running", async ({
    skip,
  }) => {
    if (kind === "reference") return skip(REFERENCE.races);
    for (let round = 0; round < 6; round += 1) {
      const other = await engine().running();
      const exec = await create({ ...OUTPUT, Cmd: ["true"] }, undefined, other);
      const starting = engine().call("POST", `/exec/${exec}/start`, { Detach: true });
      await pause(round * 4);
      await engine().must(204, "POST", `/containers/${other}/kill`);
      const answer = await starting;
      if (answer.status === 409) expect(messageOf(answer)).toBe(`container ${other} is not running`);
      else expect([200, 404]).toContain(answer.status);
      await engine().remove(other);
    }
  });

  test("its output ends two seconds after its end, even if other processes still hold it", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["sh", "-c", "sleep 100 & echo first"] });
    const { connection } = await start(exec, {}, UPGRADE);
    expect(frames(await connection.rest()).stdout).toBe("first\n");
    const { Processes } = await engine().read<{ Processes: string[][] }>(`/containers/${id}/top`);
    expect(Processes.map((columns) => columns.at(-1))).toContain("sleep 100");
    expect((await inspect(exec)).ExitCode).toBe(0);
  });

  test("a client that types more than is read delays no one else", async () => {
    const other = await engine().running();
    const exec = await create(
      { AttachStdin: true, AttachStdout: true, Tty: true, Cmd: ["sleep", "1000"] },
      "1.41",
      other,
    );
    const { connection } = await start(exec, { Tty: true }, UPGRADE);
    connection.send(Buffer.alloc(200_000, "typed\n"));
    // The file has arrived by then: a later, shorter one is in its container.
    await output({ Cmd: ["true"] });
    expect((await engine().must(200, "GET", "/_ping")).text).toBe("OK");
    connection.close();
    await engine().remove(other);
  });

  test("its events", async () => {
    const exec = await create({ ...OUTPUT, Cmd: ["echo", "a", "b"] });
    await (await start(exec, {}, UPGRADE)).connection.rest();
    await expect.poll(() => actions(exec)).toEqual(["exec_create: echo a b", "exec_start: echo a b", "exec_die"]);
    const lone = await create({ ...OUTPUT, Cmd: ["true"] });
    await expect.poll(() => actions(lone)).toEqual(["exec_create: true "]);
  });

  test("twenty at once", async () => {
    const outputs = await Promise.all(Array.from({ length: 20 }, (_, at) => output({ Cmd: ["echo", String(at)] })));
    expect(outputs.map(({ stdout }) => stdout)).toEqual(outputs.map((_, at) => `${at}\n`));
  });

  async function create(config: Json, version = "1.41", container = id): Promise<string> {
    const answer = await engine().must(201, "POST", `/containers/${container}/exec`, config, { version });
    return answer.json<{ Id: string }>().Id;
  }

  async function refused(status: number, container: string, config: Json): Promise<RawResponse> {
    return engine().must(status, "POST", `/containers/${container}/exec`, config);
  }

  async function start(
    exec: string,
    body: Json,
    headers: Record<string, string> = {},
    version = "1.41",
  ): Promise<{ connection: RawConnection; head: RawHead }> {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ method: "POST", target: `/v${version}/exec/${exec}/start`, headers, body }));
    return { connection, head: await connection.head() };
  }

  async function output(config: Json): Promise<{ stdout: string; stderr: string }> {
    const { connection } = await start(await create({ ...OUTPUT, ...config }), {}, UPGRADE);
    return frames(await connection.rest());
  }

  async function inspect(exec: string): Promise<Inspected> {
    return engine().read<Inspected>(`/exec/${exec}/json`);
  }

  async function actions(exec: string): Promise<string[]> {
    const query = `since=1&until=${Date.now() / 1000}&filters=${encodeURIComponent(`{"container":["${id}"]}`)}`;
    const text = (await engine().must(200, "GET", `/events?${query}`)).text;
    const events = text.split("\n").filter((line) => line !== "");
    return events
      .map((line) => JSON.parse(line) as { Action: string; Actor: { Attributes: Record<string, string> } })
      .filter(({ Actor }) => Actor.Attributes["execID"] === exec)
      .map(({ Action }) => Action);
  }
});
