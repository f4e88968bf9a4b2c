// The machine's device nodes and the engine's files stay unchanged, whatever processes in containers do with their
// standard streams and whatever user they run as. Nothing that they or OCI runtimes are given has a name on the
// machine. The daemon has its own device nodes here, so that a failure does not damage the machine's.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findProgram, until } from "../support/commands.js";
import { launchDaemon, type DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { CORACLE, missingLinux } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { commandLineOf, pids, readFor } from "../support/processes.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const missing = missingLinux();

/** Looks like an unknown runtime, because it has another name. */
const ODD = ["runc", "crun"].map(findProgram).find((path) => path !== null);
/** Tries every change to its streams; changes may be refused. */
const CHANGE = ["sh", "-c", "for f in 0 1 2; do chmod 600 /proc/self/fd/$f; touch /proc/self/fd/$f; done 2>&1; true"];

/** Nodes that a process may be given for reading or writing. */
const NODES = ["null", "zero", "full", "random", "urandom", "tty"];
const RUNTIMES = ["crun", "runc", "odd"].filter((name) => name === "odd" || findProgram(name) !== null);
const USERS = ["", "777"];

describeUnless(missing, "the machine's device nodes and files", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let before: Json;

  beforeAll(async () => {
    daemon = await launchDaemon("null", ({ root, socketPath, dataRoot, execRoot, pidFile }) => [
      ...["unshare", "--mount", "sh", "-ec", OWN_NULL, "sh", join(root, "nodes"), ODD!],
      ...[...CORACLE, "daemon", "-H", `unix://${socketPath}`, "--add-runtime", `odd=${join(root, "nodes/odd")}`],
      ...["--data-root", dataRoot, "--exec-root", execRoot, "-p", pidFile],
    ]);
    engine = new EngineClient(daemon.socketPath);
    before = nodes();
  });
  afterAll(async () => daemon?.close());
  afterEach(() => expect(nodes()).toEqual(before));

  for (const Runtime of RUNTIMES)
    for (const User of USERS)
      describe(`containers and execs by ${Runtime} as ${User === "" ? "root" : "a user"}`, () => {
        let id = "";
        beforeAll(async () => {
          id = await engine.running({ Cmd: ["sleep", "1000"], User, HostConfig: { Runtime, NetworkMode: "none" } });
        });

        test.each([{}, { Tty: true }, { OpenStdin: true }])("a container, %j", async (how) => {
          const HostConfig = { Runtime, NetworkMode: "none" };
          const tries = [...CHANGE.slice(0, 2), `${CHANGE[2]}; exec sleep 1000`];
          const one = await engine.running({ ...how, User, Cmd: tries, HostConfig });
          expectNameless((await engine.inspect<{ State: { Pid: number } }>(one)).State.Pid);
          const files = filesOf(one);
          expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["log", "supervisor.log"]));
          for (const { uid, gid, mode } of files) expect([uid, gid, mode & 0o022]).toEqual([0, 0, 0]);
          await engine.must(204, "POST", `/containers/${one}/kill`);
          await engine.wait(one);
          await engine.remove(one);
        });

        // crun gives the node at /dev/null to the user, even for a process with a terminal.
        test.each([
          ["/dev:/dev", false],
          ["/dev/null:/dev/null", false],
          ["/dev/null:/dev/null", true],
          ["/dev:/x/../dev/.", false],
        ])("a container with the machine's nodes, %s, terminal: %s", async (bind, Tty) => {
          const HostConfig = { Runtime, NetworkMode: "none", Binds: [bind] };
          const Cmd = ["sh", "-c", `${CHANGE[2]}; cat; exec sleep 1000`];
          const one = await engine.running({ Tty, User, Cmd, HostConfig });
          expectNameless((await engine.inspect<{ State: { Pid: number } }>(one)).State.Pid);
          await engine.remove(one);
        });

        test("its volume is filled, and the source stays unchanged", async () => {
          const HostConfig = { Runtime, NetworkMode: "none" };
          const look = { Cmd: ["stat", "-c", "%n %u %g %a %Y %Z", "/etc", "/etc/passwd"], HostConfig };
          const source = (await engine.run(look)).stdout;
          const filled = { User, Cmd: ["cat", "/etc/passwd"], Volumes: { "/etc": {} }, HostConfig };
          expect((await engine.run(filled)).stdout).toContain("root:");
          expect((await engine.run(look)).stdout).toBe(source);
        });

        test.each([{}, { Tty: true }, { AttachStdin: true }, { AttachStdin: true, Tty: true }])(
          "an exec, %j",
          async (how) => {
            await attached(await created({ ...how, Cmd: CHANGE }));
          },
        );

        test.each([{}, { Tty: true }])("a detached exec, %j", async (how) => {
          const files = lastingFilesOf(id);
          const exec = await created({ ...how, Cmd: CHANGE });
          await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
          await until("its end", async () => (await codeOf(exec)) === 0);
          expect(filesOf(id)).toEqual(expect.arrayContaining(files));
        });

        test.each([{ Detach: true }, { Detach: true, Tty: true }])("a running exec, %j", async ({ Detach, ...how }) => {
          const exec = await created({ ...how, Cmd: ["sleep", "1000"] });
          await engine.must(200, "POST", `/exec/${exec}/start`, { Detach, ...how });
          const { Pid } = await engine.read<{ Pid: number }>(`/exec/${exec}/json`);
          expectNameless(Pid);
          process.kill(Pid, "SIGKILL");
          await until("its end", async () => (await codeOf(exec)) === 137);
        });

        test("a detached exec reads from /dev/null", async () => {
          const script = "cat; test -c /dev/stdin && echo > /proc/self/fd/0 && exit 9";
          const exec = await created({ Cmd: ["sh", "-c", script] });
          await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
          await until("its end", async () => (await codeOf(exec)) !== null);
          expect(await codeOf(exec)).toBe(9);
        });

        async function created(config: Json): Promise<string> {
          const body = { AttachStdout: true, AttachStderr: true, ...config };
          return (await engine.must(201, "POST", `/containers/${id}/exec`, body)).json<{ Id: string }>().Id;
        }
      });

  for (const Runtime of RUNTIMES)
    test.each(USERS)(`a health check by ${Runtime} as user %j`, async (User) => {
      // The first one ends, the second waits for a writer.
      const mark = `health-${Runtime}-${User}`;
      const script = `${CHANGE[2]}; mkfifo /tmp/${mark} || exec cat /tmp/${mark}`;
      const Healthcheck = { Test: ["CMD", "sh", "-c", script], Interval: 1_000_000_000, Timeout: 600_000_000_000 };
      const HostConfig = { Runtime, NetworkMode: "none" };
      const id = await engine.running({ Cmd: ["sleep", "1000"], User, Healthcheck, HostConfig });
      const status = async () =>
        (await engine.read<{ State: { Health: { Status: string } } }>(`/containers/${id}/json`)).State.Health.Status;
      await until("its health", async () => (await status()) === "healthy");
      const files = lastingFilesOf(id);
      expectNameless(await until("the next", () => pids().find((pid) => commandLineOf(pid) === `cat /tmp/${mark}`)));
      expect(filesOf(id)).toEqual(expect.arrayContaining(files));
      await engine.remove(id);
    });

  test("files that OCI runtimes are called with have no name", () => {
    const calls = readFileSync(`/proc/${daemon.pid()}/root${nodesDirectory()}/given`, "utf8").trim().split("\n");
    expect(calls.length).toBeGreaterThan(10);
    // Pipes and sockets, devices without a name, and terminals made for the call.
    const fine =
      /^(create|start|exec|kill|delete|state|features) \d (\d 0 (fifo|socket)|0 1 character special file|\d 88 .*)$/;
    expect(calls.filter((line) => !fine.test(line))).toEqual([]);
  });

  /** A process's standard streams are on no file system that the machine has mounted. */
  function expectNameless(pid: number): void {
    const mounted = new Set(
      readFor(daemon.pid(), "mountinfo")
        .split("\n")
        .map((line) => line.split(" ")[2]),
    );
    for (const at of [0, 1, 2]) {
      expect([at, mounted.has(deviceOf(`/proc/${pid}/fd/${at}`))]).toEqual([at, false]);
    }
    expect(mounted).toContain(deviceOf(`/proc/${daemon.pid()}/root/dev/null`));
  }

  function nodesDirectory(): string {
    return join(daemon.directories.root, "nodes");
  }

  /** The nodes that the daemon sees. */
  function nodes(): Json {
    const one = (name: string): Json => {
      const place = `/proc/${daemon.pid()}/root/dev/${name}`;
      const { uid, gid, mode, mtimeNs, ctimeNs } = statSync(place, { bigint: true });
      return { uid, gid, mode, mtimeNs, ctimeNs };
    };
    return Object.fromEntries(NODES.map((name) => [name, one(name)]));
  }

  /** Without an exec's own log: that goes with the exec, a moment after its end is told. */
  function lastingFilesOf(id: string): ReturnType<typeof filesOf> {
    return filesOf(id).filter(({ name }) => name !== "runtime.log");
  }

  /** The engine's files for a container that other processes hold open. */
  function filesOf(id: string): { name: string; uid: number; gid: number; mode: number; ctimeMs: number }[] {
    const { dataRoot, execRoot } = daemon.directories;
    return [dataRoot, execRoot]
      .flatMap((root) => [...below(root)])
      .filter((path) => path.includes(id) && path.endsWith("log"))
      .map((path) => {
        const { uid, gid, mode, ctimeMs } = statSync(path);
        return { name: path.slice(path.lastIndexOf("/") + 1), uid, gid, mode, ctimeMs };
      });
  }

  async function attached(exec: string): Promise<void> {
    const connection = await RawConnection.open(daemon.socketPath, 15_000);
    const headers = { Connection: "Upgrade", Upgrade: "tcp" };
    connection.send(encodeRequest({ method: "POST", target: `/v1.41/exec/${exec}/start`, headers, body: {} }));
    expect((await connection.head()).status).toBe(101);
    connection.end();
    await connection.rest();
    expect(await codeOf(exec)).toBe(0);
  }

  async function codeOf(exec: string): Promise<number | null> {
    return (await engine.read<{ ExitCode: number | null }>(`/exec/${exec}/json`)).ExitCode;
  }
});

