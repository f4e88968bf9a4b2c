// Log limits: what is kept, what followers see while files are rotated, and a container without a log.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REFERENCE, SIMULATED } from "../support/allowed-skips.js";
import { onOwnEngines, testExcept } from "../support/on-engines.js";
import { messageOf, type Json, type Output } from "../support/engine-client.js";
import { frames } from "../support/frames.js";
import { goOn, WAITS } from "../support/gate.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";
import { until } from "../support/commands.js";
import { parentOf } from "../support/processes.js";

/** Ten thousand lines each, about 4.5 MB of log in total. The test inspects the log between two bursts. */
const BURSTS = [1, 2, 3, 4, 5, 6, 7, 8];
const CHATTY = burstsOf(BURSTS);
const FIRST = 10_000;
const LAST = 89_999;
/** Size of a burst in bytes, without the prefix of each line in the log. */
const BURST = 60_000;

/** First line of the second burst. */
const SECOND = 20_000;

const POLL = { everyMs: 100 };

onOwnEngines("log rotation", (engine, kind) => {
  // Most of the time is spent waiting for containers, so they run side by side.
  for (const Config of [
    { "max-size": "200k", "max-file": "2" },
    { "max-size": "50k" },
    { "max-size": "200k", "max-file": "4", compress: "true" },
  ] as const) {
    // The reference loses or repeats lines, or ends the stream, because it follows a file by its name.
    testExcept(
      kind,
      { reference: REFERENCE.logsByName },
      test.concurrent,
    )(`a follower gets every line once, and ${JSON.stringify(Config)} are kept`, async () => {
      const id = await engine().create({
        Cmd: ["sh", "-c", `${WAITS}; ${CHATTY}`],
        HostConfig: { LogConfig: { Type: "json-file", Config } },
      });
      await engine().start(id);
      const follower = await follow(id);
      await goOn(engine(), id);
      const followed = await follower();
      expect(gaps(followed.stdout)).toEqual([]);
      expect(span(followed.stdout)).toEqual([FIRST, LAST]);
      expect(await engine().wait(id)).toBe(0);
      // If a log is too long at its end, it is cut right after it.
      const kept = await until("the oldest lines to go", () => keptFrom(id, SECOND), POLL);
      expect(gaps(kept)).toEqual([]);
      expect(span(kept)[1]).toBe(LAST);
      expect((await engine().logs(id, "stdout=1&tail=3")).stdout).toBe("89997\n89998\n89999\n");
      await engine().remove(id);
    });
  }

  test.concurrent.each<[string, Record<string, string>, string]>([
    ["while it runs", { "max-size": "10k" }, "; sleep 100"],
    ["while it runs", { "max-size": "10k", "max-file": "3" }, "; sleep 100"],
    ["when it has ended", { "max-size": "10k", "max-file": "2" }, ""],
  ])("the newest lines of a burst are kept, within the limits, %s with %j", async (_when, Config, rest) => {
    const LogConfig = { Type: "json-file", Config };
    const id = await engine().create({ Cmd: ["sh", "-c", `seq ${FIRST} ${LAST}${rest}`], HostConfig: { LogConfig } });
    await engine().start(id);
    // A line of the log has a timestamp before the text.
    const most = 10_000 * Number(Config["max-file"] ?? 1);
    const newest = async (): Promise<string | null> => {
      const kept = (await engine().logs(id, "stdout=1")).stdout;
      return isWithin(kept, most) ? kept : null;
    };
    expect(gaps(wholeLines(await until("its newest lines alone", newest, POLL)))).toEqual([]);
    await engine().remove(id);
  });

  test.concurrent("a second run continues the same log, within the same limits", async () => {
    const LogConfig = { Type: "local", Config: { "max-size": "100k", "max-file": "2" } };
    const id = await engine().create({ Cmd: ["sh", "-c", CHATTY], HostConfig: { LogConfig } });
    for (const run of [1, 2]) {
      await engine().start(id);
      await engine().wait(id);
      const kept = wholeLines((await engine().logs(id, "stdout=1")).stdout);
      expect([run, span(kept)[1]]).toEqual([run, LAST]);
      expect([run, gaps(kept).length <= 1]).toEqual([run, true]);
    }
    await engine().remove(id);
  });

  test.concurrent.each([{}, { compress: "true" }])(
    "output that ends without a newline just as a file is full is complete, with %j",
    async (more) => {
      const LogConfig = { Type: "json-file", Config: { "max-size": "20k", "max-file": "20", ...more } };
      const id = await engine().create({
        Cmd: ["sh", "-c", `seq 1000 1999; printf last; ${WAITS}`],
        HostConfig: { LogConfig },
      });
      for (const run of [1, 2]) {
        const before = run === 1 ? 1 : newestFile(id);
        await engine().start(id);
        // The other engines begin the next file while they write.
        if (kind === "linux") await until("the next file", () => newestFile(id) > before, POLL);
        await goOn(engine(), id);
        expect([run, await engine().wait(id)]).toEqual([run, 0]);
      }
      const told = (await engine().logs(id, "stdout=1&timestamps=1")).stdout;
      const texts = told.match(/Z (last)?(?=20\d\d-|$)|Z 1000\n/g);
      expect(texts).toEqual(["Z 1000\n", "Z last", "Z 1000\n", "Z last"]);
      await engine().remove(id);
    },
  );

  test.concurrent("driver none: attached clients get everything, and logs are refused", async () => {
    const LogConfig = { Type: "none", Config: {} };
    const id = await engine().create({ Cmd: ["sh", "-c", CHATTY], AttachStdout: true, HostConfig: { LogConfig } });
    const connection = await attach(id);
    await engine().start(id);
    const { stdout } = frames(await connection.rest());
    expect([gaps(stdout), ...span(stdout)]).toEqual([[], FIRST, LAST]);
    for (const query of ["stdout=1", "stdout=1&follow=1"]) {
      const answer = await engine().call("GET", `/containers/${id}/logs?${query}`);
      expect([answer.status, messageOf(answer)]).toEqual([501, "configured logging driver does not support reading"]);
    }
    await engine().wait(id);
    const { dataRoot } = engine().daemon.directories;
    const hasLog = (): boolean => readdirSync(`${dataRoot}/containers/${id}`).includes("log");
    if (kind === "linux") await until("no log", () => !hasLog());
    await engine().remove(id);
  });

  test.concurrent("a follower that does not read stops neither the container nor its log", async () => {
    const LogConfig = { Type: "json-file", Config: { "max-size": "100k", "max-file": "2" } };
    const id = await engine().create({ Cmd: ["sh", "-c", `${WAITS}; ${CHATTY}`], HostConfig: { LogConfig } } as Json);
    await engine().start(id);
    const idle = await RawConnection.open(engine().socketPath);
    idle.send(encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1` }));
    await idle.head();
    idle.pause();
    await goOn(engine(), id);
    expect(await engine().wait(id)).toBe(0);
    await until("its last line", async () => span((await engine().logs(id, "stdout=1")).stdout)[1] === LAST);
    idle.close();
    await engine().remove(id);
  });

  testExcept(
    kind,
    { reference: REFERENCE.logsUnbounded, simulated: SIMULATED.supervisors },
    test.concurrent,
  )("by default a log has at most 5 files of 20 MB, even if no client reads it", async () => {
    const id = await engine().running();
    expect(await engine().inspect(id)).toMatchObject({
      HostConfig: { LogConfig: { Type: "json-file", Config: {} } },
    });
    const { Pid } = (await engine().inspect<{ State: { Pid: number } }>(id)).State;
    const supervisor = parentOf(Pid);
    const args = readFileSync(`/proc/${supervisor}/cmdline`, "utf8").split("\0");
    // The supervisor itself limits the size of a file, and how much a container may write while no engine runs.
    expect(args[args.indexOf("--log-size-max") + 1]).toBe(String(20_000_000 + 256 * 2 ** 20));
    const note = JSON.parse(readFileSync(join(args[args.indexOf("--bundle") + 1]!, "launch.json"), "utf8")) as Json;
    expect(note["log"]).toEqual({ fileBytes: 20_000_000, files: 5, compressed: false, passing: false });
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.killed, simulated: SIMULATED.killed })(
    "a restarted daemon keeps limiting the log, and loses nothing within the limits",
    async () => {
      const LogConfig = { Type: "json-file", Config: { "max-size": "200k", "max-file": "3" } };
      const id = await engine().create({
        Cmd: [
          ...["sh", "-c"],
          [burstsOf(BURSTS.slice(0, 2)), WAITS, burstsOf(BURSTS.slice(2)), WAITS, CHATTY].join("; "),
        ],
        HostConfig: { LogConfig },
      } as Json);
      await engine().start(id);
      const last = async (): Promise<unknown> => span((await engine().logs(id, "stdout=1")).stdout)[1];
      await until("its second burst", async () => (await last()) === SECOND + 9_999, POLL);
      const { Pid } = (await engine().inspect<{ State: { Pid: number } }>(id)).State;
      await engine().daemon.end("SIGKILL");
      const before = written(id);
      writeFileSync(`/proc/${Pid}/root/go`, "");
      await until("a burst while no daemon is there", () => written(id) > before + BURST, POLL);
      await engine().daemon.start();
      const follower = await follow(id);
      await until("the last burst of the first round", async () => (await last()) === LAST, POLL);
      await goOn(engine(), id);
      const followed = (await follower()).stdout;
      // The second round starts from the beginning.
      expect(gaps(followed).filter((gap) => gap !== `${LAST} ${FIRST}`)).toEqual([]);
      expect(span(followed)[1]).toBe(LAST);
      const { dataRoot } = engine().daemon.directories;
      const sizes = readdirSync(`${dataRoot}/containers/${id}`).filter((name) => /^log\.\d+$/.test(name));
      expect(sizes.length).toBeLessThanOrEqual(4);
      await engine().remove(id);
    },
  );

  /** Follows a log from now on. The returned function resolves to everything received. */
  async function follow(id: string): Promise<() => Promise<Output>> {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1` }));
    const head = await connection.head();
    expect(head.status).toBe(200);
    return async () => {
      const body = await connection.body(head);
      connection.close();
      return frames(body);
    };
  }

  /** The lines that are kept, once they begin at this line or later. */
  async function keptFrom(id: string, first: number): Promise<string | null> {
    const kept = wholeLines((await engine().logs(id, "stdout=1")).stdout);
    return Number(span(kept)[0]) >= first ? kept : null;
  }

  /** The number of the log file in use. */
  function newestFile(id: string): number {
    if (kind !== "linux") return 0;
    const names = readdirSync(join(engine().daemon.directories.dataRoot, "containers", id));
    return Math.max(...names.map((name) => Number(/^log\.(\d+)/.exec(name)?.[1] ?? 0)));
  }

  /** Size of the log file in use; without a daemon no new file begins. */
  function written(id: string): number {
    return statSync(join(engine().daemon.directories.dataRoot, "containers", id, "log")).size;
  }

  async function attach(id: string): Promise<RawConnection> {
    const connection = await RawConnection.open(engine().socketPath);
    const target = `/v1.41/containers/${id}/attach?stream=1&stdout=1&stderr=1`;
    connection.send(encodeRequest({ method: "POST", target, headers: { Connection: "Upgrade", Upgrade: "tcp" } }));
    expect((await connection.head()).status).toBe(101);
    return connection;
  }
});

function burstsOf(bursts: readonly number[]): string {
  return `for i in ${bursts.join(" ")}; do seq $((i*10000)) $((i*10000+9999)); sleep 0.25; done`;
}

function numbers(text: string): number[] {
  return text.split("\n").slice(0, -1).map(Number);
}

function span(text: string): (number | undefined)[] {
  const all = numbers(text);
  return [all[0], all.at(-1)];
}

/** Whether these are the newest lines and within the limit. */
function isWithin(kept: string, most: number): boolean {
  return kept.length <= most && span(kept)[1] === LAST;
}

/** A line in two pieces may be split over two files, and the first file may be gone. */
function wholeLines(kept: string): string {
  return kept.slice(kept.indexOf("\n") + 1);
}

/** Places where a number does not follow the previous one. */
function gaps(text: string): string[] {
  const all = numbers(text);
  return all.flatMap((number, index) =>
    index > 0 && number !== all[index - 1]! + 1 ? [`${all[index - 1]} ${number}`] : [],
  );
}
