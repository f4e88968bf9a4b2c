// docker-py, unchanged: the library behind most Python programs that start containers.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { run } from "../support/commands.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import { startIndex } from "../support/registry/index-server.js";
import { packImage, pushImage } from "../support/registry/push-image.js";
import { Stories } from "./stories.js";

const python = await pythonWithDocker();
const registryMissing = dockerRegistryMissing();

onEngines(
  "docker-py",
  (engine) => {
    let program: Stories;
    let directory = "";
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "coracle-py-"));
      program = new Stories([python ?? "python3", PROGRAM], {
        DOCKER_HOST: `unix://${engine().socketPath}`,
        DOCKER_CONFIG: directory,
      });
    });
    afterAll(async () => {
      program?.end();
      await rm(directory, { recursive: true, force: true });
    });

    for (const [story, expected] of Object.entries(EXPECTED)) {
      test(story, async () => expect(await tell(story)).toEqual([...expected, ""]));
    }

    test("load", async () => {
      const path = join(directory, "archive.tar");
      const image = { reference: "py/loaded:1", config: { Cmd: ["true"] }, layers: [await busyboxLayer()] };
      await writeFile(path, await dockerArchive([image]));
      expect(await tell("load", path)).toEqual(["[['py/loaded:1']]", ""]);
    });

    describeUnless(registryMissing, "with registries", () => {
      const { username, password } = { username: "snake", password: "s3cret" };
      let open: DockerRegistry;
      let closed: DockerRegistry;
      beforeAll(async () => {
        const { netns } = engine().daemon;
        [open, closed] = await Promise.all([
          startDockerRegistry(netns, 5004),
          startDockerRegistry(netns, 5008, { username, password }),
        ]);
        const config = { Cmd: ["echo", "pulled"] };
        const image = packImage({ reference: null, config, layers: [await busyboxLayer()] });
        await Promise.all([pushImage(open, "py", ["1"], image), pushImage(closed, "py", ["1"], image)]);
      });
      afterAll(async () => {
        await Promise.all([open?.close(), closed?.close()]);
      });

      test("pull", async () => {
        const name = `${open.host}/py:1`;
        const tags = [`['${name}']`, "pulled", `['${name}', 'py/tagged:1']`, "gone", "sha256 False 1", "Status"];
        expect(await tell("pull", name)).toEqual([...tags, ""]);
      });

      test("push", async () => {
        expect(await tell("push", `${open.host}/pushed:1`)).toEqual(["True True", "True", "True", "True", ""]);
      });

      test("login", async () => {
        const wrong = engine().expected("auth-refused", "401", "500");
        const told = ["500 True", wrong, "True", "Login Succeeded", "True True", ""];
        expect(await tell("login", `${closed.host}/py:1`, closed.host, username, password)).toEqual(told);
      });
    });

    test("search", async () => {
      const found = { name: "team/app", description: "An app", star_count: 7, is_official: false, is_automated: false };
      const index = await startIndex(engine().daemon.netns, [found]);
      try {
        expect(await tell("search", index.host)).toEqual(["[('team/app', 7, False)]", "1", "500", ""]);
        const searched = (await index.asked()).map(({ target }) => target);
        expect(searched).toEqual(["app&n=25", "team%2Fapp&n=3", "missing&n=25"].map((q) => `/v1/search?q=${q}`));
      } finally {
        await index.close();
      }
    });

    /** The lines that it printed. */
    async function tell(...story: string[]): Promise<string[]> {
      return ((await program.tell(...story)) as string).split("\n");
    }
  },
  { missing: python === null ? "no python3 here can import docker" : null },
);

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  run: ["hello from docker-py", "b'two\\n'", "[b'one\\n', b'two\\n']", "b'/dev/pts/0\\r\\n'"],
  run_failing: ["4 why"],
  run_missing: ["400 True"],
  detached: ["py created ['py']", "one", "two", "0", "exited", "gone"],
  life: [
    "running {'of': 'py'} ['busybox:latest']",
    ...["['life']", "paused", "running", "running", "renamed exited 137"],
  ],
  waits: ["timed out True", "137", "409 True", "0", "True"],
  options: [...["1", "inside", "12", "34", "/tmp", "66", "1", "nameserver 10.1.1.1", "10.11.12.13\telsewhere"]],
  machinery: ["['80/tcp', '81/udp'] 127.0.0.1", "True", "None 67108864 no", "[('py-data', '/data')] py-data"],
  removed_by_itself: ["3", "gone"],
  logs: [
    "b'one\\nthree\\n' b'two\\n' b''",
    ...["['one', 'three']", "[b'one\\n', b'three\\n']", "b'' b'' b'one\\nthree\\n'"],
  ],
  stats: ["/measured True 67108864", "True 1 ['eth0']", "True True"],
  contents: ["['PID', 'COMMAND']", "[(0, '/etc'), (1, '/new'), (2, '/etc/group')]", "True False True"],
  lists: [
    "['third'] ['first', 'second', 'third'] ['third']",
    "['first', 'second'] ['second']",
    "['first'] ['third']",
    "['first', 'second'] ['second', 'third']",
    "[['/third']]",
    "3 3",
  ],
  history: ["['CMD [\"true\"]', 'LABEL of=py']", "['py/old:1'] True 0"],
  imported: ["True True 1"],
  build: ["['py/built:1']", "given", "The command '/bin/sh -c exit 3' returned a non-zero code: 3"],
  events: ["create", "start", "die", "destroy"],
  past_events: ["['start', 'die']"],
  system: ["True linux linux", "True [] True", "['bridge', 'none']", "bridge True"],
  exec_run: [
    "ExecResult(exit_code=3, output=b'said\\n/tmp\\n')",
    "(b'out\\n', b'err\\n') b'out\\n'",
    "[b'out\\n', b'err\\n']",
    "[(b'out\\n', None), (None, b'err\\n')]",
    "0 1",
    "b'7\\n'",
    "None",
  ],
  exec_socket: ["b'typed\\n'", "False", "True", "False 4 True"],
  attach: ["1 through a socket"],
  attached: ["(b'out\\n', None) (None, b'err\\n')"],
  terminal: ["True 4"],
  archives: [
    "True",
    "b'by docker-py\\n' b'640:7:8\\n'",
    "note 13 ",
    "b'by docker-py\\n'",
    "tmp ['tmp', 'tmp/note']",
    "True",
    "b'stopped\\n'",
  ],
  networks: [
    "bridge True True {'of': 'py'} {'com.docker.network.driver.mtu': '1400'}",
    "[('AuxiliaryAddresses', {'router': '10.208.5.1'}), ('Gateway', '10.208.5.254'), ('IPRange', '10.208.5.0/24'), ('Subnet', '10.208.0.0/16')]",
    ...["10.208.5.9 True", "1", "['py-net'] ['py-joined']"],
    ...["(403, True) (404, True)", "[] ['py-net']"],
  ],
  volumes: [
    "py-kept [('device', 'tmpfs'), ('o', 'size=1m'), ('type', 'tmpfs')] {'of': 'py'}",
    ...["True", "[('volume', 'py-kept', '/x')]", "['py-kept']", "[]", "(409, True)", "gone", "True"],
  ],
  commit: ["['py/made:1'] {'a': 'b'} why docker-py", "b'kept\\n'"],
};

const PROGRAM = fileURLToPath(new URL("./docker_py/program.py", import.meta.url));

/** The system's Python if it has the library, as with Debian's package. */
async function pythonWithDocker(): Promise<string | null> {
  for (const program of ["/usr/bin/python3", "python3"]) {
    const tried = await run([program, "-c", "import docker"]).catch(() => null);
    if (tried?.code === 0) return program;
  }
  return null;
}
