// `RUN --mount=type=secret`: what a client of BuildKit keeps to itself, and one step sees.
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { status as codes } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { BuildKitClient, openSession, type SessionOptions } from "../../support/buildkit/client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import type { Fields } from "../../support/buildkit/protocol.js";
import { until } from "../../support/commands.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { secretsIn } from "../../support/secret-search.js";

type Secret = NonNullable<SessionOptions["secret"]>;

const LIMIT = 500 * 1024;

onEngines("secrets of builds", (engine, kind) => {
  forgetsBuilds(engine, kind);
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  let client: BuildKitClient;
  beforeAll(async () => {
    client = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => client.close());

  test("are files of their step alone: not of its layer, and not of its key", async () => {
    const asked: string[] = [];
    const giving = (value: string) => (id: string) => {
      asked.push(id);
      if (id === "none") throw missing();
      return Buffer.from(id === "empty" ? "" : value);
    };
    const mounts =
      "--mount=type=secret,id=a --mount=type=secret,id=none --mount=type=secret,target=/etc/at/a --mount=type=secret,id=empty";
    const owned = "--mount=type=secret,id=a,target=b,uid=5,gid=6,mode=0440";
    const dockerfile = [
      `FROM busybox\nWORKDIR /in\nRUN ${mounts} ${owned} cat /run/secrets/a /etc/at/a /in/b;`,
      "stat -c '%a %u %g' /run/secrets/a /in/b; ls /run/secrets; (echo x >> /in/b) 2> /tmp/no || echo fixed;",
      "grep -c ' /in/b .* ro' /proc/mounts; touch /seen # ${randomUUID()}\n",
    ].join(" ");
    expect(await solve(dockerfile, giving("first"))).toBe("firstfirstfirst400 0 0\n440 5 6\na\nempty\nfixed\n1\n");
    expect(asked.sort()).toEqual(kind === "reference" ? ["a", "a", "a", "empty", "none"] : ["a", "a", "empty", "none"]);
    expect(await solve(dockerfile, giving("second"))).toBe("");
    const HostConfig = { NetworkMode: "none" };
    const Cmd = ["sh", "-c", "ls /seen; cat /run/secrets/a /etc/at/a /in/b 2>/dev/null | wc -c"];
    expect((await engine().run({ Image: "secret:1", Cmd, HostConfig })).stdout).toBe("/seen\n0\n");
    await engine().must(200, "DELETE", "/images/secret:1");
  });

  test("that a step needs and the client does not have end the build", async () => {
    const step = "FROM busybox\nRUN --mount=type=secret,id=a,required=true true\n";
    for (const secret of [() => Promise.reject(missing()), undefined]) {
      await expect(solve(step, secret)).rejects.toMatchObject({
        details: expect.stringMatching(/secret a.*not found$/),
      });
    }
    const refusing = solve(step, () => Promise.reject(new Error("the vault is locked")));
    await expect(refusing).rejects.toMatchObject({ details: expect.stringContaining("the vault is locked") });
  });

  ofOurs("become variables of one step", async () => {
    const steps = "RUN --mount=type=secret,id=a,env=A --mount=type=secret,id=b,env=B,target=/b echo $A $B $(cat /b)";
    const given = (id: string): Buffer => Buffer.from(`value=${id}`);
    const told = await solve(
      `FROM busybox\nENV A=1\n${steps}; ls -d /run/secrets || true # ${randomUUID()}\nRUN echo $A $B # ${randomUUID()}\n`,
      given,
    );
    expect(told.replace(/^ls:.*\n/m, "")).toBe("value=a value=b value=b\n1\n");
  });

  ofOurs("may have 500 KiB", async () => {
    const step = (nonce: string): string =>
      `FROM busybox\nRUN --mount=type=secret,id=a wc -c < /run/secrets/a # ${nonce}\n`;
    expect(await solve(step(`most ${randomUUID()}`), () => Buffer.alloc(LIMIT, "x"))).toBe(`${LIMIT}\n`);
    for (const size of [LIMIT + 1, LIMIT + 100_000, 8 << 20]) {
      const failed = solve(step("more"), () => Buffer.alloc(size, "x"));
      await expect(failed).rejects.toMatchObject({ details: expect.stringContaining("a is larger than 512000 bytes") });
    }
    expect(await solve(step(`none ${randomUUID()}`), () => Buffer.alloc(0))).toBe("0\n");
  });

  ofOurs("are no longer waited for when the session or the build is over", async () => {
    const step = "FROM busybox\nRUN --mount=type=secret,id=a true # over\n";
    for (const over of ["session", "client"] as const) {
      const own = await BuildKitClient.open(engine().socketPath);
      let asked = false;
      const [ref, end] = await session(step, () => ((asked = true), new Promise<Uint8Array>(() => {})));
      const solving = own.control("Solve", ["SolveRequest", solveOf(ref)], "SolveResponse");
      const failed = expect(solving).rejects.toMatchObject({ code: expect.any(Number) });
      await until("the client is asked", () => asked);
      if (over === "session") end();
      else own.hangUp();
      await failed;
      end();
      own.close();
    }
    expect(await engine().read("/containers/json?all=1")).toEqual([]);
  });

  if (kind !== "reference") {
    test("are on no disk, in no log, and in no trace", async () => {
      const { root, dataRoot, logFile } = engine().daemon.directories;
      const value = randomUUID();
      const mounts = "--mount=type=secret,id=a --mount=type=secret,id=b,env=B";
      const told = solve(
        `FROM busybox\nRUN ${mounts} test -n "$(cat /run/secrets/a)"; test -n "$B" && sleep 3; echo ok # ${randomUUID()}\n`,
        () => Buffer.from(value),
      );
      await until("the step runs", async () => (await engine().read<unknown[]>("/containers/json")).length > 0);
      const [{ Id }] = await engine().read<[{ Id: string }]>("/containers/json");
      const { text } = await engine().call("GET", `/containers/${Id}/json`);
      expect(secretsIn(Buffer.from(text), [value])).toEqual([]);
      if (fs.existsSync(dataRoot)) expect(found(dataRoot, value)).toEqual([]);
      expect(await told).toBe("ok\n");
      const saved = await engine().call("GET", "/images/secret:1/get");
      expect(secretsIn(saved.body, [value])).toEqual([]);
      expect(found(root, value)).toEqual([]);
      expect(fs.readFileSync(logFile, "utf8")).not.toContain(value);
      await engine().must(200, "DELETE", "/images/secret:1");
    });
  }

  function missing(): Error {
    return Object.assign(new Error("no such secret"), { code: codes.NOT_FOUND });
  }

  /** What the steps of a build have written. */
  async function solve(dockerfile: string, secret?: Secret): Promise<string> {
    const [ref, end] = await session(dockerfile, secret);
    try {
      const solve = ["SolveRequest", solveOf(ref)] as const;
      const [told] = await Promise.all([client.status(ref), client.control("Solve", solve, "SolveResponse")]);
      return told.map(logsOf).join("");
    } finally {
      end();
    }
  }

  async function session(bytes: string, secret?: Secret): Promise<[ref: string, end: () => void]> {
    const ref = randomUUID();
    const files = { dockerfile: [{ path: "Dockerfile", bytes }], context: [] };
    return [ref, await openSession(engine().socketPath, ref, files, { ...(secret && { secret }) })];
  }
});

function solveOf(ref: string): Fields {
  const exported = { Exporter: "moby", ExporterAttrs: { name: "secret:1" } };
  return { Ref: ref, Session: ref, Frontend: "dockerfile.v0", ...exported };
}

function logsOf({ logs = [] }: Fields): string {
  return (logs as { msg: Buffer }[]).map(({ msg }) => String(msg)).join("");
}

/** Files below a directory that have the text in any form. */
function found(directory: string, text: string): string[] {
  return fs
    .readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/layers/"))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => secretsIn(bytesOf(path), [text]).length > 0);
}

/** Files of runs come and go. */
function bytesOf(path: string): Buffer {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
