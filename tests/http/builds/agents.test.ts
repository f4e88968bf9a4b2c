// `RUN --mount=type=ssh`: a step speaks with the ssh agent of the client of BuildKit, and nothing of it stays.
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { serveAgents, toAgent, type Forwarding } from "../../support/buildkit/agents.js";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import type { Fields } from "../../support/buildkit/protocol.js";
import { must, until } from "../../support/commands.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

type Forward = (call: Forwarding, id: string) => void;

/** Ids of the agents that clients have. */
const HAD = ["", "default", "k"];
const UNSET = "unset ssh forward key";

onEngines("ssh agents of builds", (engine, kind) => {
  forgetsBuilds(engine, kind);
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  let client: BuildKitClient;
  beforeAll(async () => {
    client = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => client.close());

  test("are sockets of their step alone: not of its layer, and not of its key", async () => {
    const mounts = "--mount=type=ssh --mount=type=ssh,id=k,target=/a,uid=5,gid=6,mode=0660 --mount=type=ssh,id=none";
    const dockerfile = [
      `FROM busybox\nRUN ${mounts} echo $SSH_AUTH_SOCK; stat -c '%F %a %u %g' $SSH_AUTH_SOCK /a;`,
      `ls /run/buildkit; touch /seen # ${randomUUID()}\n`,
    ].join(" ");
    const names = "/run/buildkit/ssh_agent.0\nsocket 600 0 0\nsocket 660 5 6\nssh_agent.0\n";
    expect(await solve(dockerfile, refuse)).toBe(names);
    expect(await solve(dockerfile, refuse)).toBe("");
    const HostConfig = { NetworkMode: "none" };
    const Cmd = ["sh", "-c", "ls /seen; echo $SSH_AUTH_SOCK; ls -A /a /run/buildkit 2>/dev/null | grep -c agent"];
    expect((await engine().run({ Image: "agent:1", Cmd, HostConfig })).stdout).toBe("/seen\n\n0\n");
    await engine().must(200, "DELETE", "/images/agent:1");
  });

  test("that a step needs and the client does not have end the build", async () => {
    const step = (id: string): string => `FROM busybox\nRUN --mount=type=ssh,id=${id},required true\n`;
    const failed = (id: string, forward: Forward | null, words: RegExp): Promise<void> =>
      expect(solve(step(id), forward)).rejects.toMatchObject({ details: expect.stringMatching(words) });
    await failed("none", refuse, new RegExp(`${UNSET} none`));
    await failed("k", null, /no SSH key "k" forwarded from the client/);
  });

  ofOurs("are left out by a step that does not need them", async () => {
    const step = `FROM busybox\nRUN --mount=type=ssh ls /run/buildkit 2>&1; echo $SSH_AUTH_SOCK # ${randomUUID()}\n`;
    expect(await solve(step, null)).toMatch(/^ls: .*\n\/run\/buildkit\/ssh_agent\.0\n$/);
  });

  if (kind !== "simulated") withPrograms();

  function withPrograms(): void {
    let directory = "";
    let agent: ChildProcess;
    const path = (): string => join(directory, "agent");
    let fingerprint = "";
    beforeAll(async () => {
      directory = fs.mkdtempSync(join(tmpdir(), "coracle-agent-"));
      agent = spawn("ssh-agent", ["-D", "-a", path()], { stdio: "ignore" });
      await until("the agent listens", () => fs.existsSync(path()));
      await must(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "of a test", "-f", join(directory, "key")]);
      await must(["ssh-add", "-q", join(directory, "key")], { env: { SSH_AUTH_SOCK: path() } });
      fingerprint = (await must(["ssh-add", "-l"], { env: { SSH_AUTH_SOCK: path() } })).trim();
      const tar = await tarOf(directory);
      await engine().must(200, "POST", "/images/create?fromSrc=-&repo=ssh-tools&tag=1", tar);
    });
    afterAll(async () => {
      agent.kill();
      fs.rmSync(directory, { recursive: true, force: true });
      await engine().call("DELETE", "/images/ssh-tools:1?force=1");
    });
    const from = "FROM busybox\nCOPY --from=ssh-tools:1 / /\n";

    test("answer ssh-add in the step, as root and as the user that the socket is for", async () => {
      const user = "echo 'u:x:5:6::/:/bin/sh' >> /etc/passwd; su u -s /bin/sh -c \"SSH_AUTH_SOCK=/a ssh-add -l\"";
      const told = await solve(
        `${from}RUN --mount=type=ssh --mount=type=ssh,target=/a,uid=5 ssh-add -l; ${user} # ${randomUUID()}\n`,
        forward,
      );
      expect(told).toBe(`${fingerprint}\n${fingerprint}\n`);
    });

    test("answer many connections at once, one after the other, and some that say nothing", async () => {
      const at_once = "for i in $(seq 8); do ssh-add -l & done; wait; for i in $(seq 20); do ssh-add -l; done";
      const told = await solve(`${from}RUN --mount=type=ssh ${at_once} # ${randomUUID()}\n`, forward);
      expect(told).toBe(`${fingerprint}\n`.repeat(28));
    });

    ofOurs("are gone for steps whose client leaves, and so is the build", async () => {
      for (const over of ["session", "client"] as const) {
        const own = await BuildKitClient.open(engine().socketPath);
        let asked = false;
        const step = `${from}RUN --mount=type=ssh ssh-add -l; sleep 300 # ${randomUUID()}\n`;
        const [ref, end] = await session(step, () => void (asked = true));
        const solving = own.control("Solve", ["SolveRequest", solveOf(ref)], "SolveResponse");
        const failed = solving.then(
          () => "made",
          () => "failed",
        );
        await until("the agent is asked", () => asked);
        if (over === "session") {
          end();
          // The step goes on without its agent.
          const [{ Id }] = await engine().read<[{ Id: string }]>("/containers/json");
          await until("ssh-add has ended", async () => {
            const { Processes } = await engine().read<{ Processes: string[][] }>(`/containers/${Id}/top`);
            return !Processes.some((line) => line.at(-1)!.startsWith("ssh-add"));
          });
        }
        own.hangUp();
        expect(await failed).toBe("failed");
        end();
        own.close();
        await until("the step is gone", async () => (await engine().read<[]>("/containers/json?all=1")).length === 0);
      }
    });

    ofOurs("of a hostile client break only their connections", async () => {
      const hostile: Forward[] = [
        (call) => call.end(),
        (call) => call.emit("error", Object.assign(new Error("no"), { code: 13 })),
        (call) => void call.write({ data: Buffer.alloc(600_000) }),
        (call) => void (call.write({ data: Buffer.alloc(0) }), call.write({ data: Buffer.from("x") }), call.end()),
        (call) => {
          for (let count = 0; count < 64; count++) call.write({ data: Buffer.alloc(100_000, 0xff) });
        },
      ];
      let next = 0;
      const told = await solve(
        `${from}RUN --mount=type=ssh for i in $(seq ${hostile.length}); do ssh-add -l 2>/dev/null || echo broken; done; ssh-add -l # ${randomUUID()}\n`,
        (call, id) => (hostile[next++] ?? forward)(call, id),
      );
      expect(told).toBe(`${"broken\n".repeat(hostile.length)}${fingerprint}\n`);
    });

    if (kind === "linux") {
      test("leave nothing on the machine", async () => {
        const { execRoot } = engine().daemon.directories;
        const sockets = (): string[] => socketsBelow(execRoot);
        const before = sockets();
        const step = `${from}RUN --mount=type=ssh ssh-add -l; sleep 2 # ${randomUUID()}\n`;
        const solving = solve(step, forward);
        await until("the socket is there", () => sockets().some((name) => name.endsWith("/agent")));
        await solving;
        await until("it is gone", () => sockets().filter((name) => name.endsWith("/agent")).length === 0);
        expect(sockets().filter((name) => !before.includes(name))).toEqual([]);
      });
    }

    const forward: Forward = (call) => void toAgent(call, path());
  }

  /** What the steps of a build have written. `forward`: null for a client without agents. */
  async function solve(dockerfile: string, forward: Forward | null): Promise<string> {
    const [ref, end] = await session(dockerfile, forward);
    try {
      const solve = ["SolveRequest", solveOf(ref)] as const;
      const [told] = await Promise.all([client.status(ref), client.control("Solve", solve, "SolveResponse")]);
      return told.map(logsOf).join("");
    } finally {
      end();
    }
  }

  async function session(bytes: string, forward: Forward | null): Promise<[ref: string, end: () => void]> {
    const ref = randomUUID();
    const files = { dockerfile: [{ path: "Dockerfile", bytes }], context: [] };
    const options = forward === null ? {} : { serve: serveAgents(check, forward) };
    return [ref, await openSession(engine().socketPath, ref, files, options)];
  }
});

function check(id: string): void {
  if (!HAD.includes(id)) throw new Error(`${UNSET} ${id}`);
}

const refuse: Forward = (call) => call.end();

function solveOf(ref: string): Fields {
  const exported = { Exporter: "moby", ExporterAttrs: { name: "agent:1" } };
  return { Ref: ref, Session: ref, Frontend: "dockerfile.v0", ...exported };
}

function logsOf({ logs = [] }: Fields): string {
  return (logs as { msg: Buffer }[]).map(({ msg }) => String(msg)).join("");
}

/** This machine's ssh-add with its libraries, as a tar. */
async function tarOf(directory: string): Promise<Buffer> {
  const libraries = [...(await must(["ldd", "/usr/bin/ssh-add"])).matchAll(/(\/\S+) \(/g)].map(([, path]) => path!);
  const tar = join(directory, "tools.tar");
  await must(["tar", "--create", "--dereference", "--absolute-names", "--file", tar, "/usr/bin/ssh-add", ...libraries]);
  return fs.readFileSync(tar);
}

function socketsBelow(directory: string): string[] {
  return fs
    .readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isSocket())
    .map(({ parentPath, name }) => join(parentPath, name));
}
