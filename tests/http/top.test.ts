// Processes of a container as the machine's ps lists them.
import { expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";
import { messageOf } from "../support/engine-client.js";

interface Top {
  Titles: string[];
  Processes: string[][];
}

onEngines("top", (engine, kind) => {
  const top = (id: string, args?: string): Promise<Top> =>
    engine().read<Top>(`/containers/${id}/top${args === undefined ? "" : `?ps_args=${encodeURIComponent(args)}`}`);

  test("as ps -ef lists them: those of the container only, numbered by the machine, the command in one cell", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", "sleep 1001 & sleep 1002 & wait"] });
    const other = await engine().running();
    const { Titles, Processes } = await topOf(id, 3);
    expect(Titles).toEqual(["UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"]);
    expect(Processes.map((cells) => cells.at(-1)).sort()).toEqual([
      "sh -c sleep 1001 & sleep 1002 & wait",
      "sleep 1001",
      "sleep 1002",
    ]);
    for (const cells of Processes) expect(cells.length).toBe(Titles.length);
    const { State } = await engine().read<{ State: { Pid: number } }>(`/containers/${id}/json`);
    const first = Processes.find((cells) => cells.at(-1)?.startsWith("sh"))!;
    expect(first[0]).toBe("root");
    expect(first[1]).toBe(String(State.Pid));
    for (const cells of Processes) if (cells !== first) expect(cells[2]).toBe(String(State.Pid));
    for (const one of [id, other]) await engine().remove(one);
  });

  test("custom formats", async () => {
    const id = await engine().running({ Cmd: ["sleep", "1003"], User: "1234" });
    const { State } = await engine().read<{ State: { Pid: number } }>(`/containers/${id}/json`);
    // It has started by the time of the answer; its program starts a moment later.
    await expect
      .poll(() => top(id, "-eo pid,comm"))
      .toEqual({
        Titles: ["PID", "COMMAND"],
        Processes: [[`${State.Pid}`, "sleep"]],
      });
    expect((await top(id, "-o pid -o args")).Processes).toEqual([[`${State.Pid}`, "sleep 1003"]]);
    const users = await top(id, "aux");
    expect(users.Titles.slice(0, 2)).toEqual(["USER", "PID"]);
    expect(users.Processes.map((cells) => [cells[0], cells.at(-1)])).toEqual([["1234", "sleep 1003"]]);
    expect((await top(id, "")).Titles[0]).toBe("UID");
    await engine().remove(id);
  });

  testExcept(kind, { simulated: SIMULATED.selections })(
    "the processes that ps selects; an empty list if it selects none",
    async () => {
      const id = await engine().running({ Cmd: ["sleep", "1004"], User: "1234" });
      const { State } = await engine().read<{ State: { Pid: number } }>(`/containers/${id}/json`);
      const chosen = async (): Promise<string[][]> => (await top(id, "-u 1234 -o pid,user,args")).Processes;
      await expect.poll(chosen).toEqual([[`${State.Pid}`, "1234", "sleep 1004"]]);
      expect(await top(id, "-p 1")).toEqual({
        Titles: ["PID", "TTY", "TIME", "CMD"],
        Processes: engine().expected("top-nobody", [], null),
      });
      await engine().remove(id);
    },
  );

  test("a stopped container is 409, an invalid ps option is 500 with ps's message", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"] });
    const refused = await engine().call("GET", `/containers/${id}/top`);
    expect(refused.status).toBe(409);
    const word = engine().expected("state-texts", "container", "Container");
    expect(messageOf(refused)).toBe(`${word} ${id} is not running`);
    expect(messageOf(await engine().call("GET", "/containers/nope/top"))).toBe("No such container: nope");
    await engine().start(id);
    const bad = await engine().call("GET", `/containers/${id}/top?ps_args=-eZQ%20--nothing`);
    expect([bad.status, messageOf(bad)]).toEqual([500, expect.stringMatching(/^ps: error: /)]);
    const silent = await engine().call("GET", `/containers/${id}/top?ps_args=-1`);
    // The simulated ps has a message for every error.
    const told = kind === "simulated" ? /^ps: error: / : /^ps: exit status 1$/;
    expect([silent.status, messageOf(silent)]).toEqual([500, expect.stringMatching(told)]);
    const blind = await engine().call("GET", `/containers/${id}/top?ps_args=-o%20comm`);
    expect([blind.status, messageOf(blind)]).toEqual([500, "Couldn't find PID field in ps output"]);
    await engine().remove(id);
  });

  test("no other column can pass for PID", async () => {
    const id = await engine().running();
    for (const args of ["-eo ppid=PID", "-eo comm,uid=PID", "-e -o user= PIDS"]) {
      const answer = await engine().call("GET", `/containers/${id}/top?ps_args=${encodeURIComponent(args)}`);
      expect([args, answer.status]).toEqual([args, 500]);
      expect(messageOf(answer)).toMatch(/^specifying ".*" is not allowed$/);
    }
    expect((await top(id, "-o pid=PID")).Processes.length).toBe(1);
    await engine().remove(id);
  });

  test("it has an event", async () => {
    // By the engine's clock: that of a busy simulated world may be behind.
    const since = await stamp(engine());
    const id = await engine().running();
    await top(id);
    const events = await past(engine(), since, { container: [id], event: ["top"] });
    expect(events.map(({ Action }) => Action)).toEqual(["top"]);
    await engine().remove(id);
  });

  /** Once there are this many processes. */
  async function topOf(id: string, count: number): Promise<Top> {
    for (;;) {
      const listed = await top(id);
      if (listed.Processes.length >= count) return listed;
    }
  }
});
