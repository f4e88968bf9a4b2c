// docker cp, export and diff, unchanged: files, directories, links and streams, both ways, running or not.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { readTar } from "../support/archives/read-tar.js";
import { rawTar } from "../support/archives/tar.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

onEngines(
  "docker cp",
  (engine) => {
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-cp-"));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));
    beforeEach(() => {
      for (const name of fs.readdirSync(top)) fs.rmSync(join(top, name), { recursive: true });
    });

    for (const runs of [true, false]) {
      const what = runs ? "a running container" : "one that stands still";

      test(`files into ${what} and out again`, async () => {
        const id = await made(runs);
        fs.writeFileSync(join(top, "note"), "a note", { mode: 0o640 });
        await docker().well("cp", join(top, "note"), `${id}:/tmp`);
        await docker().well("cp", join(top, "note"), `${id}:/tmp/renamed`);
        await docker().well("cp", `${id}:/tmp/note`, join(top, "back"));
        await docker().well("cp", `${id}:/tmp/renamed`, top);
        expect(fs.readFileSync(join(top, "back"), "utf8")).toBe("a note");
        expect(fs.readFileSync(join(top, "renamed"), "utf8")).toBe("a note");
        expect(fs.statSync(join(top, "back")).mode & 0o777).toBe(0o640);
        await engine().remove(id);
      });

      test(`directories into ${what} and out again`, async () => {
        const id = await made(runs);
        fs.mkdirSync(join(top, "tree/sub"), { recursive: true });
        fs.writeFileSync(join(top, "tree/sub/file"), "deep");
        fs.symlinkSync("sub/file", join(top, "tree/link"));
        await docker().well("cp", join(top, "tree"), `${id}:/made`);
        await docker().well("cp", join(top, "tree"), `${id}:/made`);
        await docker().well("cp", `${top}/tree/.`, `${id}:/tmp`);
        await docker().well("cp", `${id}:/made`, join(top, "out"));
        await docker().well("cp", `${id}:/tmp/.`, join(top, "contents"));
        const paths = (fs.readdirSync(join(top, "out"), { recursive: true }) as string[]).sort();
        const tree = ["link", "sub", "sub/file"];
        expect(paths).toEqual([...tree, "tree", ...tree.map((path) => `tree/${path}`)].sort());
        expect(fs.readlinkSync(join(top, "out/link"))).toBe("sub/file");
        expect(fs.readFileSync(join(top, "contents/sub/file"), "utf8")).toBe("deep");
        await engine().remove(id);
      });

      test(`links of ${what}, followed or not`, async () => {
        const id = await made(runs);
        await docker().well("cp", `${id}:/etc/to-passwd`, join(top, "link"));
        expect(fs.readlinkSync(join(top, "link"))).toBe("passwd");
        await docker().well("cp", "-L", `${id}:/etc/to-passwd`, join(top, "followed"));
        expect(fs.readFileSync(join(top, "followed"), "utf8")).toContain("root:");
        fs.writeFileSync(join(top, "file"), "by way of a link");
        await docker().well("cp", join(top, "file"), `${id}:/etc/to-tmp`);
        expect(await readOut(id, "/tmp/file")).toBe("by way of a link");
        await docker().well("cp", join(top, "file"), `${id}:/etc/to-nothing`);
        expect(await readOut(id, "/tmp/nothing")).toBe("by way of a link");
        fs.symlinkSync("file", join(top, "local"));
        await docker().well("cp", "-L", join(top, "local"), `${id}:/tmp/local`);
        expect(await readOut(id, "/tmp/local")).toBe("by way of a link");
        await engine().remove(id);
      });

      test(`streams into ${what} and out again`, async () => {
        const id = await made(runs);
        fs.writeFileSync(join(top, "in.tar"), rawTar([{ name: "streamed", body: "from a stream", uid: 9 }]));
        execFileSync("sh", ["-c", `docker cp - ${id}:/tmp < ${join(top, "in.tar")}`], { env: docker().environment });
        const bytes = execFileSync("docker", ["cp", `${id}:/tmp/streamed`, "-"], { env: docker().environment });
        expect(await readTar(bytes)).toMatchObject([{ name: "streamed", text: "from a stream", uid: 9 }]);
        await engine().remove(id);
      });

      test(`volumes and binds of ${what}`, async () => {
        const HostConfig = { Binds: ["/usr/share:/readable:ro"] };
        const id = await made(runs, { Volumes: { "/vol": {} }, HostConfig });
        fs.writeFileSync(join(top, "file"), "in the volume");
        await docker().well("cp", join(top, "file"), `${id}:/vol/`);
        expect(await readOut(id, "/vol/file")).toBe("in the volume");
        const refused = await docker().run("cp", join(top, "file"), `${id}:/readable/`);
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringContaining("mounted volume is marked read-only"),
        ]);
        expect(await docker().well("diff", id)).not.toContain("/vol/file");
        await engine().remove(id);
      });
    }

    test("owners with -a", async () => {
      const id = await engine().create({ User: "daemon" });
      fs.writeFileSync(join(top, "file"), "x");
      fs.chownSync(join(top, "file"), 123, 45);
      await docker().well("cp", "-a", join(top, "file"), `${id}:/tmp/archived`);
      const bytes = execFileSync("docker", ["cp", `${id}:/tmp/archived`, "-"], { env: docker().environment });
      expect(await readTar(bytes)).toMatchObject([{ uid: 1, gid: 1 }]);
      await engine().remove(id);
    });

    test("refusals", async () => {
      const id = await made(true);
      fs.mkdirSync(join(top, "dir"));
      fs.writeFileSync(join(top, "file"), "x");
      const said = async (...args: string[]) => (await docker().run("cp", ...args)).stderr;
      expect(await said(`${id}:/nope`, top)).toContain(`Could not find the file /nope in container ${id}`);
      expect(await said(join(top, "file"), `${id}:/nope/file`)).toContain("Could not find the file /nope");
      expect(await said(join(top, "dir"), `${id}:/etc/passwd`)).toContain("cannot copy directory");
      expect(await said(join(top, "file"), "nobody:/tmp")).toContain("No such container: nobody");
      await engine().remove(id);
    });

    test("diff and export", async () => {
      const id = await made(false);
      expect((await docker().well("diff", id)).trim().split("\n").sort()).toEqual([
        ...["A /etc/to-nothing", "A /etc/to-passwd", "A /etc/to-tmp", "C /etc"],
      ]);
      await docker().well("export", "-o", join(top, "all.tar"), id);
      const members = await readTar(fs.readFileSync(join(top, "all.tar")));
      expect(members.find(({ name }) => name === "etc/to-passwd")).toMatchObject({ target: "passwd" });
      await engine().remove(id);
    });

    const LINKS = "ln -s passwd /etc/to-passwd; ln -s /tmp /etc/to-tmp; ln -s ../tmp/nothing /etc/to-nothing";

    async function made(runs: boolean, config = {}): Promise<string> {
      const id = await engine().create({
        Cmd: ["sh", "-c", `${LINKS}; echo made; sleep ${runs ? 1000 : 0}`],
        ...config,
      });
      await engine().start(id);
      if (!runs) await engine().wait(id);
      await expect.poll(async () => (await engine().logs(id)).stdout).toBe("made\n");
      return id;
    }

    async function readOut(id: string, path: string): Promise<string> {
      await docker().well("cp", `${id}:${path}`, join(top, "read"));
      const text = fs.readFileSync(join(top, "read"), "utf8");
      fs.rmSync(join(top, "read"));
      return text;
    }

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, top);
    }
  },
  { missing: DOCKER_MISSING },
);
