// How every build begins, as seen by the core.

import { encode, type ImageWorld } from "../support/image-world.js";

/** What the stream says of a step that was not done again. */
export const CACHED = "---> Using cache";

/** Sends the context, and answers until the Dockerfile is read. Returns the request. */
export function beginBuild(world: ImageWorld, dockerfile: string, query: string): bigint {
  world.sleep(1000);
  const id = world.ask("POST", `/build?${query}`, encode("tar"));
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  for (const file of ["", dockerfile]) world.succeed(world.take("read-file").op, { tag: "bytes", val: encode(file) });
  return id;
}
