// docker build with the plugin buildx on a real terminal, unchanged: CORACLE_TEST_BUILDX is the plugin's path.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE, UNPACKAGED } from "../../support/allowed-skips.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { DOCKER_MISSING, DockerCli, TERMINAL_MISSING } from "../docker.js";
import { shownOn } from "./screen.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];
/** Of the terminal. */
const COLUMNS = 101;
const DOCKERFILE =
  "FROM busybox AS one\nRUN echo first; sleep 1; echo last; sleep 1\nFROM busybox\nCOPY . /all/\nCOPY --from=one /etc/passwd /p\n";
/** Seconds at the end of a line. */
const TIME = /^(.*?) +(\d+\.\d)s$/;

onEngines(
  "docker build on a terminal",
  (engine, kind) => {
    forgetsBuilds(engine, kind);
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-buildx-"));
      fs.mkdirSync(join(top, "cli-plugins"));
      fs.symlinkSync(BUILDX!, join(top, "cli-plugins/docker-buildx"));
      fs.mkdirSync(join(top, "context"));
      fs.writeFileSync(join(top, "context/data"), Buffer.alloc(2_000_000, 1));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));

    /** What is on the terminal at the end, and what was ever sent to it. */
    async function built(dockerfile: string, ...flags: string[]) {
      fs.writeFileSync(join(top, "context/Dockerfile"), dockerfile);
      const docker = new DockerCli(engine().socketPath, top);
      const { code, stdout } = await docker.onTerminal([], "build", ...flags, join(top, "context"));
      // The first line is below the cursor.
      return { code, stdout, lines: shownOn(COLUMNS, stdout).slice(1) };
    }

    test("shows each step once, with its time, and how much of the context was sent", async () => {
      const { code, stdout, lines } = await built(DOCKERFILE, "--no-cache", "-t", "terminal:1");
      expect(code, stdout).toBe(0);
      const [head, ...rest] = lines;
      expect(head).toMatch(/^\[\+\] Building \d+\.\ds \((\d+)\/\1\) FINISHED/);
      const steps = rest.map((line) => TIME.exec(line)?.slice(1) ?? [line]);
      expect(steps.map(([what]) => what)).toEqual(
        expect.arrayContaining([
          " => [internal] load build definition from Dockerfile",
          expect.stringMatching(/^ => => transferring dockerfile: \d\d\dB$/),
          " => [internal] load .dockerignore",
          " => [internal] load build context",
          " => => transferring context: 2.00MB",
          " => [one 2/2] RUN echo first; sleep 1; echo last; sleep 1",
          " => [stage-1 2/3] COPY . /all/",
          " => [stage-1 3/3] COPY --from=one /etc/passwd /p",
          " => exporting to image",
          expect.stringMatching(/^ => => writing image sha256:[0-9a-f]{64}$/),
          " => => naming to docker.io/library/terminal:1",
        ]),
      );
      expect(new Set(lines).size).toBe(lines.length);
      const [, seconds] = steps.find(([what]) => what?.includes("RUN echo first"))!;
      expect(Number(seconds)).toBeGreaterThan(1.9);
      // While it ran.
      expect(stdout).toMatch(/ => => # first +\r\n/);
      expect(lines.join("\n")).not.toContain("# first");
      await new DockerCli(engine().socketPath, top).well("rmi", "terminal:1");
    });

    test("shows what two steps write that run at the same time", async () => {
      const stages = ["one", "two"].map((name) => `FROM busybox AS ${name}\nRUN echo said ${name}; sleep 2\n`);
      const copies = ["one", "two"].map((name) => `COPY --from=${name} /etc/passwd /${name}\n`);
      const { code, stdout } = await built(`${stages.join("")}FROM busybox\n${copies.join("")}`, "--no-cache");
      expect(code, stdout).toBe(0);
      const drawn = stdout
        .split("[+] Building")
        .map((text) => ["# said one", "# said two"].map((said) => text.includes(said)));
      expect(drawn).toContainEqual([true, true]);
    });

    test("marks what is cached", async () => {
      await built(DOCKERFILE);
      const { lines } = await built(DOCKERFILE);
      expect(lines.filter((line) => / => CACHED .*(?:RUN|COPY) /.test(line))).toHaveLength(3);
    });

    testExcept(kind, { reference: REFERENCE.buildkit })(
      "shows where a Dockerfile is wrong, and what may be meant",
      async () => {
        const { code, lines } = await built("FROM busybox\nRUNX echo\n");
        expect(code).toBe(1);
        const shown = lines.join("\n");
        expect(shown).toMatch(/^Dockerfile:2\n-+\n +1 \| +FROM busybox\n +2 \| >>> RUNX echo\n/m);
        expect(lines.join("")).toContain("unknown instruction: RUNX (did you mean RUN?)");
      },
    );

    testExcept(kind, { reference: REFERENCE.buildkit })("shows what failed, where, and what it had said", async () => {
      const failed = await built("FROM busybox\nRUN echo said; exit 3\n", "--no-cache");
      expect(failed.code).toBe(1);
      const shown = failed.lines.join("\n");
      expect(shown).toMatch(/^ => ERROR \[2\/2\] RUN echo said; exit 3 +\d+\.\ds$/m);
      expect(shown).toMatch(/^------\n > \[2\/2\] RUN echo said; exit 3:\n#?\d* ?\d+\.\d+ said\n------$/m);
      expect(shown).toMatch(/^ +2 \| >>> RUN echo said; exit 3$/m);
      // Longer than the terminal is wide.
      expect(failed.lines.join("")).toContain(
        'process "/bin/sh -c echo said; exit 3" did not complete successfully: exit code: 3',
      );
    });
  },
  { missing: (BUILDX === undefined ? UNPACKAGED.buildx : null) ?? DOCKER_MISSING ?? TERMINAL_MISSING },
);
