// Stages of a build that are made side by side, as seen by the core: what they wait for, and what their client is told.

import { describe, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { beginBuild } from "./beginning.js";

const MISSING: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };
/** Labels whose lines make the stream crowded. */
const LONG = `LABEL long=${"x".repeat(40 * 1024)}\n`.repeat(8);

function choose(world: ImageWorld): void {
  world.succeed(world.take("choose").op, {
    tag: "chosen",
    val: { files: [{ path: "f", directory: false, pattern: 0 }], digest: digestOf(encode("files")) },
  });
}

/** Answers a COPY whose files are chosen. */
function copy(world: ImageWorld, name: string): void {
  world.done(world.take("mount").op);
  world.failAs(world.take("stat").op, MISSING);
  world.done(world.take("copy").op);
  const val = { diffId: digestOf(encode(name)), size: 3n, empty: false };
  world.succeed(world.take("commit").op, { tag: "committed", val });
  world.succeed(world.take("layer").op, { tag: "size", val: 3n });
}

describe("a stage that waits for its client to read", () => {
  test("is made once, though another stage ends meanwhile", () => {
    const world = new ImageWorld({ reading: false });
    const first = `FROM scratch AS one\n${LONG}`;
    const id = beginBuild(world, `${first}FROM scratch AS two\nCOPY f /\nFROM one\nCOPY --from=two f /\n`, "");
    choose(world);
    copy(world, "two");
    while (world.answer(id).unread > 0) world.read(id, 8 * 1024);
    const made = world.lines(id).filter((line) => "aux" in line);
    expect(made).toHaveLength(2);
  });
});
