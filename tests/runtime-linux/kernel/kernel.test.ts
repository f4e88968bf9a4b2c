// The kernel interface contains only calls that are used.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../runtime-linux", import.meta.url));
const KERNEL = readFileSync(join(ROOT, "kernel.ts"), "utf8");
const OTHERS = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  // Files in `kernel/` implement the calls.
  .filter((name) => name.endsWith(".ts") && name !== "kernel.ts" && !name.startsWith("kernel/"))
  .map((name) => readFileSync(join(ROOT, name), "utf8"))
  .join("\n");

const unused = (names: string[]) => names.filter((name) => !new RegExp(`\\b${name}\\b`).test(OTHERS));

test("every constant is used", () => {
  const names = [...KERNEL.matchAll(/^export const (\w+)/gm)].map((match) => match[1]!);
  expect(names).toContain("MNT_DETACH");
  expect(unused(names)).toEqual([]);
});

test("every call is made", () => {
  const calls = [...KERNEL.matchAll(/^ {2}(\w+)\(/gm)].map((match) => match[1]!);
  expect(calls).toContain("mount");
  // The daemon uses these for client sockets.
  expect(calls.filter((name) => !OTHERS.includes(`ernel.${name}(`))).toEqual(["hungUp", "peerOf"]);
  const daemon = readFileSync(join(ROOT, "../hosts/node/linux.ts"), "utf8");
  expect(daemon).toContain("libc.hungUp(");
  expect(daemon).toContain("libc.peerOf(");
});
