// Pulls that tests begin and carry out in the core's world.

import { resolved } from "../../support/image-world.js";
import type { ImageWorld, MadeImage } from "../../support/image-world.js";

/** Requests an image, and answers until its layers are fetched. */
export function begin(
  world: ImageWorld,
  name: string,
  image: MadeImage,
  password?: string,
  passedOn: Record<string, string> = {},
): bigint {
  const [repository, tag] = name.split(":");
  const headers = { ...passedOn, ...(password !== undefined && { "X-Registry-Auth": authOf(password) }) };
  const id = world.ask("POST", `/images/create?fromImage=${repository}&tag=${tag}`, undefined, headers);
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  return id;
}

/** Base64 in the URL alphabet with padding, as clients send it. */
export function authOf(password: string): string {
  const header = Buffer.from(JSON.stringify({ username: "me", password })).toString("base64url");
  return header.padEnd(Math.ceil(header.length / 4) * 4, "=");
}

export function pull(world: ImageWorld, name: string, image: MadeImage): void {
  const id = begin(world, name, image);
  while (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 1n });
  if (!world.answer(id).over) throw new Error(`the pull of ${name} has not ended`);
}

/** Chains of the images at the beginning of a world. */
export function chainsOf(world: ImageWorld): string[] {
  return [...world.records.keys()].filter((key) => key.startsWith("layer/")).map((key) => key.slice(6));
}
