// proofs.json: which blocks of tests passed on the reference, with which sources. The reference is one fixed program, so
// the same sources pass on it again. It takes half of the processor time of tests/http, and does everything slowly.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, Sources } from "./sources.js";

const FILE = "tests/proofs.json";
/** Ends the name of a block that runs on the reference (on-engines.ts). */
export const ON_REFERENCE = " on reference";

/** Blocks of a file that need not run on the reference, by name: those that passed, and those of which no test can run. */
export interface Proven {
  readonly blocks: readonly string[];
  readonly lacking: readonly string[];
}

/** Why a block is skipped of which no test can run on the reference. Each test has its own reason in the file. */
export const LACKING = "the reference lacks what each of its tests needs (tests/proofs.json)";

interface Proofs {
  /** What `dockerd --version` said. */
  readonly reference: string;
  /** By file, relative to the repository, with the digest of its sources. An empty list is left out. */
  readonly files: Readonly<Record<string, Partial<Proven> & { readonly sources: string }>>;
}

/** Whether `CORACLE_TEST_PROVE=1` asks for all tests on the reference. What passes is written down. */
export const isProving = process.env["CORACLE_TEST_PROVE"] === "1";

/** Names a block of a file. */
export function proofOf(file: string, block: string): string {
  return `${file}: ${block}`;
}

/** The blocks that need not run again on this reference, because they passed, or `lacking`. `root`: the repository. */
export function provenBlocks(reference = referenceVersion(), root = ROOT, kind: keyof Proven = "blocks"): string[] {
  const proofs = readProofs(root);
  const sources = new Sources(root);
  if (proofs === null || proofs.reference !== reference) return [];
  const valid = Object.entries(proofs.files).filter(
    ([file, { sources: digest }]) => digest === digestOf(sources, file),
  );
  return valid.flatMap(([file, { [kind]: blocks = [] }]) => blocks.map((block) => proofOf(file, block)));
}

/** Writes what passed in this run, by file, and keeps what is still true of the others. */
export function writeProofs(passed: ReadonlyMap<string, Proven>, reference = referenceVersion(), root = ROOT): void {
  if (reference === null) return;
  const sources = new Sources(root);
  const before = readProofs(root);
  const old = before?.reference === reference ? Object.entries(before.files) : [];
  const kept = old.filter(([file, { sources: digest }]) => !passed.has(file) && digest === digestOf(sources, file));
  const entries = [...passed].filter(([, { blocks, lacking }]) => blocks.length + lacking.length > 0);
  const proven = entries.map(([file, { blocks, lacking }]) => {
    const lists = { ...(blocks.length > 0 && { blocks }), ...(lacking.length > 0 && { lacking }) };
    return [file, { sources: sources.digestOf(file), ...lists }] as const;
  });
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
