// The files of a session's client, as a build by BuildKit asks for them.

import { expect } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { encode, type ImageWorld } from "./image-world.js";

/** The session's files arrive: the context only if the Dockerfile copies from it. */
export function sendFiles(world: ImageWorld, dockerfile: string): void {
  sendDefinition(world, dockerfile);
  if (!/^(?:COPY|ADD) /m.test(dockerfile)) return;
  const { op, val } = world.take("extract");
  expect(val.source).toMatchObject({ tag: "session", val: { directory: "context" } });
  world.done(op);
}

/** The same without the context. `ignored`: the text of `.dockerignore`; null if there is none. */
export function sendDefinition(world: ImageWorld, dockerfile: string, ignored: string | null = null): void {
  const missing: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };
  world.done(world.take("mount").op);
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: encode(dockerfile) });
  world.failAs(world.take("read-file").op, missing);
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  const { op } = world.take("read-file");
  if (ignored === null) world.failAs(op, missing);
  else world.succeed(op, { tag: "bytes", val: encode(ignored) });
}
