// What a test on the reference consists of: its file, all files below tests/ that it imports, and the data that these name.
// What it shares with the product is not part of it: the same tests run with it on our engines each time.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** What counts proofs changes no test. */
const OWN = "tests/support/proofs/";

/** `import type` leaves nothing when it runs. */
const IMPORT = /^(?:import|export)(?! type)[^;]*? from "(\.[^"]+)"|\bimport\(?\s*"(\.[^"]+)"/gm;
const DATA = /new URL\("([^"]+)", import\.meta\.url\)/g;

/** Digests of test files by what they consist of. Files are read once. */
export class Sources {
  readonly #root: string;
  readonly #named = new Map<string, readonly string[]>();
  readonly #digests = new Map<string, string>();

  /** `root`: the repository. */
  constructor(root = ROOT) {
    this.#root = root;
  }

  /** SHA-256 in hex. `file` is relative to the repository. */
  digestOf(file: string): string {
    const hash = createHash("sha256");
    for (const path of [...this.#allOf(join(this.#root, file))].sort()) {
      hash.update(`${relative(this.#root, path)} ${this.#contentOf(path)}\n`);
    }
    return hash.digest("hex");
  }

  /** The file and all that it leads to. A set visits what is added to it meanwhile. */
  #allOf(file: string): Set<string> {
    const all = new Set([file]);
    for (const one of all) for (const next of this.#namedBy(one)) all.add(next);
    return all;
  }

  #namedBy(file: string): readonly string[] {
    const known = this.#named.get(file);
    if (known) return known;
    const tests = join(this.#root, "tests/");
    const isPart = (path: string): boolean => path.startsWith(tests) && !path.startsWith(join(this.#root, OWN));
    const named = /\.m?ts$/.test(file) ? namedIn(file).filter(isPart) : [];
    this.#named.set(file, named);
    return named;
  }

  #contentOf(path: string): string {
    const known = this.#digests.get(path) ?? createHash("sha256").update(readFileSync(path)).digest("hex");
    this.#digests.set(path, known);
    return known;
  }
}

/** Files that a module imports, and its data. */
function namedIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const at = (name: string): string => join(dirname(file), name);
  const modules = [...text.matchAll(IMPORT)].map(([, one, other]) => moduleAt(at(`${one ?? other}`)));
  const data = [...text.matchAll(DATA)].flatMap(([, name]) => filesAt(at(`${name}`), file));
  return [...modules.filter((path) => path !== null), ...data];
}

function moduleAt(path: string): string | null {
  return [path.replace(/\.js$/, ".ts"), path].find((one) => existsSync(one)) ?? null;
}

/**
 * A folder stands for its files, unless it holds the module. A file of another folder stands for that, because a program
 * reads others beside it.
 */
function filesAt(path: string, namedBy: string): string[] {
  if (!existsSync(path)) return [];
  const isFile = statSync(path).isFile();
  const folder = isFile ? dirname(path) : path.replace(/\/$/, "");
  if (namedBy.startsWith(`${folder}/`)) return isFile ? [path] : [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
