// docker buildx build --output, unchanged: files for a directory, tars, archives of the image, pushes. CORACLE_TEST_BUILDX is
// the plugin's path.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { findProgram, must } from "../../support/commands.js";
import { REFERENCE, UNPACKAGED } from "../../support/allowed-skips.js";
import { describeUnless, onEngines, testExcept } from "../../support/on-engines.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../../support/registry/docker-registry.js";
import { DOCKER_MISSING, DockerCli } from "../docker.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];
const tar = findProgram("tar");

const OLD = 1_577_934_245;

/** What the only stage consists of. */
const TREE: RawEntry[] = [
  { name: "a", body: "one\n", mode: 0o640, uid: 3, gid: 4 },
  { name: "d/", flag: "5", mode: 0o1777 },
  { name: "d/deep/", flag: "5", mode: 0o755 },
  { name: "d/deep/old", body: "old", mode: 0o644, mtime: OLD },
  { name: "empty", body: "", mode: 0o644 },
  { name: "l", flag: "2", target: "a", mode: 0o777 },
  { name: "large", body: "y\n".repeat(2_500_000), mode: 0o755 },
  { name: "pipe", flag: "6", mode: 0o644 },
  { name: "with space", body: "", mode: 0o644 },
  { name: "z", flag: "1", target: "a", mode: 0o640, uid: 3, gid: 4 },
];