/** Arguments: a directory to create, an OCI runtime, and the command to run. */
const OWN_NULL = `
nodes=$1 runtime=$2; shift 2
mkdir $nodes; mount -t tmpfs tmpfs $nodes
while read name major minor; do
  mknod -m 666 $nodes/$name c $major $minor; mount --bind $nodes/$name /dev/$name
done <<END
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
END
cat > $nodes/odd <<END
#!/bin/sh
[ "\\$1" = --version ] && echo odd version 1 && exit
for word; do case \\$word in create|start|exec|kill|delete|state|features) break ;; *) word= ;; esac; done
exec 9>>$nodes/given
for fd in 0 1 2; do echo "\\$word \\$fd \\$(stat -Lc '%h %t %F' /proc/\\$\\$/fd/\\$fd)" >&9; done
exec 9>&-
exec $runtime "\\$@"
END
chmod 755 $nodes/odd
exec "$@"`;

/** All files below it. Directories of ended containers may disappear meanwhile. */
function* below(directory: string): Generator<string> {
  for (const entry of unlessGone(() => readdirSync(directory, { withFileTypes: true }))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* below(path);
    else yield path;
  }
}

function unlessGone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The device of a file's file system as mountinfo tells it, in its major and minor number (makedev(3)). */
function deviceOf(path: string): string {
  const { dev } = statSync(path);
  return `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
}
