// `RUN --mount=type=ssh`, as seen by the core: what a client is asked for, and where its step has it.

import { beforeEach, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { ImageWorld } from "../support/image-world.js";
import { sendFiles } from "../support/session-files.js";

const METHOD = "X-Docker-Expose-Session-Grpc-Method";
const FILES = "/moby.filesync.v1.FileSync/DiffCopy";
const SSH = ["/moby.sshforward.v1.SSH/CheckAgent", "/moby.sshforward.v1.SSH/ForwardAgent"];

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

/** A build with these mounts, up to its RUN. */
function begin(mounts: string, methods = [FILES, ...SSH], before = ""): bigint {
  const headers = { Upgrade: "h2c", "X-Docker-Expose-Session-Uuid": "s", [METHOD]: methods.join(`\n${METHOD}: `) };
  world.ask("POST", "/session", undefined, headers);
  const message = { Ref: "a", Session: "s", Exporter: "moby", Frontend: "dockerfile.v0" };
  const options = { "force-network-mode": "none" };
  const solving = world.makeCall("moby.buildkit.v1.Control/Solve", { ...message, FrontendAttrs: options });
  sendFiles(world, `FROM busybox\n${before}RUN ${mounts} x\n`);
  return solving;
}

interface Spec {
  mounts: { destination: string; source: string; options: string[] }[];
  process: { env: string[] };
}

/** What the command sees: its mounts of others' files, and where it looks for an agent. */
function launched(): { mounts: unknown[]; variables: string[] } {
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  const { val } = world.takeLaunch();
  const { mounts, process } = JSON.parse(new TextDecoder().decode(val.spec)) as Spec;
  return {
    mounts: mounts
      .filter(({ source }) => source.startsWith("files:"))
      .map(({ destination, source, options }) => [destination, source, options.includes("ro")]),
    variables: process.env.filter((entry) => entry.startsWith("SSH_AUTH_SOCK")),
  };
}

function forwardAll(count: number): string[] {
  return Array.from({ length: count }, () => {
    const { op, val } = world.take("forward-agent");
    world.done(op);
    return val.container;
  });
}

test("each is asked for once, and its socket is the step's, with a variable that names the first", () => {
  begin("--mount=type=ssh --mount=type=ssh,target=s --mount=type=ssh,id=k,uid=7,gid=8,mode=0660");
  const one = world.take("forward-agent");
  expect(one.val).toMatchObject({
    id: "default",
    owner: 0,
    group: 0,
    mode: 0o600,
    connections: 32,
    message: 512 * 1024,
  });
  world.done(one.op);
  const other = world.take("forward-agent");
  expect(other.val).toMatchObject({ id: "k", owner: 7, group: 8, mode: 0o660 });
  world.done(other.op);
  const [first, second] = [`files:${one.val.container}/agent`, `files:${other.val.container}/agent`];
  expect(launched()).toEqual({
    mounts: expect.arrayContaining([
      ["/run/buildkit/ssh_agent.0", first, false],
      ["/s", first, false],
      ["/run/buildkit/ssh_agent.2", second, false],
    ]),
    variables: ["SSH_AUTH_SOCK=/run/buildkit/ssh_agent.0"],
  });
});

test("a variable of the image or of the client stays", () => {
  begin("--mount=type=ssh,target=/a", undefined, "ENV SSH_AUTH_SOCK=/own\n");
  expect(forwardAll(1)).toHaveLength(1);
  expect(launched().variables).toEqual(["SSH_AUTH_SOCK=/own"]);
});

test("a step has at most eight", () => {
  const agents = (count: number): string =>
    Array.from({ length: count }, (_, i) => `--mount=type=ssh,id=${i}`).join(" ");
  begin(agents(8));
  expect(new Set(forwardAll(8)).size).toBe(8);
  expect(launched().mounts).toHaveLength(8);
  world = new ImageWorld();
  expect(world.answer(begin(agents(9))).text).toContain("RUN has more than 8 ssh agents");
  expect(world.open()).not.toContain("forward-agent");
});

test("none has a source", () => {
  expect(world.answer(begin("--mount=type=ssh,source=/a")).text).toContain("ssh does not support source");
});

const GONE: failures.Failure = { tag: "no-such", val: { what: "agent", name: "a" } };
const UNSET: failures.Failure = { tag: "body-broke", val: "unset ssh forward key a" };
const BROKEN: failures.Failure = { tag: "interrupted", val: "client-gone" };
const FORWARDED = 'no SSH key \\"a\\" forwarded from the client';

test.each([GONE, UNSET])("one that the client does not have is left out", (failure) => {
  begin("--mount=type=ssh,id=a");
  world.failAs(world.take("forward-agent").op, failure);
  expect(launched()).toEqual({ mounts: [], variables: ["SSH_AUTH_SOCK=/run/buildkit/ssh_agent.0"] });
});

test("so are all if the client has none", () => {
  begin("--mount=type=ssh", [FILES]);
  expect(launched().mounts).toEqual([]);
});

test.each<[string, string, failures.Failure, string]>([
  [",required", "the client does not know", GONE, FORWARDED],
  [",required", "the client does not have", UNSET, "RUN failed: unset ssh forward key a"],
  ["", "its session ends before", BROKEN, "failed to get SSH agent a: "],
])("one%s that %s ends the build, and what was held for it goes", (required, _what, failure, words) => {
  const solving = begin(`--mount=type=ssh,id=first --mount=type=ssh,id=a${required}`);
  const [first] = forwardAll(1);
  world.failAs(world.take("forward-agent").op, failure);
  expect(world.answer(solving).text).toContain(words);
  expect(dropAll()).toContain(first);
  expect(world.open()).toEqual([]);
});

test("a client has five minutes to answer, and nothing of it is waited for afterwards", () => {
  const solving = begin("--mount=type=ssh,id=a");
  const { op } = world.take("forward-agent");
  world.wait(301);
  expect(world.answer(solving).text).toContain("failed to get SSH agent a: no answer within 300 seconds");
  expect(world.take("abandon").val).toBe(op);
  world.failAs(op, { tag: "interrupted", val: "given-up" });
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
