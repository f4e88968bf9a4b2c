// Creates images and containers for the tests of images.

import { expect } from "vitest";
import { digestOf, encode, type ImageWorld, type Json, type MadeImage } from "../support/image-world.js";

export function filesOf(image: MadeImage): { path: string; size: bigint }[] {
  const layers = image.diffIds.map((_, at) => ({ path: `${at}.tar`, size: 2000n }));
  return [{ path: "manifest.json", size: 1n }, { path: "c.json", size: 1n }, ...layers];
}

export function answerList(world: ImageWorld, op: bigint, list: Json[]): void {
  world.succeed(op, { tag: "bytes", val: encode(JSON.stringify(list)) });
}

/** Loads an archive until its layers are requested. `listed`: how the archive's list names a member. */
export function beginLoad(
  world: ImageWorld,
  image: MadeImage,
  tags: string[] | null,
  query = "quiet=1",
  listed = (member: string): string => member,
): bigint {
  const id = world.ask("POST", `/images/load?${query}`, encode("tar"));
  world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
  const Layers = image.diffIds.map((_, at) => listed(`${at}.tar`));
  answerList(world, world.take("read").op, [{ Config: listed("c.json"), RepoTags: tags, Layers }]);
  const config = world.take("read");
  expect(config.val.path).toBe("c.json");
  world.succeed(config.op, { tag: "bytes", val: image.config });
  return id;
}

/** Ends the load of the last image of an archive, whose layers are unpacked. */
export function flush(world: ImageWorld): void {
  world.done(world.take("drop-archive").op);
  world.done(world.take("flush-layers").op);
}

export function load(world: ImageWorld, image: MadeImage, tags: string[] | null): bigint {
  const id = beginLoad(world, image, tags);
  while (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 7n });
  flush(world);
  expect(world.answer(id).over).toBe(true);
  return id;
}

/** Runs a container and returns its id. */
export function run(world: ImageWorld, image: string, name = "runs"): string {
  const HostConfig = { NetworkMode: "none" };
  const { json } = world.call("POST", `/containers/create?name=${name}`, { Image: image, Cmd: ["x"], HostConfig });
  const start = world.ask("POST", `/containers/${name}/start`);
  world.done(world.take("mount").op);
  world.succeed(world.takeProcess("launch"), { tag: "launched", val: { pid: 7, at: world.now() } });
  expect(world.answer(start).status).toBe(204);
  return (json as { Id: string }).Id;
}

/** Commits a running container with changes, and returns the image's id. */
export function commit(world: ImageWorld, query: string, body?: Json): string {
  const id = world.ask("POST", `/commit?${query}`, body);
  world.done(world.takeProcess("pause"));
  const diffId = digestOf(encode("changes"));
  world.succeed(world.take("commit").op, { tag: "committed", val: { diffId, size: 3n, empty: false } });
  world.succeed(world.take("layer").op, { tag: "size", val: 3n });
  world.done(world.take("drop-archive").op);
  world.done(world.takeProcess("resume"));
  expect(world.answer(id).status).toBe(201);
  return (JSON.parse(world.answer(id).text) as { Id: string }).Id;
}

export function list(world: ImageWorld, filters: unknown): Json[] {
  return world.call("GET", `/images/json?filters=${encodeURIComponent(JSON.stringify(filters))}`).json as Json[];
}
