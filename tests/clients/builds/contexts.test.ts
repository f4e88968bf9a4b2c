// docker build with the plugin buildx, of contexts that are elsewhere: in git repositories, on web servers, in archives.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GIT_MISSING, startGitServer, type GitServer } from "../../http/builds/git-server.js";
import { rawTar } from "../../support/archives/tar.js";
import { REFERENCE, UNPACKAGED } from "../../support/allowed-skips.js";
import { must } from "../../support/commands.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { file, startWebServer, type WebServer } from "../../support/web-server.js";
import { DOCKER_MISSING, DockerCli } from "../docker.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];
const FILES = {
  Dockerfile: "FROM busybox\nCOPY . /c\n",
  "Dockerfile.dockerignore": "*\n",
  ".dockerignore": "Dockerfile\nx\n",
  x: "x",
};
/** Only the files of a session are chosen by a `.dockerignore`. */
const COPIED = ".dockerignore\nDockerfile\nDockerfile.dockerignore\nx\n";

onEngines(
  "docker buildx, contexts elsewhere",
  (engine, kind) => {
    forgetsBuilds(engine, kind);
    let top = "";
    let git: GitServer;
    let web: WebServer;
    const archive = rawTar(Object.entries(FILES).map(([name, body]) => ({ name, body })));
    beforeAll(async () => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-contexts-"));
      fs.mkdirSync(join(top, "cli-plugins"));
      fs.symlinkSync(BUILDX!, join(top, "cli-plugins/docker-buildx"));
      const address = engine().daemon.netns.hostAddress;
      git = await startGitServer(address, "");
      web = await startWebServer(address, {
        "/c.tar": file(archive),
        "/Dockerfile": file(Buffer.from("FROM busybox\nRUN mkdir /c && echo > /c/web\n")),
      });
    });
    afterAll(async () => {
      await git?.close();
      await web?.close();
      fs.rmSync(top, { recursive: true, force: true });
    });
    const docker = (): DockerCli => new DockerCli(engine().socketPath, top);
    const copied = async (): Promise<string> => {
      const files = await docker().well("run", "--rm", "--network", "none", "elsewhere", "ls", "-A", "/c");
      await docker().well("rmi", "elsewhere");
      return files;
    };
    const build = async (...words: string[]): Promise<string> => {
      await docker().well("build", "-t", "elsewhere", ...words);
      return copied();
    };

    test("an archive or a Dockerfile on a web server", async () => {
      expect(await build(`${web.url}/c.tar`)).toBe(COPIED);
      expect(await build(`${web.url}/Dockerfile`)).toBe("web\n");
      expect((await docker().run("build", `${web.url}/none`)).stderr).toContain("404");
    });

    test("an archive by a pipe", async () => {
      fs.writeFileSync(join(top, "c.tar"), archive);
      const command = `docker build -t elsewhere - < ${join(top, "c.tar")}`;
      await must(["sh", "-c", command], { env: docker().environment });
      expect(await copied()).toBe(COPIED);
    });

    testExcept(kind, { reference: REFERENCE.buildkit })(
      "targets of a bake that are built from other targets of it",
      async () => {
        fs.mkdirSync(join(top, "bake"), { recursive: true });
        const targets = {
          target: {
            base: { "dockerfile-inline": "FROM busybox\nENV A=base\nRUN echo made > /made\n" },
            one: {
              contexts: { parent: "target:base" },
              "dockerfile-inline": "FROM parent\nENV B=one\n",
              tags: ["one"],
            },
            two: {
              contexts: { parent: "target:base", other: "target:one" },
              "dockerfile-inline": "FROM other\nCOPY --from=parent /made /copied\n",
              tags: ["two"],
            },
          },
        };
        fs.writeFileSync(join(top, "bake/bake.json"), JSON.stringify(targets));
        const file = join(top, "bake/bake.json");
        await must(["docker", "buildx", "bake", "-f", file, "one", "two"], {
          env: docker().environment,
          cwd: join(top, "bake"),
        });
        const said = 'echo "$A $B"; cat /made /copied';
        const ran = await docker().well("run", "--rm", "--network", "none", "two", "sh", "-c", said);
        expect(ran).toBe("base one\nmade\nmade\n");
        await docker().well("rmi", "one", "two");
      },
    );

    if (kind === "simulated") return;

    test("a git repository, without its history", async () => {
      git.commit("a.git", FILES);
      expect(await build(`${git.url}/a.git#main`)).toBe(COPIED);
      expect((await docker().run("build", `${git.url}/a.git#none`)).stderr).toMatch(/ref none/);
      expect((await docker().run("build", `${git.url}/none.git#main`)).stderr).toMatch(/repository .*none\.git/);
    });

    testExcept(kind, { reference: REFERENCE.buildkit })(
      "a directory of one, its main branch, and its history if it is asked for",
      async () => {
        git.commit("b.git", { "d/Dockerfile": FILES.Dockerfile, "d/y": "y", Dockerfile: "FROM none\n" });
        expect(await build(`${git.url}/b.git#main:d`)).toBe("Dockerfile\ny\n");
        git.commit("b.git", { Dockerfile: FILES.Dockerfile });
        expect(await build(`${git.url}/b.git`)).toBe("Dockerfile\nd\n");
        const keeps = ["--build-arg", "BUILDKIT_CONTEXT_KEEP_GIT_DIR=1"];
        expect(await build(...keeps, `${git.url}/b.git`)).toBe(".git\nDockerfile\nd\n");
      },
    );
  },
  { missing: DOCKER_MISSING ?? GIT_MISSING ?? (BUILDX === undefined ? UNPACKAGED.buildx : null) },
);
