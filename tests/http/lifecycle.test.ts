// A container's life: create, start, wait, stop, kill, remove.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { goOn, WAITS } from "../support/gate.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf } from "../support/engine-client.js";
import { past, stamp } from "../support/past-events.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

onEngines("life cycle", (engine, kind) => {
  test("a command runs to its end, and its exit code and output are kept", async () => {
    const ended = await engine().run({ Cmd: ["sh", "-c", "echo out; echo err >&2; exit 3"] });
    expect(ended).toMatchObject({ code: 3, stdout: "out\n", stderr: "err\n" });
  });

  test("states follow one another", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"] });
    expect(await state(id)).toMatchObject({ Status: "created", Running: false, Pid: 0, ExitCode: 0 });
    await engine().start(id);
    const running = await state(id);
    expect(running).toMatchObject({ Status: "running", Running: true, Paused: false, Dead: false, Error: "" });
    expect(running.Pid).toBeGreaterThan(0);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    expect(await state(id)).toMatchObject({ Status: "exited", Running: false, Pid: 0, ExitCode: 137 });
    expect(Date.parse((await state(id)).FinishedAt)).toBeGreaterThanOrEqual(Date.parse(running.StartedAt) - 1000);
    await engine().start(id);
    expect((await state(id)).Status).toBe("running");
    await engine().remove(id);
    expect((await engine().call("GET", `/containers/${id}/json`)).status).toBe(404);
  });

  test("start: 304 when running, 404 for none, empty JSON bodies pass, real ones do not", async () => {
    const id = await engine().running();
    expect((await engine().call("POST", `/containers/${id}/start`)).status).toBe(304);
    expect(messageOf(await engine().call("POST", "/containers/nope/start"))).toBe("No such container: nope");
    expect((await engine().call("POST", `/containers/${id}/start`, {})).status).toBe(304);
    const refused = await engine().call("POST", `/containers/${id}/start`, { Binds: [] });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toBe(
      "starting container with non-empty request body was deprecated since API v1.22 and removed in v1.24",
    );
    await engine().remove(id);
  });

  test("a command that does not exist is 400 and code 127, one that cannot be executed 126", async () => {
    const cases = [
      [["nothing-here"], 127, 'exec: "nothing-here": executable file not found in $PATH'],
      [["/nothing/here"], 127, "no such file or directory"],
      [["/etc/passwd"], 126, "permission denied"],
      [["/tmp"], 126, "permission denied"],
      [["/etc/passwd/x"], 127, "not a directory: unknown: Are you trying to mount a directory onto a file"],
    ] as const;
    for (const [Cmd, code, text] of cases) {
      const id = await engine().create({ Cmd });
      const answer = await engine().call("POST", `/containers/${id}/start`);
      expect([Cmd, answer.status]).toEqual([Cmd, 400]);
      expect(messageOf(answer)).toContain(text);
      const after = await state(id);
      expect([after.Status, after.ExitCode, after.Error === ""]).toEqual(["created", code, false]);
      await engine().remove(id);
    }
  });

  test("an unknown user is refused at start", async () => {
    const id = await engine().create({ Cmd: ["true"], User: "nosuchuser" });
    const answer = await engine().call("POST", `/containers/${id}/start`);
    expect([answer.status, messageOf(answer)]).toEqual([
      500,
      "unable to find user nosuchuser: no matching entries in passwd file",
    ]);
    expect((await state(id)).ExitCode).toBe(128);
    await engine().remove(id);
  });

  test("stop sends the signal, waits, then kills", async () => {
    const trap = (signal: string) => ["sh", "-c", `trap 'exit 7' ${signal}; echo ready; while :; do sleep 0.05; done`];
    const polite = await readyContainer({ Cmd: trap("TERM") });
    expect((await engine().call("POST", `/containers/${polite}/stop?t=10`)).status).toBe(204);
    expect((await state(polite)).ExitCode).toBe(7);
    expect((await engine().call("POST", `/containers/${polite}/stop`)).status).toBe(304);

    const own = await readyContainer({ Cmd: trap("USR1"), StopSignal: "SIGUSR1" });
    expect((await engine().call("POST", `/containers/${own}/stop?t=10`)).status).toBe(204);
    expect((await state(own)).ExitCode).toBe(7);

    const stubborn = await readyContainer({
      Cmd: ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"],
    });
    // The API guarantees this second, by the engine's clock: the simulated one makes up for a busy machine. Any longer
    // delay depends on the machine.
    const since = await stamp(engine());
    expect((await engine().call("POST", `/containers/${stubborn}/stop?t=1`)).status).toBe(204);
    const [first, second] = await past(engine(), since, { container: [stubborn], event: ["kill"] });
    expect(second!.timeNano - first!.timeNano).toBeGreaterThan(900_000_000);
    expect((await state(stubborn)).ExitCode).toBe(137);
    for (const id of [polite, own, stubborn]) await engine().remove(id);
  });

  test("stop: the container's StopTimeout, no such container, never started, bad t", async () => {
    const deaf = { Cmd: ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"] };
    const [usual, id] = [await readyContainer(deaf), await readyContainer({ ...deaf, StopTimeout: 1 })];
    const later = engine().call("POST", `/containers/${usual}/stop`);
    expect((await engine().call("POST", `/containers/${id}/stop`)).status).toBe(204);
    // An earlier stop still has its ten seconds.
    expect((await state(usual)).Running).toBe(true);
    await engine().must(204, "POST", `/containers/${usual}/kill`);
    expect((await later).status).toBe(204);
    expect((await engine().call("POST", "/containers/nope/stop")).status).toBe(404);
    const created = await engine().create();
    expect((await engine().call("POST", `/containers/${created}/stop`)).status).toBe(304);
    const bad = await engine().call("POST", `/containers/${created}/stop?t=x`);
    expect(bad.status).toBe(engine().expected("bad-number", 400, 500));
    for (const one of [usual, id, created]) await engine().remove(one);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("stop at 1.42 takes a signal", async () => {
    const id = await readyContainer({
      Cmd: ["sh", "-c", "trap 'exit 9' USR2; echo ready; while :; do sleep 0.05; done"],
    });
    await engine().must(204, "POST", `/containers/${id}/stop?t=10&signal=USR2`, undefined, { version: "1.42" });
    expect((await state(id)).ExitCode).toBe(9);
    await engine().remove(id);
  });

  test("kill sends the signal by name or number, waits only for KILL", async () => {
    const count = "n=0; trap 'n=$((n+1)); echo got $n' USR1; echo ready; while :; do sleep 0.05; done";
    const id = await readyContainer({ Cmd: ["sh", "-c", count] });
    for (const [index, signal] of ["USR1", "SIGUSR1", "sigusr1", "10"].entries()) {
      expect((await engine().call("POST", `/containers/${id}/kill?signal=${signal}`)).status).toBe(204);
      await logged(id, `got ${index + 1}`);
    }
    expect((await state(id)).Running).toBe(true);
    expect((await engine().call("POST", `/containers/${id}/kill`)).status).toBe(204);
    expect(await state(id)).toMatchObject({ Running: false, ExitCode: 137 });
    await engine().remove(id);
  });

  test("kill refuses invalid requests", async () => {
    const id = await engine().create();
    const bad = await engine().call("POST", `/containers/${id}/kill?signal=NOPE`);
    expect(bad.status).toBe(400);
    expect(messageOf(bad)).toBe(engine().expected("kill-texts", "invalid signal: NOPE", "Invalid signal: NOPE"));
    const idle = await engine().call("POST", `/containers/${id}/kill`);
    expect(idle.status).toBe(409);
    const reference = `Cannot kill container: ${id}: Container ${id} is not running`;
    const ours = `cannot kill container: ${id}: container ${id} is not running`;
    expect(messageOf(idle)).toBe(engine().expected("kill-texts", ours, reference));
    expect((await engine().call("POST", "/containers/nope/kill")).status).toBe(404);
    await engine().remove(id);
  });

  test("wait: at once when not running, headers before the end, 404 for none", async () => {
    const created = await engine().create();
    expect(await engine().wait(created)).toBe(0);
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ method: "POST", target: `/v1.41/containers/${created}/wait?condition=next-exit` }));
    const head = await connection.head();
    expect([head.status, head.header("content-type"), head.header("transfer-encoding")]).toEqual([
      200,
      "application/json",
      "chunked",
    ]);
    await engine().must(204, "POST", `/containers/${created}/start`);
    await engine()
      .must(204, "POST", `/containers/${created}/kill`)
      .catch(() => undefined);
    const body = await connection.body(head);
    const keys = Object.keys(JSON.parse(body.toString()) as object).sort();
    expect(keys).toEqual(engine().expected("wait-body", ["StatusCode"], ["Error", "StatusCode"]));
    connection.close();
    expect((await engine().call("POST", "/containers/nope/wait")).status).toBe(404);
    const bad = await engine().call("POST", `/containers/${created}/wait?condition=nonsense`);
    expect(bad.status).toBe(engine().expected("wait-condition", 400, 200));
    await engine().remove(created);
  });

  testExcept(kind, { reference: REFERENCE.waitsOn })(
    "a wait for the next exit ends when the start fails, and tells why",
    async () => {
      const missing = await engine().create({ Cmd: ["/no/such"] });
      const lost = await engine().create({ HostConfig: { NetworkMode: "nowhere" } });
      for (const [id, code] of [
        [missing, 127],
        [lost, 128],
      ] as const) {
        const connection = await RawConnection.open(engine().socketPath);
        connection.send(encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/wait?condition=next-exit` }));
        const head = await connection.head();
        const start = await engine().call("POST", `/containers/${id}/start`);
        expect(start.status).toBeGreaterThanOrEqual(400);
        expect(JSON.parse((await connection.body(head)).toString())).toEqual({
          StatusCode: code,
          Error: { Message: messageOf(start) },
        });
        connection.close();
        await engine().remove(id);
      }
    },
  );

  test("wait for removal ends when the container is gone, with its code; afterwards it is 404", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "exit 5"], HostConfig: { AutoRemove: true } });
    const removed = await engine().beginWait(id, "removed");
    await engine().start(id);
    expect(await removed()).toBe(5);
    expect((await engine().call("POST", `/containers/${id}/wait`)).status).toBe(404);
    expect((await engine().call("DELETE", `/containers/${id}`)).status).toBe(404);
  });

  test("below 1.30 wait sends nothing until the end", async () => {
    const id = await readyContainer({
      Cmd: ["sh", "-c", "trap 'exit 4' TERM; echo ready; while :; do sleep 0.05; done"],
    });
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ method: "POST", target: `/v1.29/containers/${id}/wait` }));
    let hasHead = false;
    const coming = connection.head().finally(() => (hasHead = true));
    // By now a newer client with a later request has its head.
    const ended = await engine().beginWait(id, "not-running");
    expect(hasHead).toBe(false);
    await engine().must(204, "POST", `/containers/${id}/kill?signal=TERM`);
    const head = await coming;
    expect(JSON.parse((await connection.body(head)).toString())).toMatchObject({ StatusCode: 4 });
    expect(head.header("content-length")).not.toBeNull();
    expect(await ended()).toBe(4);
    connection.close();
    await engine().remove(id);
  });

  test("many waits are all answered", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", `${WAITS}; exit 6`] });
    const waits = await Promise.all(
      ["not-running", "next-exit", "not-running"].map((one) => engine().beginWait(id, one)),
    );
    await goOn(engine(), id);
    const codes = await Promise.all(waits.map((ended) => ended()));
    expect(codes).toEqual([6, 6, 6]);
    await engine().remove(id);
  });

  test("remove: running is refused, force kills, right after wait it is 204", async () => {
    const id = await engine().running();
    const refused = await engine().call("DELETE", `/containers/${id}`);
    expect(refused.status).toBe(409);
    expect(messageOf(refused)).toBe(
      engine().expected(
        "remove-texts",
        `cannot remove container "${id}": container is running: stop the container before removing or force remove`,
        `You cannot remove a running container ${id}. Stop the container before attempting removal or force remove`,
      ),
    );
    expect((await engine().call("DELETE", `/containers/${id}?force=1`)).status).toBe(204);
    for (let round = 0; round < 5; round += 1) {
      const quick = await engine().running({ Cmd: ["true"] });
      await engine().wait(quick);
      expect((await engine().call("DELETE", `/containers/${quick}`)).status).toBe(204);
    }
    expect((await engine().call("DELETE", "/containers/nope")).status).toBe(404);
  });

  test("a name is free again once the container is removed", async () => {
    const first = await engine().create({}, "?name=reused");
    await engine().remove("reused");
    const second = await engine().create({}, "?name=reused");
    expect(second).not.toBe(first);
    await engine().remove(second);
  });

  async function state(id: string): Promise<State> {
    return (await engine().inspect<{ State: State }>(id)).State;
  }

  async function readyContainer(config: Record<string, unknown>): Promise<string> {
    const id = await engine().create(config);
    await engine().start(id);
    await logged(id, "ready");
    return id;
  }

  async function logged(id: string, text: string): Promise<void> {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&stderr=1&follow=1` }));
    await connection.untilText(text);
    connection.close();
  }
});

interface State {
  readonly Status: string;
  readonly Running: boolean;
  readonly Pid: number;
  readonly ExitCode: number;
  readonly Error: string;
  readonly StartedAt: string;
  readonly FinishedAt: string;
}
