// docker-py, unchanged: the library behind most Python programs that start containers.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { run } from "../support/commands.js";
import { busyboxLayer } from "../support/images.js";
import { dockerRegistryMissing, startDockerRegistry, type DockerRegistry } from "../support/docker-registry.js";
import { packImage, pushImage } from "../support/push-image.js";

const python = await pythonWithDocker();
const registryMissing = dockerRegistryMissing();

onEngines(
  "docker-py",
  (engine) => {
    const EXPECTED: readonly (readonly [string, string])[] = [
      ["run", "hello from docker-py\n"],
      ["run_failing", "4 why\n"],
      ["run_missing", "400 True\n"],
      ["detached", "py created ['py']\none\ntwo\n0\nexited\ngone\n"],
      ["life", "running {'of': 'py'}\n['life']\nexited 137\n"],
      ["exec_run", EXECS],
      ["attach", "1 through a socket\n"],
      ["events", "create\nstart\ndie\ndestroy\n"],
      ["system", "True linux linux\n"],
    ];
    for (const [story, expected] of EXPECTED) {
      test(story, async () => expect(await tell(story)).toBe(expected));
    }

    describeUnless(registryMissing, "with a registry", () => {
      let registry: DockerRegistry;
      beforeAll(async () => {
        registry = await startDockerRegistry(engine().daemon.netns, 5004);
        const image = packImage({
          reference: null,
          config: { Cmd: ["echo", "pulled"] },
          layers: [await busyboxLayer()],
        });
        await pushImage(registry, "py", ["1"], image);
      });
      afterAll(async () => registry.close());

      test("images", async () => {
        const name = `${registry.host}/py:1`;
        expect(await tell("images", name)).toBe(`['${name}']\npulled\n['${name}', 'py/tagged:1']\ngone\n`);
      });
    });

    async function tell(...story: string[]): Promise<string> {
      const env = { DOCKER_HOST: `unix://${engine().socketPath}` };
      const { stdout, stderr } = await run([python ?? "python3", PROGRAM, ...story], { env, timeoutMs: 25_000 });
      return stdout + stderr;
    }
  },
  { missing: python === null ? "no python3 here can import docker" : null },
);

const EXECS = [
  "ExecResult(exit_code=3, output=b'said\\n/tmp\\n')",
  "(b'out\\n', b'err\\n')",
  "['streamed\\n']",
  "0 7",
  "None",
  "",
].join("\n");

const PROGRAM = fileURLToPath(new URL("./docker_py.py", import.meta.url));

async function pythonWithDocker(): Promise<string | null> {
  for (const program of ["python3", "/usr/bin/python3"]) {
    const tried = await run([program, "-c", "import docker"]).catch(() => null);
    if (tried?.code === 0) return program;
  }
  return null;
}
