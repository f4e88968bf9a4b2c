// docker build, unchanged: of a directory, of a Dockerfile that comes by a pipe, and with the CLI's options.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawTar } from "../../support/archives/tar.js";
import { run } from "../../support/commands.js";
import { onEngines } from "../../support/on-engines.js";
import { file, startWebServer } from "../../support/web-server.js";
import { DOCKER_MISSING, DockerCli } from "../docker.js";

onEngines(
  "docker build",
  (engine) => {
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-build-"));
      fs.mkdirSync(join(top, "context/sub"), { recursive: true });
      fs.writeFileSync(join(top, "context/Dockerfile"), "FROM busybox\nARG A=none\nCOPY . /all/\nRUN echo $A > /a\n");
      fs.writeFileSync(join(top, "context/.dockerignore"), "*.log\n");
      for (const name of ["kept", "left.log", "sub/deep"]) fs.writeFileSync(join(top, "context", name), name);
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().socketPath, top);
    const shown = (image: string, command: string): Promise<string> =>
      docker().well("run", "--rm", "--network", "none", image, "sh", "-c", command);

    test("of a directory, with its .dockerignore, a tag and an argument", async () => {
      await docker().well("build", "-t", "cli:1", "--build-arg", "A=given", "--label", "l=1", join(top, "context"));
      expect(await shown("cli:1", "cat /a; cd /all; find . -type f | sort")).toBe(
        "given\n./.dockerignore\n./Dockerfile\n./kept\n./sub/deep\n",
      );
      const again = await docker().well(
        "build",
        "-t",
        "cli:1",
        "--build-arg",
        "A=given",
        "--label",
        "l=1",
        join(top, "context"),
      );
      expect(again.match(/Using cache/g)).toHaveLength(4);
      await docker().well("rmi", "cli:1");
    });

    test("of a Dockerfile by a pipe, alone and beside a directory", async () => {
      const alone = await docker().runWith("FROM busybox\nRUN echo piped > /p\n", "build", "-q", "-");
      expect(alone.stdout).toMatch(/^sha256:[0-9a-f]{64}\n$/);
      const beside = await docker().runWith(
        "FROM busybox\nCOPY kept /k\n",
        "build",
        "-t",
        "cli:2",
        "-f",
        "-",
        join(top, "context"),
      );
      expect(beside.code).toBe(0);
      expect(await shown("cli:2", "cat /k")).toBe("kept");
      await docker().well("rmi", "cli:2", alone.stdout.trim());
    });

    test("of a tar and of a Dockerfile that a web server has, with and without DOCKER_BUILDKIT=0", async () => {
      const context = rawTar([
        { name: "Dockerfile", body: "FROM busybox\nCOPY a /a\n" },
        { name: "a", body: "of the web" },
      ]);
      const web = await startWebServer(engine().daemon.netns.hostAddress, {
        "/x.tar.gz": file(gzipSync(context)),
        "/Dockerfile": file(Buffer.from("FROM busybox\nRUN echo alone > /a\n")),
      });
      for (const [path, content] of [
        ["x.tar.gz", "of the web"],
        ["Dockerfile", "alone\n"],
      ] as const) {
        for (const more of [{}, { DOCKER_BUILDKIT: "0" }]) {
          const env = { ...docker().environment, ...more };
          const built = await run(["docker", "build", "-t", "cli:3", `${web.url}/${path}`], { env });
          expect(built.code, built.stderr).toBe(0);
        }
        expect(await shown("cli:3", "cat /a")).toBe(content);
      }
      await docker().well("rmi", "cli:3");
      await web.close();
    });

    test("ends with the code of the command that failed", async () => {
      const failed = await docker().runWith("FROM busybox\nRUN exit 7\n", "build", "--force-rm", "-");
      expect(failed.code).toBe(7);
      expect(failed.stderr).toContain("The command '/bin/sh -c exit 7' returned a non-zero code: 7");
    });
  },
  { missing: DOCKER_MISSING },
);
