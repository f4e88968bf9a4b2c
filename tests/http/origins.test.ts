// The origin of changes, and their reason: in events and in each container's last change.
import { expect, test } from "vitest";
import { until } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import { type Event, past, pastSigned, stamp } from "../support/past-events.js";

interface LastChange {
  At: string;
  Why: string;
  UserAgent?: string;
  Peer?: { Uid: number; Pid: number };
}

const STAYS = ["sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"];

onEngines("origins", (engine, kind) => {
  const ours = kind !== "reference";
  const agent = { "User-Agent": "a test of origins" };
  /** The identity of this process, if the engine can know it: the simulated engine also runs on other systems. */
  const isKnown = kind === "linux" || (kind === "simulated" && process.platform === "linux");
  const peer = isKnown
    ? { "coracle.peer.pid": String(process.pid), "coracle.peer.uid": String(process.getuid?.()) }
    : {};

  test("each event names the client of its request, also long after the answer", async () => {
    const since = await stamp(engine());
    const body = { Image: "busybox", Cmd: STAYS };
    const created = await engine().call("POST", "/containers/create?name=signed", body, { headers: agent });
    const { Id } = created.json<{ Id: string }>();
    await engine().call("POST", "/containers/signed/start", undefined, { headers: agent });
    // A signal that arrives before its trap is set does nothing to the first process of a container. Without waiting,
    // the timeout would end it.
    await until("its trap", async () => (await engine().logs(Id)).stdout === "ready\n");
    await engine().must(204, "POST", "/containers/signed/stop?t=10");
    await engine().must(204, "DELETE", "/containers/signed");
    const told = await tellings(since, Id);
    if (!ours) return expect(told).toEqual([{}]);
    const [create, start, stop, remove] = [
      { ...peer, "coracle.user-agent": "a test of origins", "coracle.why": "POST /containers/create" },
      { ...peer, "coracle.user-agent": "a test of origins", "coracle.why": "POST /containers/signed/start" },
      { ...peer, "coracle.why": "POST /containers/signed/stop" },
      { ...peer, "coracle.why": "DELETE /containers/signed" },
    ];
    expect(told).toEqual([create, start, stop, remove]);
  });

  test("Docker's attributes are in their usual order, before those about the origin", async () => {
    const since = await stamp(engine());
    const Labels = { a: "1", "coracle.z": "2", z: "3" };
    const id = await engine().create({ Labels }, "?name=in-order");
    const [create] = await pastSigned(engine(), since, { container: [id] });
    const names = Object.keys(create?.Actor.Attributes ?? {});
    const own = names.filter((name) => name.startsWith("coracle."));
    if (ours) expect(names).toEqual(["a", "image", "name", "z", ...own]);
    else expect(names).toEqual(["a", "coracle.z", "image", "name", "z"]);
    expect(own).toEqual(own.toSorted());
    await engine().remove(id);
  });

  test("an event names a client's products, without their comments in parentheses", async () => {
    const since = await stamp(engine());
    const headers = { "User-Agent": "Client/1.0 (linux (amd64)) part/2 (y)" };
    const created = await engine().call("POST", "/containers/create", { Image: "busybox" }, { headers });
    const { Id } = created.json<{ Id: string }>();
    const [create] = await tellings(since, Id);
    if (ours) expect(create).toMatchObject({ "coracle.user-agent": "Client/1.0 part/2" });
    else expect(create).toEqual({});
    await engine().remove(Id);
  });

  test("no part of a query is included", async () => {
    const since = await stamp(engine());
    const id = await engine().create({}, "?name=secretive");
    await engine().must(204, "DELETE", `/containers/${id}?force=1`);
    expect(JSON.stringify(await pastSigned(engine(), since))).not.toContain("force=1");
  });

  test("the engine's own actions have reasons", async () => {
    const since = await stamp(engine());
    const policy = { RestartPolicy: { Name: "on-failure", MaximumRetryCount: 1 } };
    const failing = await engine().create({ Cmd: ["sh", "-c", "exit 3"], HostConfig: policy });
    await engine().start(failing);
    await until(
      "two ends",
      async () => (await events(since, failing)).filter(({ Action }) => Action === "die").length === 2,
    );
    const stubborn = await engine().running({ Cmd: ["sleep", "1000"], StopSignal: "SIGTERM" });
    await engine().must(204, "POST", `/containers/${stubborn}/stop?t=1`);
    const once = await engine().create({ Cmd: ["true"], HostConfig: { AutoRemove: true } });
    await engine().start(once);
    await until("its removal", async () => (await events(since, once)).some(({ Action }) => Action === "destroy"));
    await engine().remove(failing);
    await engine().remove(stubborn);
    const why = async (id: string): Promise<string[]> => {
      const all = await events(since, id);
      return all
        .filter(({ Type, Action }) => Type === "container" && /^(start|kill|die|stop|destroy)$/.test(Action))
        .map(({ Action, Actor }) => `${Action}: ${Actor.Attributes["coracle.why"]?.replaceAll(id, "ID")}`);
    };
    if (!ours) return;
    expect((await why(failing)).slice(0, 4)).toEqual([
      "start: POST /containers/ID/start",
      "die: exited by itself",
      "start: restart policy on-failure",
      "die: exited by itself",
    ]);
    expect((await why(stubborn)).slice(1, 5)).toEqual([
      "kill: POST /containers/ID/stop",
      "kill: stop timeout",
      "die: stop timeout",
      "stop: stop timeout",
    ]);
    expect(await why(once)).toEqual([
      "start: POST /containers/ID/start",
      "die: exited by itself",
      "destroy: auto-remove",
    ]);
  });

  test("health checks are the origin of their execs", async () => {
    const since = await stamp(engine());
    const check = { Test: ["CMD", "true"], Interval: 1e8 };
    const id = await engine().running({ Cmd: STAYS, Healthcheck: check, StopSignal: "SIGKILL" });
    const isTold = ({ Action }: Event): boolean => Action.startsWith("health_status");
    await until("its health", async () => (await events(since, id)).some(isTold));
    const told = await events(since, id);
    await engine().remove(id);
    if (!ours) return;
    const checks = told.filter((event) => event.Action.startsWith("exec_") || isTold(event));
    expect(new Set(checks.map(({ Actor }) => Actor.Attributes["coracle.why"]))).toEqual(new Set(["health check"]));
  });

  test("inspect shows the last change of a container", async () => {
    const id = await engine().create({ Cmd: STAYS });
    const started = await engine().call("POST", `/containers/${id}/start`, undefined, { headers: agent });
    expect(started.status).toBe(204);
    const running = await lastChange(id);
    await engine().must(204, "POST", `/containers/${id}/rename?name=renamed-${id.slice(0, 6)}`);
    const renamed = await lastChange(id);
    await engine().remove(id);
    expect([running, renamed].every((change) => (change !== null) === ours)).toBe(true);
    if (!ours) return;
    const known = isKnown ? { Peer: { Uid: process.getuid?.(), Pid: process.pid } } : {};
    const at = expect.stringMatching(/^20\d\d-\d\d-\d\dT/);
    const asked = { Why: `POST /containers/${id}/start`, UserAgent: "a test of origins" };
    expect(running).toEqual({ At: at, ...asked, ...known });
    expect(renamed).toEqual({ At: at, Why: `POST /containers/${id}/rename`, ...known });
  });

  test("there is no other difference", async () => {
    const since = await stamp(engine());
    const id = await engine().create({ Labels: { "coracle.why": "mine" } });
    await engine().remove(id);
    const plain = (await past(engine(), since)).map(({ Actor }) => Object.keys(Actor.Attributes));
    const signed = (await events(since, id)).map(({ Actor }) => Actor.Attributes["coracle.why"]);
    expect(plain.flat().filter((name) => name.startsWith("coracle."))).toEqual([]);
    const removed = `DELETE /containers/${id}`;
    expect(signed).toEqual(engine().expected("event-origins", ["POST /containers/create", removed], ["mine", "mine"]));
  });

  async function events(since: string, id: string): Promise<Event[]> {
    const all = await pastSigned(engine(), since);
    return all.filter((event) => event.Actor.ID === id || event.Actor.Attributes["container"] === id);
  }

  /** The origins in the events about a container, without repeats. */
  async function tellings(since: string, id: string): Promise<Record<string, string>[]> {
    const told = (await events(since, id)).map(({ Actor }) =>
      Object.fromEntries(Object.entries(Actor.Attributes).filter(([name]) => name.startsWith("coracle."))),
    );
    return told.filter((one, at) => JSON.stringify(one) !== JSON.stringify(told[at - 1]));
  }

  async function lastChange(id: string): Promise<LastChange | null> {
    const { Coracle } = await engine().read<{ Coracle?: { LastChange: LastChange } }>(`/containers/${id}/json`);
    return Coracle?.LastChange ?? null;
  }
});
