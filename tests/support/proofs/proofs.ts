// proofs.json: which blocks of tests passed on the reference, with which sources. The reference is one fixed program, so
// the same sources pass on it again. It takes half of the processor time of tests/http, and does everything slowly.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, Sources } from "./sources.js";

const FILE = "tests/proofs.json";
/** Ends the name of a block that runs on the reference (on-engines.ts). */
export const ON_REFERENCE = " on reference";

interface Proofs {
  /** What `dockerd --version` said. */
  readonly reference: string;
  /** By file, relative to the repository: its blocks that passed, by name, and the digest of its sources. */
  readonly files: Readonly<Record<string, { readonly sources: string; readonly blocks: readonly string[] }>>;
}

/** Whether `CORACLE_TEST_PROVE=1` asks for all tests on the reference. What passes is written down. */
export const isProving = process.env["CORACLE_TEST_PROVE"] === "1";

/** Names a block of a file. */
export function proofOf(file: string, block: string): string {
  return `${file}: ${block}`;
}

/** The blocks that need not run again on this reference. `root`: the repository. */
export function provenBlocks(reference = referenceVersion(), root = ROOT): string[] {
  const proofs = readProofs(root);
  const sources = new Sources(root);
  if (proofs === null || proofs.reference !== reference) return [];
  const valid = Object.entries(proofs.files).filter(
    ([file, { sources: digest }]) => digest === digestOf(sources, file),
  );
  return valid.flatMap(([file, { blocks }]) => blocks.map((block) => proofOf(file, block)));
}

/** Writes what passed in this run, by file, and keeps what is still true of the others. */
export function writeProofs(
  passed: ReadonlyMap<string, readonly string[]>,
  reference = referenceVersion(),
  root = ROOT,
): void {
  if (reference === null) return;
  const sources = new Sources(root);
  const before = readProofs(root);
  const old = before?.reference === reference ? Object.entries(before.files) : [];
  const kept = old.filter(([file, { sources: digest }]) => !passed.has(file) && digest === digestOf(sources, file));
  const entries = [...passed].filter(([, blocks]) => blocks.length > 0);
  const proven = entries.map(([file, blocks]) => [file, { sources: sources.digestOf(file), blocks }] as const);
  const files = Object.fromEntries([...kept, ...proven].sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(join(root, FILE), `${JSON.stringify({ reference, files } satisfies Proofs, null, 2)}\n`);
}

/** Null if one of its sources is gone. */
function digestOf(sources: Sources, file: string): string | null {
  try {
    return sources.digestOf(file);
  } catch {
    return null;
  }
}

function readProofs(root: string): Proofs | null {
  try {
    return JSON.parse(readFileSync(join(root, FILE), "utf8")) as Proofs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** What it says of itself, or null if it is not here. */
function referenceVersion(): string | null {
  const { stdout, status } = spawnSync("dockerd", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
