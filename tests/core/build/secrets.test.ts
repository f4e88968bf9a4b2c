// `RUN --mount=type=secret`, as seen by the core: what a client is asked for, and where its step has it.

import { beforeEach, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { ImageWorld } from "../support/image-world.js";
import { sendFiles } from "../support/session-files.js";

const METHOD = "X-Docker-Expose-Session-Grpc-Method";
const FILES = "/moby.filesync.v1.FileSync/DiffCopy";
const SECRETS = "/moby.buildkit.secrets.v1.Secrets/GetSecret";

/** Bytes of the longest entry of an environment (MAX_ARG_STRLEN of Linux). */
const ENTRY = 128 * 1024;

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

/** A build with these mounts, up to its RUN. */
function begin(mounts: string, methods = [FILES, SECRETS]): bigint {
  const headers = { Upgrade: "h2c", "X-Docker-Expose-Session-Uuid": "s", [METHOD]: methods.join(`\n${METHOD}: `) };
  world.ask("POST", "/session", undefined, headers);
  const message = { Ref: "a", Session: "s", Exporter: "moby", Frontend: "dockerfile.v0" };
  const options = { "force-network-mode": "none" };
  const solving = world.makeCall("moby.buildkit.v1.Control/Solve", { ...message, FrontendAttrs: options });
  sendFiles(world, `FROM busybox\nRUN ${mounts} x\n`);
  return solving;
}

/** What the command sees: its mounts of others' files, and variables that only the host knows. */
function launched(): { mounts: unknown[]; variables: unknown[] } {
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  const { val } = world.takeLaunch();
  const { mounts } = JSON.parse(new TextDecoder().decode(val.spec)) as { mounts: { source: string }[] };
  return { mounts: mounts.filter(({ source }) => source.startsWith("files:")), variables: val.variables };
}

test("each is asked for once, and lent to its step as a file that nobody changes, or as a variable", () => {
  const given = "--mount=type=secret,id=a --mount=type=secret,id=a,target=/b,mode=0400,uid=7";
  begin(`${given} --mount=type=secret,id=a,target=c --mount=type=secret,source=d/e,env=E`);
  const asked = ["a", "a", "d/e"].map(() => {
    const { op, val } = world.take("hold-secret");
    world.done(op);
    return val;
  });
  expect(asked.map(({ id, owner, group, mode, limit }) => [id, owner, group, mode, limit])).toEqual([
    ["a", 0, 0, 0o400, 512_000],
    ["a", 7, 0, 0o400, 512_000],
    ["d/e", 0, 0, 0o400, ENTRY - "E=\0".length],
  ]);
  const [one, other, last] = asked.map(({ container }) => container);
  const options = ["rbind", "rprivate", "ro", "nosuid", "nodev", "noexec"];
  const mounted = (destination: string, holder = ""): object => {
    return { destination, type: "bind", source: `files:${holder}/secret`, options };
  };
  const { mounts, variables } = launched();
  expect(mounts).toHaveLength(3);
  const files = [mounted("/run/secrets/a", one), mounted("/b", other), mounted("/c", one)];
  expect(mounts).toEqual(expect.arrayContaining(files));
  expect(variables).toEqual([{ name: "E", container: last }]);
});

test("a step has at most eight as variables, and any number of others", () => {
  const variables = (count: number): string =>
    Array.from({ length: count }, (_, i) => `--mount=type=secret,id=a,env=V${i}`).join(" ");
  begin(`${variables(8)} --mount=type=secret,id=b`);
  expect(world.take("hold-secret").val.limit).toBe(ENTRY - "V0=\0".length);
  world = new ImageWorld();
  expect(world.answer(begin(variables(9))).text).toContain("RUN has more than 8 secrets as variables");
  expect(world.open()).not.toContain("hold-secret");
});

const GONE: failures.Failure = { tag: "no-such", val: { what: "secret", name: "a" } };
const LARGE: failures.Failure = { tag: "too-large", val: { what: "secret", name: "a", limit: 512_000n } };
const REFUSED: failures.Failure = { tag: "body-broke", val: "the vault is locked" };

test("one that the client does not have is left out", () => {
  begin("--mount=type=secret,id=a");
  world.failAs(world.take("hold-secret").op, GONE);
  expect(launched()).toEqual({ mounts: [], variables: [] });
});

test("so are all if the client has none", () => {
  begin("--mount=type=secret,id=a,env=A", [FILES]);
  expect(launched()).toEqual({ mounts: [], variables: [] });
});

test.each<[string, failures.Failure, string]>([
  ["is not there", GONE, "secret a: not found"],
  ["is too large", LARGE, "failed to get secret a: a is larger than 512000 bytes"],
  ["is refused", REFUSED, "failed to get secret a: the vault is locked"],
])("one that is needed and %s ends the build, and what was held for it goes", (_what, failure, words) => {
  const solving = begin("--mount=type=secret,id=first --mount=type=secret,id=a,required");
  const { op, val } = world.take("hold-secret");
  world.done(op);
  world.failAs(world.take("hold-secret").op, failure);
  expect(world.answer(solving).text).toContain(words);
  const dropped = dropAll();
  expect(dropped).toContain(val.container);
  expect(world.open()).toEqual([]);
});

test("a client has five minutes to answer, and nothing of it is waited for afterwards", () => {
  const solving = begin("--mount=type=secret,id=a");
  const { op } = world.take("hold-secret");
  world.wait(301);
  expect(world.answer(solving).text).toContain("failed to get secret a: no answer within 300 seconds");
  expect(world.take("abandon").val).toBe(op);
  world.failAs(op, { tag: "interrupted", val: "given-up" });
  dropAll();
  expect([world.open(), world.timers]).toEqual([[], 0]);
});

test("a build whose client hangs up gives the question up", () => {
  const solving = begin("--mount=type=secret,id=a");
  const { op } = world.take("hold-secret");
  world.hangUp(solving);
  expect(world.take("abandon").val).toBe(op);
  world.done(op);
  dropAll();
  expect([world.open(), world.timers]).toEqual([[], 0]);
});

/** Ids of the file systems that are dropped. */
function dropAll(): string[] {
  const dropped: string[] = [];
  while (world.open().includes("abandon")) world.done(world.take("abandon").op);
  while (world.open().includes("unmount")) world.done(world.take("unmount").op);
  while (world.open().includes("drop-container")) {
    const { op, val } = world.take("drop-container");
    world.done(op);
    dropped.push(val);
  }
  return dropped;
}
