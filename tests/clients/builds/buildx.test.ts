// docker build with the plugin buildx, unchanged: CORACLE_TEST_BUILDX is the plugin's path.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE, UNPACKAGED } from "../../support/allowed-skips.js";
import { must, run, until, type Finished } from "../../support/commands.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { file, startWebServer } from "../../support/web-server.js";
import { GIT_MISSING, startGitServer } from "../../http/builds/git-server.js";
import { DOCKER_MISSING, DockerCli } from "../docker.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];

onEngines(
  "docker buildx",
  (engine, kind) => {
    forgetsBuilds(engine, kind);
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-buildx-"));
      fs.mkdirSync(join(top, "cli-plugins"));
      fs.symlinkSync(BUILDX!, join(top, "cli-plugins/docker-buildx"));
      fs.mkdirSync(join(top, "context/sub"), { recursive: true });
      fs.writeFileSync(join(top, "context/Dockerfile"), "FROM busybox\nARG A=none\nCOPY . /all/\nRUN echo $A > /a\n");
      fs.writeFileSync(join(top, "context/.dockerignore"), "*.log\n");
      for (const name of ["kept", "left.log", "sub/deep"]) fs.writeFileSync(join(top, "context", name), name);
      fs.symlinkSync("kept", join(top, "context/link"));
      fs.linkSync(join(top, "context/kept"), join(top, "context/sub/same"));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().socketPath, top);
    const context = (): string => join(top, "context");
    const shown = (image: string, command: string): Promise<string> =>
      docker().well("run", "--rm", "--network", "none", image, "sh", "-c", command);

    test("docker build sends the context and names the image; again, every step is cached", async () => {
      const build = ["build", "--progress", "plain", "-t", "kit:2", "--build-arg", "A=given", "--label", "l=1"];
      expect((await docker().run(...build, context())).code).toBe(0);
      expect(await shown("kit:2", "cat /a; cd /all; find . | sort; readlink link; cat sub/same")).toBe(
        "given\n.\n./.dockerignore\n./Dockerfile\n./kept\n./link\n./sub\n./sub/deep\n./sub/same\nkept\nkept",
      );
      const { stderr } = await docker().run(...build, context());
      expect(stderr.match(/ CACHED$/gm)).toHaveLength(2);
      await docker().well("rmi", "kit:2");
    });

    testExcept(kind, { reference: REFERENCE.buildkit })("what can be asked without building is told", async () => {
      const asks = async (question: string): Promise<string> => {
        const env = { ...docker().environment, BUILDX_EXPERIMENTAL: "1" };
        const { code, stdout, stderr } = await run(["docker", "buildx", "build", `--print=${question}`, context()], {
          env,
        });
        expect(code, stderr).toBe(0);
        return stdout;
      };
      expect(await asks("outline")).toContain("BUILD ARG   VALUE   DESCRIPTION\nA           none    \n");
      expect(await asks("targets")).toContain("(default)");
      expect(await asks("subrequests.describe")).toMatch(/^lint +1\.0\.0 +Lint a Dockerfile$/m);
    });

    test("-q prints the id; a Dockerfile may come by a pipe, alone or beside a directory", async () => {
      const alone = await docker().runWith("FROM busybox\nRUN echo piped > /p\n", "build", "-q", "-");
      expect(alone.stdout.trim()).toMatch(/^sha256:[0-9a-f]{64}$/);
      const beside = await docker().runWith(
        "FROM busybox\nCOPY kept /k\n",
        "build",
        "-t",
        "kit:3",
        "-f",
        "-",
        context(),
      );
      expect(beside.code).toBe(0);
      expect(await shown("kit:3", "cat /k")).toBe("kept");
    });

    test("a tar by a pipe is the context, and the cache can be filtered", async () => {
      const tar = join(top, "context.tar");
      await must(["tar", "-C", context(), "-cf", tar, "."]);
      const environment = docker().environment;
      const piped = `docker build --progress plain -t kit:5 - < ${tar}`;
      await must(["sh", "-c", piped], { env: environment });
      expect(await shown("kit:5", "cat /a /all/sub/deep /all/left.log")).toBe("none\nsub/deepleft.log");
      expect(await docker().well("buildx", "du", "--filter", "type=none")).not.toMatch(/^[0-9a-z]{25}/m);
      expect(await docker().well("buildx", "du", "--filter", "type=regular")).toMatch(/^[0-9a-z]{25}/m);
      await docker().well("rmi", "kit:5");
    });

    testExcept(kind, { reference: REFERENCE.buildkit })("--add-host knows the machine by host-gateway", async () => {
      const dockerfile = "FROM busybox\nRUN cat /etc/hosts > /h\n";
      const flags = ["build", "--add-host", "machine:host-gateway", "-t", "kit:6", "-"];
      const built = await docker().runWith(dockerfile, ...flags);
      expect([built.code, built.stderr]).toEqual([0, expect.any(String)]);
      const gateway = await docker().well("network", "inspect", "bridge", "-f", "{{(index .IPAM.Config 0).Gateway}}");
      expect(await shown("kit:6", "cat /h")).toContain(`${gateway.trim()}\tmachine`);
      await docker().well("rmi", "kit:6");
    });

    test("--no-cache-filter makes the named stages anew", async () => {
      const mark = Date.now();
      const steps = ["FROM busybox AS one", `RUN echo one ${mark}`, "FROM busybox", `RUN echo two ${mark}`];
      const dockerfile = [...steps, "COPY --from=one /bin/true /t", ""].join("\n");
      const said = async (...flags: string[]): Promise<string[]> => {
        const built = await docker().runWith(dockerfile, "build", "--progress", "plain", ...flags, "-");
        expect([built.code, built.stderr]).toEqual([0, expect.any(String)]);
        return [...built.stderr.matchAll(/^#\d+ [\d.]+ (one|two) \d+$/gm)].map(([, word]) => word!).sort();
      };
      expect(await said()).toEqual(["one", "two"]);
      expect(await said()).toEqual([]);
      expect(await said("--no-cache-filter", "One")).toEqual(["one"]);
    });

    testExcept(kind, { reference: REFERENCE.after141 })(
      "--build-context names an image or a directory, which stands for images and stages of that name",
      async () => {
        fs.mkdirSync(join(top, "other/sub"), { recursive: true });
        for (const name of ["file", "left.log", "sub/deep"]) fs.writeFileSync(join(top, "other", name), name);
        fs.writeFileSync(join(top, "other/.dockerignore"), "*.log\n");
        const dockerfile = [
          "FROM scratch AS replaced",
          "COPY missing /",
          "FROM base:latest AS made",
          "COPY --from=replaced /file /from-stage",
          "COPY --from=dir.example/files . /all/",
          "RUN --mount=type=bind,from=dir.example/files,target=/m cat /m/sub/deep > /mounted",
          "FROM dir.example/files AS whole",
          "FROM made",
          "COPY --from=whole /sub /sub",
          "",
        ].join("\n");
        const build = async (): Promise<string> => {
          const built = await docker().runWith(
            dockerfile,
            ...["build", "--progress", "plain", "-t", "kit:6", "-f", "-"],
            ...["--build-context", "base=docker-image://busybox:latest"],
            ...["--build-context", `replaced=${join(top, "other")}`],
            ...["--build-context", `dir.example/files=${join(top, "other")}`],
            context(),
          );
          expect([built.code, built.stderr]).toEqual([0, expect.any(String)]);
          return built.stderr;
        };
        const files = "cat /from-stage /mounted /sub/deep; cd /all; find . | sort";
        const found = "filesub/deepsub/deep.\n./.dockerignore\n./file\n./sub\n./sub/deep\n";
        expect(await build()).toMatch(/^#\d+ \[context replaced\] load from client$/m);
        expect(await shown("kit:6", files)).toBe(found);
        expect((await build()).match(/ (COPY --from|RUN --mount).*\n#\d+ CACHED$/gm)).toHaveLength(4);
        fs.writeFileSync(join(top, "other/sub/deep"), "changed");
        expect(await build()).not.toMatch(/ RUN --mount.*\n#\d+ CACHED$/m);
        expect(await shown("kit:6", files)).toBe(found.replace("sub/deepsub/deep", "changedchanged"));
        await docker().well("rmi", "kit:6");
      },
    );

    if (kind === "linux" && GIT_MISSING === null)
      test("--build-context names a repository or a file of a web server", async () => {
        const address = engine().daemon.netns.hostAddress;
        const git = await startGitServer(address, "user:word");
        const web = await startWebServer(address, { "/f$A": file(Buffer.from("of the web")) });
        try {
          git.commit("a.git", { "d/x": "x" }, "v1");
          const built = await docker().runWith(
            "FROM busybox\nCOPY --from=repository / /r/\nCOPY --from=web /context /w\n",
            ...["build", "--progress", "plain", "-t", "kit:7"],
            ...["--build-context", `repository=${git.url}/a.git#v1:d`, "--build-context", `web=${web.url}/f$A`],
            "-",
          );
          expect([built.code, built.stderr]).toEqual([0, expect.stringContaining("[context web] http://")]);
          expect(await shown("kit:7", "cd /r; ls -A; cat x /w; stat -c %a /w")).toBe("x\nxof the web600\n");
          await docker().well("rmi", "kit:7");
        } finally {
          await Promise.all([git.close(), web.close()]);
        }
      });

    testExcept(kind, { reference: REFERENCE.buildkit })("an error shows the lines of the Dockerfile", async () => {
      const { code, stderr } = await docker().runWith(
        "FROM busybox\nRUN echo said; exit 3\n",
        "build",
        "-f",
        "-",
        context(),
      );
      expect(code).toBe(1);
      expect(stderr).toContain(" said\n");
      expect(stderr).toMatch(/^ {3}2 \| >>> RUN echo said; exit 3$/m);
      expect(stderr).toContain("did not complete successfully: exit code: 3");
    });

    test("--secret gives one to the step that mounts it, from a file or from a variable", async () => {
      fs.writeFileSync(join(top, "secret"), "of a file\n");
      const mounts = "--mount=type=secret,id=f --mount=type=secret,id=v,target=/v,mode=0444,required=true";
      const built = await docker().runWith(
        `FROM busybox\nRUN ${mounts} cat /run/secrets/f /v | wc -c > /size && stat -c %a /v >> /size\n`,
        ...["build", "--progress", "plain", "-t", "kit:4", "--secret", `id=f,src=${join(top, "secret")}`],
        ...["--secret", "id=v,env=DOCKER_CLI_HINTS", "-f", "-", context()],
      );
      expect([built.code, built.stderr]).toEqual([0, expect.any(String)]);
      const size = "of a file\n".length + "false".length;
      expect(await shown("kit:4", "cat /size; cat /run/secrets/f /v | wc -c")).toBe(`${size}\n444\n0\n`);
      const lacking = "FROM busybox\nRUN --mount=type=secret,id=none,required=true true\n";
      const failed = await docker().runWith(lacking, "build", "-f", "-", context());
      expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/secret none.*not found/)]);
      await docker().well("rmi", "kit:4");
    });

    test("--ssh gives an agent to the step that mounts it, and to nothing else", async () => {
      const own = fs.mkdtempSync(join(top, "agent-"));
      const { env, fingerprint, end } = await agentIn(own);
      try {
        await copySshAdd(join(own, "tools"));
        // More connections than may be there at once. Programs of a simulated world connect to nothing.
        const ask =
          kind === "simulated"
            ? `echo '${fingerprint}' > /told`
            : "for i in $(seq 40); do ssh-add -l > /told || exit 1; done";
        const build = (mount: string, ...flags: string[]): Promise<Finished> => {
          const step = `RUN --mount=${mount} test -S $SSH_AUTH_SOCK || exit 1; ${ask}`;
          fs.writeFileSync(join(own, "tools/Dockerfile"), `FROM busybox\nCOPY . /\n${step}\n`);
          const all = ["build", "--progress", "plain", "-t", "kit:6", ...flags, join(own, "tools")];
          return run(["docker", ...all], { env: { ...docker().environment, ...env } });
        };
        const built = await build("type=ssh", "--ssh", "default");
        expect([built.code, built.stderr]).toEqual([0, expect.any(String)]);
        expect(await shown("kit:6", "cat /told; ls -A /run/buildkit; echo $SSH_AUTH_SOCK")).toBe(`${fingerprint}\n\n`);
        // The client is an agent itself, for a key of its own.
        const named = await build("type=ssh,id=k,required=true", "--ssh", `k=${join(own, "key")}`);
        expect([named.code, named.stderr]).toEqual([0, expect.any(String)]);
        expect(await shown("kit:6", "cut -d ' ' -f 2 /told")).toBe(`${fingerprint.split(" ")[1]}\n`);
        const lacking = await build("type=ssh,id=none,required=true", "--ssh", "default");
        expect([lacking.code, lacking.stderr]).toEqual([1, expect.stringMatching(/unset ssh forward key none/)]);
        await docker().well("rmi", "kit:6");
      } finally {
        end();
      }
    });

    test("ls and du tell of the engine's builder", async () => {
      expect(await docker().well("buildx", "ls")).toContain("running");
      expect(await docker().well("buildx", "du")).toContain("Total:");
    });
  },
  { missing: DOCKER_MISSING ?? (BUILDX === undefined ? UNPACKAGED.buildx : null) },
);

/** A real ssh agent, with one key. The key is in the directory, too. */
async function agentIn(directory: string): Promise<{ env: NodeJS.ProcessEnv; fingerprint: string; end: () => void }> {
  const socket = join(directory, "socket");
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
  try {
    await until("the agent listens", () => fs.existsSync(socket));
    const env = { SSH_AUTH_SOCK: socket };
    const key = join(directory, "key");
    await must(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "of a test", "-f", key]);
    await must(["ssh-add", "-q", key], { env });
    return { env, fingerprint: (await must(["ssh-add", "-l"], { env })).trim(), end: () => agent.kill() };
  } catch (error) {
    agent.kill();
    throw error;
  }
}

/** This machine's ssh-add with its libraries, below a directory. */
async function copySshAdd(directory: string): Promise<void> {
  const program = "/usr/bin/ssh-add";
  const libraries = [...(await must(["ldd", program])).matchAll(/(\/\S+) \(/g)].map(([, path]) => path!);
  fs.mkdirSync(directory);
  await must(["cp", "--parents", "--dereference", program, ...libraries, directory]);
}
