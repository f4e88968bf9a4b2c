// The daemon has priority over the processes that it starts. They inherit neither its priority nor its session, which
// would receive a terminal's signals.

import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { expect, test } from "vitest";
import { RunningEngine, engines, startWithBusybox } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;
const ownIsUsual = getPriority() === 0;

describeUnless(ownIsUsual ? missing : "the tests themselves do not have the usual priority", "the daemon", () => {
  test("has a raised priority; containers, their supervisors and execs have the usual one", async () => {
    const daemon = await startWithBusybox(linux!);
    const engine = new RunningEngine(linux!, daemon);
    try {
      expect(getPriority(daemon.pid())).toBe(-10);
      const id = await engine.running();
      const { State } = await engine.inspect<{ State: { Pid: number } }>(id);
      expect([State.Pid, parentOf(State.Pid)].map((pid) => getPriority(pid))).toEqual([0, 0]);
      // Their parents have a raised priority, which these processes do not keep.
      expect([State.Pid, parentOf(State.Pid)].map(sessionsPriority)).toEqual(["0", "0"]);
      const created = await engine.must(201, "POST", `/containers/${id}/exec`, { Cmd: ["sleep", "1000"] });
      const exec = created.json<{ Id: string }>().Id;
      await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
      const { Pid } = await engine.read<{ Pid: number }>(`/exec/${exec}/json`);
      expect(getPriority(Pid)).toBe(0);
      // Where there are autogroups, the daemon has another one.
      if (existsSync("/proc/self/autogroup")) {
        expect(sessionsPriority(daemon.pid())).toBe("-10");
        expect([parentOf(State.Pid), parentOf(Pid)].map(sessionsPriority)).toEqual(["0", "0"]);
      }
      const sessions = [daemon.pid(), parentOf(State.Pid), State.Pid, parentOf(Pid), Pid].map(sessionOf);
      expect(new Set(sessions).size).toBe(sessions.length);
      await engine.remove(id);
    } finally {
      await daemon.close();
    }
  });
});

/** The priority of a session's autogroup (sched(7)); the usual one if there are no autogroups. */
function sessionsPriority(pid: number): string {
  const file = `/proc/${pid}/autogroup`;
  return existsSync(file) ? (/nice (-?\d+)/.exec(readFileSync(file, "utf8"))?.[1] ?? "none") : "0";
}

/** The sixth field of `stat` in proc(5); a name may contain blanks. */
function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
