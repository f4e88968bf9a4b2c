// Clients of BuildKit, as seen by the core: their calls, and the steps that these lead to.

import { digestOf, encode, type ImageWorld } from "../support/image-world.js";

export const CONTROL = "moby.buildkit.v1.Control";
const UPGRADE = { Connection: "Upgrade", Upgrade: "h2c" };
export const METHOD = "X-Docker-Expose-Session-Grpc-Method";
const FILES = { [METHOD]: "/moby.filesync.v1.FileSync/DiffCopy" };
export const ALL = { [METHOD]: `${FILES[METHOD]}\n${METHOD}: /moby.filesync.v1.Auth/Credentials` };

export function openSession(world: ImageWorld, more: Record<string, string> = FILES): bigint {
  return world.ask("POST", "/session", undefined, { ...UPGRADE, ...more, "X-Docker-Expose-Session-Uuid": "s" });
}

export function solve(world: ImageWorld, more: object = {}): bigint {
  const message = {
    Ref: "a",
    Session: "s",
    Exporter: "moby",
    Frontend: "dockerfile.v0",
    FrontendAttrs: { "force-network-mode": "none" },
    ...more,
  };
  return world.makeCall(`${CONTROL}/Solve`, message);
}

/** `carrier`: the client's connection for calls. */
export function watch(world: ImageWorld, Ref = "a", carrier?: bigint): bigint {
  return world.makeCall(`${CONTROL}/Status`, { Ref }, {}, carrier);
}

/** A RUN that writes nothing. */
export function runStep(world: ImageWorld): void {
  endStep(world, { diffId: digestOf(encode("")), size: 0n, empty: true });
}

/** A RUN that writes 1000 bytes. */
export function writeStep(world: ImageWorld, name: string): void {
  endStep(world, { diffId: digestOf(encode(name)), size: 1000n, empty: false });
}

function endStep(world: ImageWorld, committed: { diffId: string; size: bigint; empty: boolean }): void {
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  const { op, val } = world.takeLaunch();
  world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  world.exited(val.container, 1);
  // It has written nothing.
  if (world.open().includes("keep-log")) world.succeed(world.take("keep-log").op, { tag: "size", val: 0n });
  world.succeed(world.take("commit").op, { tag: "committed", val: committed });
  // The layer is there already, or is made.
  if (!world.open().includes("layer")) world.done(world.take("drop-archive").op);
  else world.succeed(world.take("layer").op, { tag: "size", val: committed.size });
  world.done(world.takeProcess("reap"));
  world.done(world.take("unmount").op);
}

/** Of the step, and of what only held files. */
export function drop(world: ImageWorld): void {
  for (const tag of ["unmount", "drop-container"] as const) {
    while (world.open().includes(tag)) world.done(world.take(tag).op);
  }
}

const BRIDGE = "moby.buildkit.v1.frontend.LLBBridge";

export function direct(world: ImageWorld, method: string, message: object = {}): bigint {
  return world.makeCall(`${BRIDGE}/${method}`, message, { "Buildkit-Controlapi-Buildid": "a" });
}

/** What is under way. */
export function commands(world: ImageWorld): string[] {
  return world.open().filter((tag) => tag !== "unmount" && tag !== "drop-container");
}
