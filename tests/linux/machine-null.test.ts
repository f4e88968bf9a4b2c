// The machine's /dev/null stays as it is, whatever processes in containers do with what they are given as their standard
// streams, and whoever they run as. The daemon has one of its own here: a failure is not to spoil the machine's.
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findProgram, until } from "../support/commands.js";
import { launchDaemon, type DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { CORACLE, engines } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;

/** Another runtime as far as anybody can tell: it calls itself by another name. */
const ODD = ["runc", "crun"].map(findProgram).find((path) => path !== null);
/** Tries all that it may do to its streams, which may be refused. */
const CHANGE = ["sh", "-c", "for f in 0 1 2; do chmod 600 /proc/self/fd/$f; touch /proc/self/fd/$f; done 2>&1; true"];

describeUnless(missing, "the machine's /dev/null", () => {
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
    before = node();
  });
  afterAll(async () => daemon?.close());
  afterEach(() => expect(node()).toEqual(before));

  for (const Runtime of ["crun", "runc", "odd"].filter((name) => name === "odd" || findProgram(name) !== null))
    for (const User of ["", "777"])
      describe(`containers and execs by ${Runtime} as ${User === "" ? "root" : "a user"}`, () => {
        let id = "";
        beforeAll(async () => {
          id = await engine.running({ Cmd: ["sleep", "1000"], User, HostConfig: { Runtime, NetworkMode: "none" } });
        });

        test.each([{}, { Tty: true }, { OpenStdin: true }])("a container, %j", async (how) => {
          const ended = await engine.run({ ...how, User, Cmd: CHANGE, HostConfig: { Runtime, NetworkMode: "none" } });
          expect(ended.code).toBe(0);
        });

        test.each([{}, { Tty: true }, { AttachStdin: true }, { AttachStdin: true, Tty: true }])(
          "an exec, %j",
          async (how) => {
            await attached(await created({ ...how, Cmd: CHANGE }));
          },
        );

        test.each([{}, { Tty: true }])("a detached exec, %j", async (how) => {
          const exec = await created({ ...how, Cmd: CHANGE });
          await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
          await until("its end", async () => (await codeOf(exec)) === 0);
        });

        test("a detached exec has a device to read nothing from", async () => {
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

  test("a health check of a container with a user", async () => {
    const Healthcheck = { Test: ["CMD", ...CHANGE], Interval: 1_000_000_000, Timeout: 30_000_000_000 };
    const id = await engine.running({ Cmd: ["sleep", "1000"], User: "777", Healthcheck });
    const status = async () =>
      (await engine.read<{ State: { Health: { Status: string } } }>(`/containers/${id}/json`)).State.Health.Status;
    await until("its health", async () => (await status()) === "healthy");
  });

  /** Of the daemon's machine. */
  function node(): Json {
    const { uid, gid, mode, mtimeNs, ctimeNs } = statSync(`/proc/${daemon.pid()}/root/dev/null`, { bigint: true });
    return { uid, gid, mode, mtimeNs, ctimeNs };
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

/** Arguments: a directory to be made, an OCI runtime, and what is to be run. */
const OWN_NULL = `
nodes=$1 runtime=$2; shift 2
mkdir $nodes; mount -t tmpfs tmpfs $nodes
mknod -m 666 $nodes/null c 1 3; mount --bind $nodes/null /dev/null
printf '#!/bin/sh\\n[ "$1" = --version ] && echo odd version 1 && exit\\nexec %s "$@"\\n' $runtime > $nodes/odd
chmod 755 $nodes/odd
exec "$@"`;
