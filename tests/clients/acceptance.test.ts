// What a new user does with the docker CLI over the daemon's whole life: many containers at once, a reboot, a shutdown
// and a restart. Each test must leave nothing behind.
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram, must, run, until, type Finished } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { childrenOf, findProcesses } from "../support/processes.js";

const docker = findProgram("docker");
const missing = docker === null ? "the docker CLI is not installed" : missingLinux();

describeUnless(missing, "the docker CLI over the daemon's life", () => {
  let daemon: DaemonProcess;
  beforeAll(async () => {
    daemon = await startCoracle();
  });
  afterAll(async () => daemon?.close());

  test("24 runs with stdin, limits, a volume and a port, six at a time: all are answered, none is left", async () => {
    const outcomes: Finished[] = [];
    for (let first = 0; first < 24; first += 6) {
      const six = Array.from({ length: 6 }, (_, index) => runWith(first + index));
      outcomes.push(...(await Promise.all(six)));
    }
    const expected = outcomes.map((_, index) => [index, `${index}\n`]);
    expect(outcomes.map(({ code, stdout }) => [code, stdout])).toEqual(expected);
    expect(await well("ps", "-aq")).toBe("");
    expect(await well("volume", "ls", "-q")).toBe("");
  });

  test("concurrent start, stop, kill and remove of one container all end, and leave it removed or not", async () => {
    await well("create", "--name", "raced", "busybox", "sleep", "1000");
    const acts = [["start"], ["stop", "-t", "0"], ["kill"], ["start"], ["rm"], ["rm", "-f"], ["start"], ["wait"]];
    const codes = (await Promise.all(acts.map((act) => cli(...act, "raced")))).map(({ code }) => code);
    expect(codes.every((code) => code === 0 || code === 1)).toBe(true);
    await cli("rm", "-f", "raced");
    expect(await well("ps", "-aq")).toBe("");
  });

  test("a reboot: running containers ended with 255, keep their logs and start again; --rm containers are gone", async () => {
    await well("run", "-d", "--name", "kept", "-p", "8200:80", "busybox", "sh", "-c", "echo said; exec sleep 1000");
    await well("run", "-d", "--rm", "--name", "passing", "busybox", "sleep", "1000");
    await well("create", "--name", "waiting", "busybox", "true");
    await reboot();
    const states = async () => (await well("ps", "-a", "--format", "{{.Names}} {{.State}}")).trim().split("\n").sort();
    await expect.poll(states).toEqual(["kept exited", "waiting created"]);
    expect(await well("inspect", "-f", "{{.State.ExitCode}} {{.State.Pid}}", "kept")).toBe("255 0\n");
    expect(await well("logs", "kept")).toBe("said\n");
    expect(await well("start", "kept")).toBe("kept\n");
    expect(await well("port", "kept")).toContain("80/tcp -> 0.0.0.0:8200");
    await well("rm", "-f", "kept", "waiting");
  });

  /**
   * Simulates power off and on: every process, mount, link, firewall rule and everything under the exec root is gone.
   */
  async function reboot(): Promise<void> {
    const { directories, netns } = daemon;
    await daemon.end("SIGKILL");
    const supervisors = findProcesses(`${directories.root}/`);
    for (const pid of supervisors.flatMap((one) => [one, ...childrenOf(one)])) process.kill(pid, "SIGKILL");
    await until("their end", () => findProcesses(`${directories.root}/`).length === 0);
    const mounts = (await must(["cat", "/proc/self/mounts"])).split("\n").map((line) => line.split(" ")[1] ?? "");
    for (const mount of mounts.filter((path) => path.startsWith(`${directories.root}/`)).reverse()) {
      await run(["umount", "-l", mount]);
    }
    await must(netns.inside(["nft", "flush", "ruleset"]));
    const bridges = "for link in /sys/class/net/*/bridge; do ip link del $(basename $(dirname $link)); done";
    await run(["ip", "netns", "exec", netns.name, "sh", "-c", bridges]);
    await rm(directories.execRoot, { recursive: true, force: true });
    await daemon.start();
  }

  /** A run that prints its number and exits with it. */
  function runWith(number: number): Promise<Finished> {
    const options = ["-i", "--rm", "-p", "80", "-m", "32m", "-v", "/scratch"];
    const command = ["sh", "-c", `cat; exit ${number}`];
    return run([...program(), "run", ...options, "busybox", ...command], { input: `${number}\n` });
  }

  function cli(...args: string[]): Promise<Finished> {
    return run([...program(), ...args]);
  }

  function well(...args: string[]): Promise<string> {
    return must([...program(), ...args]);
  }

  function program(): string[] {
    return [docker ?? "docker", "-H", `unix://${daemon.socketPath}`];
  }
});
