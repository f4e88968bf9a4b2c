// Finds the init program for containers that want one. It must be static, because it runs in any container's file
// system.

import { readFileSync } from "node:fs";
import { noSuch } from "../../hosts/shared/index.js";
import type { engine } from "../../hosts/shared/index.js";
import { answerOf } from "./answer.js";
import { isStatic } from "./elf.js";
import { findProgram } from "./find-program.js";

/** tini, under Docker's and Debian's names, then a program that takes the same arguments. */
const NAMES = ["docker-init", "tini-static", "tini", "catatonit"];

/** Path of the program; undefined if there is none that runs everywhere. */
export function findInit(): string | undefined {
  for (const name of NAMES) {
    const path = findProgram(name);
    if (path && isStatic(readFileSync(path))) return path;
  }
  return undefined;
}

/** For a launch: fails if there is none. */
export function requireInit(): string {
  const path = findInit();
  if (!path) throw noSuch("init-program");
  return path;
}

export async function describeInit(): Promise<engine.InitProgram | undefined> {
  const path = findInit();
  if (!path) return undefined;
  try {
    return { path, ...parseInitVersion(await answerOf(path, "--version")) };
  } catch {
    return undefined;
  }
}

/** `tini version 0.19.0 - git.de40ad0`, `catatonit v0.1.7`. */
export function parseInitVersion(text: string): { version: string; commit: string } {
  const version = /\d+\.\S*/.exec(text)?.[0] ?? "";
  return { version, commit: /\bgit\.([0-9a-f]+)/.exec(text)?.[1] ?? "" };
}