onEngines(
  "docker buildx --output",
  (engine, kind) => {
    const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-outputs-"));
      fs.mkdirSync(join(top, "cli-plugins"));
      fs.symlinkSync(BUILDX!, join(top, "cli-plugins/docker-buildx"));
      fs.mkdirSync(join(top, "context"));
      fs.writeFileSync(join(top, "context/Dockerfile"), "FROM scratch\nADD tree.tar /\n");
      fs.writeFileSync(join(top, "context/tree.tar"), rawTar(TREE));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().socketPath, top);
    const at = (name: string): string => join(top, name);
    const build = (...args: string[]): Promise<string> =>
      docker().well("buildx", "build", "--progress", "plain", ...args, at("context"));
    /** As tar(1) lists it, without times. */
    const listed = async (file: string): Promise<string[]> => {
      return (await must([tar ?? "tar", "tvf", file, "--numeric-owner"]))
        .trim()
        .split("\n")
        .map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d /, "").replace(/ +/g, " "));
    };

    test("type=local makes the files of the last stage in a directory", async () => {
      await build("--output", `type=local,dest=${at("out")}`);
      const found = fs.readdirSync(at("out"), { recursive: true, encoding: "utf8" }).sort();
      expect(found).toEqual(["a", "d", "d/deep", "d/deep/old", "empty", "l", "large", "pipe", "with space", "z"]);
      expect(fs.readFileSync(at("out/a"), "utf8")).toBe("one\n");
      expect(fs.readlinkSync(at("out/l"))).toBe("a");
      expect(fs.statSync(at("out/a")).ino).toBe(fs.statSync(at("out/z")).ino);
      expect(fs.statSync(at("out/a")).mode & 0o7777).toBe(0o640);
      expect(fs.statSync(at("out/d")).mode & 0o7777).toBe(0o1777);
      expect(fs.statSync(at("out/large")).size).toBe(5_000_000);
      expect(fs.statSync(at("out/d/deep/old")).mtimeMs).toBe(OLD * 1000);
      expect(fs.lstatSync(at("out/pipe")).isFIFO()).toBe(true);
    });

    test("-o DIR adds to a directory that is there", async () => {
      fs.mkdirSync(at("mine/d"), { recursive: true });
      fs.writeFileSync(at("mine/d/kept"), "kept");
      fs.writeFileSync(at("mine/a"), "old");
      await build("-o", at("mine"));
      expect(fs.readFileSync(at("mine/d/kept"), "utf8")).toBe("kept");
      expect(fs.readFileSync(at("mine/a"), "utf8")).toBe("one\n");
    });

    test("type=tar has the same files, with their owners", async () => {
      await build("--output", `type=tar,dest=${at("out.tar")}`);
      expect(await listed(at("out.tar"))).toEqual([
        "-rw-r----- 3/4 4 a",
        "drwxrwxrwt 0/0 0 d/",
        "drwxr-xr-x 0/0 0 d/deep/",
        "-rw-r--r-- 0/0 3 d/deep/old",
        "-rw-r--r-- 0/0 0 empty",
        "lrwxrwxrwx 0/0 0 l -> a",
        "-rwxr-xr-x 0/0 5000000 large",
        "prw-r--r-- 0/0 0 pipe",
        "-rw-r--r-- 0/0 0 with space",
        "hrw-r----- 3/4 0 z link to a",
      ]);
    });

    test("-o - writes the tar to stdout", async () => {
      const script = 'docker buildx build -q -o - "$1" | tar t | sort | head -n 2';
      expect(await must(["sh", "-c", script, "sh", at("context")], { env: docker().environment })).toBe("a\nd/\n");
    });

    test("a directory that cannot be written is the error, and the next build works", async () => {
      fs.writeFileSync(at("file"), "");
      const failed = await docker().run("buildx", "build", "-o", join(at("file"), "below"), at("context"));
      expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/not a directory/)]);
      await build("-o", at("after"));
      expect(fs.existsSync(at("after/a"))).toBe(true);
    });

    // buildx itself does not tell what went wrong.
    test("a tar that a disk has no room for fails the build", async () => {
      const script = 'docker buildx build -q -o type=tar,dest=/dev/full "$1" || echo failed';
      const told = await must(["sh", "-c", script, "sh", at("context")], { env: docker().environment });
      expect(told).toBe("failed\n");
      await build("-o", at("after-full"));
      expect(fs.existsSync(at("after-full/a"))).toBe(true);
    });

    ofOurs("--metadata-file and --iidfile tell of the image, with several tags", async () => {
      const files = ["--metadata-file", at("meta.json"), "--iidfile", at("iid")];
      await build(...files, "-t", "outputs:1", "-t", "outputs:2", "--load");
      const { Id, RepoTags } = await engine().read<{ Id: string; RepoTags: string[] }>("/images/outputs:1/json");
      expect(RepoTags).toEqual(["outputs:1", "outputs:2"]);
      const told = JSON.parse(fs.readFileSync(at("meta.json"), "utf8")) as Record<string, string>;
      expect(told).toMatchObject({ "containerimage.config.digest": Id, "containerimage.digest": Id });
      expect(fs.readFileSync(at("iid"), "utf8")).toBe(Id);
      await docker().well("rmi", "outputs:1", "outputs:2");
    });

    describeUnless(kind === "reference" ? REFERENCE.buildkit : null, "by a builder of the driver remote", () => {
      const builder = `outputs-${kind}`;
      const remote = (...args: string[]): Promise<string> => build("--builder", builder, ...args);
      beforeAll(async () => {
        const address = `unix://${engine().socketPath}`;
        await docker().well("buildx", "create", "--name", builder, "--driver", "remote", address);
      });

      test("type=oci is an image layout", async () => {
        await remote("-o", `type=oci,dest=${at("oci.tar")}`, "-t", "outputs/oci:1", "--metadata-file", at("oci.json"));
        fs.mkdirSync(at("oci"));
        await must([tar ?? "tar", "xf", at("oci.tar"), "-C", at("oci")]);
        expect(fs.readdirSync(at("oci")).sort()).toEqual(["blobs", "index.json", "oci-layout"]);
        const index = JSON.parse(fs.readFileSync(at("oci/index.json"), "utf8")) as { manifests: Descriptor[] };
        const [found] = index.manifests;
        expect(found!.annotations["io.containerd.image.name"]).toBe("docker.io/outputs/oci:1");
        const told = JSON.parse(fs.readFileSync(at("oci.json"), "utf8")) as Record<string, string>;
        expect(told["containerimage.digest"]).toBe(found!.digest);
        const blob = (digest: string): string => at(join("oci/blobs", digest.replace(":", "/")));
        const manifest = JSON.parse(fs.readFileSync(blob(found!.digest), "utf8")) as { layers: Descriptor[] };
        expect(await listed(blob(manifest.layers[0]!.digest))).toContain("-rw-r----- 3/4 4 a");
      });

      test("--load sends an archive that the client loads", async () => {
        await remote("--load", "-t", "outputs:loaded");
        const { RepoTags } = await engine().read<{ RepoTags: string[] }>("/images/outputs:loaded/json");
        expect(RepoTags).toEqual(["outputs:loaded"]);
        await docker().well("rmi", "outputs:loaded");
      });

      describeUnless(
        kind === "simulated" ? "the registry is outside of its world" : dockerRegistryMissing(),
        "push",
        () => {
          let registry: DockerRegistry;
          beforeAll(async () => {
            const login = { username: "someone", password: "known to the client" };
            registry = await startDockerRegistry(engine().daemon.netns, 5012, login);
            const auth = Buffer.from(`${login.username}:${login.password}`).toString("base64");
            fs.writeFileSync(at("config.json"), JSON.stringify({ auths: { [registry.host]: { auth } } }));
          });
          afterAll(async () => {
            fs.rmSync(at("config.json"), { force: true });
            await registry?.close();
          });

          test("sends the image under each of its names, with the client's credentials", async () => {
            const names = ["1", "2"].map((tag) => `${registry.host}/by/buildx:${tag}`);
            await remote("--push", "-t", names[0]!, "-t", names[1]!, "--metadata-file", at("pushed.json"));
            const told = JSON.parse(fs.readFileSync(at("pushed.json"), "utf8")) as Record<string, string>;
            for (const tag of ["1", "2"]) {
              const accept = "application/vnd.docker.distribution.manifest.v2+json";
              const headers = { accept, authorization: registry.authorization! };
              const answer = await fetch(`${registry.url}/v2/by/buildx/manifests/${tag}`, { headers });
              expect(answer.headers.get("docker-content-digest")).toBe(told["containerimage.digest"]);
              const { config } = (await answer.json()) as { config: { digest: string } };
              expect(config.digest).toBe(told["containerimage.config.digest"]);
            }
            await docker().well("rmi", ...names);
          });

          test("without credentials it fails, and says for which name", async () => {
            fs.renameSync(at("config.json"), at("other.json"));
            try {
              const name = `${registry.host}/by/nobody:1`;
              const args = ["buildx", "build", "--builder", builder, "--push", "-t", name, at("context")];
              const failed = await docker().run(...args);
              expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(`failed to push ${name}: `)]);
              await docker().well("rmi", name);
            } finally {
              fs.renameSync(at("other.json"), at("config.json"));
            }
          });
        },
      );
    });
  },
  { missing: DOCKER_MISSING ?? (BUILDX === undefined ? UNPACKAGED.buildx : null) },
);

interface Descriptor {
  digest: string;
  annotations: Record<string, string>;
}
