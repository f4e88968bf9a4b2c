// The docker CLI, unchanged: every `docker container …` command once, during the life of one container; resized
// terminals.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { stamp } from "../support/past-events.js";
import { DOCKER_MISSING, DockerCli, TERMINAL_MISSING } from "./docker.js";

/** Runs until it is stopped; reads a line if the file /ask exists. */
const WORK = `trap 'exit 3' TERM; echo begun; if [ -e /ask ]; then read -r line; echo got $line; exit 5; fi
while :; do sleep 0.1; done`;

onEngines(
  "docker container",
  (engine) => {
    let place = "";
    beforeAll(async () => {
      place = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(place, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().daemon.socketPath, place);

    test("every subcommand", async () => {
      const used = new Set<string>();
      const container = async (command: string, ...args: string[]): Promise<string> => {
        used.add(command);
        return (await docker().well("container", command, ...args)).trim();
      };
      const state = (): Promise<string> => container("inspect", "-f", "{{.State.Status}}", "life");

      const id = await container("create", "-i", "--name", "life", "-p", "127.0.0.1::80", "busybox", "sh", "-c", WORK);
      expect(await container("ls", "-aq", "--no-trunc")).toBe(id);
      expect(await container("start", "life")).toBe("life");
      expect(await container("port", "life", "80")).toMatch(/^127\.0\.0\.1:\d+$/);
      await expect.poll(() => container("logs", "life")).toBe("begun");
      expect(await container("top", "life", "-o", "pid,comm")).toContain("sh");
      expect(await container("stats", "--no-stream", "--format", "{{.Name}}", "life")).toBe("life");
      expect(await container("exec", "life", "sh", "-c", "echo hi > /made; cat /made")).toBe("hi");
      expect((await container("diff", "life")).split("\n")).toContain("A /made");
      await writeFile(join(place, "file"), "copied");
      await container("cp", join(place, "file"), "life:/tmp/file");
      await container("cp", "life:/tmp/file", join(place, "back"));
      expect(await readFile(join(place, "back"), "utf8")).toBe("copied");
      await container("export", "-o", join(place, "tar"), "life");
      expect((await readFile(join(place, "tar"))).includes("made")).toBe(true);
      await container("pause", "life");
      expect(await state()).toBe("paused");
      await container("unpause", "life");
      await container("rename", "life", "other");
      await container("rename", "other", "life");
      await container("update", "--restart", "on-failure:1", "life");
      await container("update", "--restart", "no", "life");
      await container("restart", "-t", "5", "life");
      expect(await state()).toBe("running");
      const wait = container("wait", "life");
      await container("stop", "life");
      expect([await wait, await state()]).toEqual(["3", "exited"]);
      await container("start", "life");
      await container("exec", "life", "touch", "/ask");
      await container("kill", "life");
      expect(await container("inspect", "-f", "{{.State.ExitCode}}", "life")).toBe("137");
      await container("start", "life");
      used.add("attach");
      const attached = await docker().runWith("one\n", "container", "attach", "life");
      expect([attached.code, attached.stdout]).toEqual([5, "got one\n"]);
      expect(await container("commit", "-m", "kept", "life", "kept:2")).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(await container("run", "--rm", "--name", "second", "kept:2", "cat", "/made")).toBe("hi");
      expect(await container("prune", "-f")).toContain(id);
      await container("create", "--name", "life", "busybox");
      expect(await container("rm", "life")).toBe("life");
      await docker().well("rmi", "kept:2");

      expect([...used].toSorted()).toEqual(await commandsOf("container"));
    });

    test("live events, with filters, as JSON", async () => {
      const since = await stamp(engine());
      const filters = ["--filter", "container=told", "--filter", "event=start", "--filter", "event=die"];
      const events = docker().spawn(["system", "events", "--since", since, ...filters, "--format", "{{json .}}"]);
      let shown = "";
      events.stdout.on("data", (bytes: Buffer) => (shown += bytes.toString()));
      const small = ["--label", "kind=small", "busybox", "sh", "-c", "exit 4"];
      expect((await docker().run("run", "--name", "told", ...small)).code).toBe(4);
      await expect.poll(() => shown.split("\n").length).toBe(3);
      const ended = new Promise((resolve) => events.once("exit", resolve));
      events.kill("SIGINT");
      await ended;
      const told = shown
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { Action: string; Actor: { Attributes: Record<string, string> } });
      expect(told.map(({ Action }) => Action)).toEqual(["start", "die"]);
      expect(told[1]?.Actor.Attributes).toMatchObject({ name: "told", image: "busybox", kind: "small", exitCode: "4" });
      await docker().well("rm", "told");
    });

    for (const how of ["run", "exec"] as const) {
      test(`${how} -it: resizes the container's terminal; Ctrl-C interrupts the running command`, async ({ skip }) => {
        if (TERMINAL_MISSING !== null) skip(TERMINAL_MISSING);
        // A failed attempt may have left the container.
        await docker().well("rm", "-f", "beside");
        await docker().well("run", "-d", "--name", "beside", "busybox", "sleep", "1000");
        const args = how === "run" ? ["run", "-it", "--rm", "busybox", "sh"] : ["exec", "-it", "beside", "sh"];
        const until = (size: string): string =>
          `until [ "$(stty size)" = "${size}" ]; do sleep 0.1; done; echo si''zed\r`;
        const answer = await docker().onTerminal(
          [
            ["# ", `${until("33 101")}`],
            ["sized\r\n/ # ", [44, 120]],
            ["", until("44 120")],
            // A shell with job control that is about to start a command may miss the key.
            ["sized\r\n/ # ", `sh -c "echo be''gun; sleep 100"\r`],
            ["begun\r\n", "\x03"],
            ["# ", "exit 6\r"],
          ],
          ...args,
        );
        expect([answer.code, answer.stdout.match(/sized\r\n/g)?.length]).toEqual([6, 2]);
        await docker().well("rm", "-f", "beside");
      });
    }

    /** The commands that the client lists. */
    async function commandsOf(noun: string): Promise<string[]> {
      const text = await docker().well(noun, "--help");
      return [...text.slice(text.indexOf("Commands:")).matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name ?? "");
    }
  },
  { missing: DOCKER_MISSING },
);
