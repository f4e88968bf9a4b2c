// What `echo` writes, as a program and in the shell.

import { concat, unescapeBytes } from "../escapes.js";

export function echoed(args: readonly string[]): Uint8Array {
  let [escapes, newline, at] = [false, true, 0];
  for (; /^-[neE]+$/.test(args[at] ?? ""); at++) {
    if (args[at]!.includes("n")) newline = false;
    if (args[at]!.includes("e")) escapes = true;
    if (args[at]!.includes("E")) escapes = false;
  }
  const text = args.slice(at).join(" ");
  const end = newline ? "\n" : "";
  if (!escapes) return new TextEncoder().encode(text + end);
  const { bytes, stop } = unescapeBytes(text, "echo");
  return stop ? bytes : concat([bytes, new TextEncoder().encode(end)]);
}
