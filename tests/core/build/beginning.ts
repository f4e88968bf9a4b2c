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
  // BuildKit does not look for what this context ignores.
  const files = query.split("&").includes("version=2") ? [dockerfile] : ["", dockerfile];
  for (const file of files) world.succeed(world.take("read-file").op, { tag: "bytes", val: encode(file) });
  return id;
}
