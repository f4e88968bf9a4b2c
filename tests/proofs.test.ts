// Blocks that passed on the reference are not run there again, until something changes that their file consists of.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { provenBlocks, writeProofs, type Proven } from "./support/proofs/proofs.js";

const REFERENCE = "Docker version 1";
const FILE = "tests/http/kill.test.ts";
const BLOCK = "kill on reference";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "coracle-proofs-"));
  write(FILE, `import { kill } from "./kill.js";\nimport type { Signal } from "./signal.js";\n`);
  write(
    "tests/http/kill.ts",
    `import { a } from "../../hosts/a.js";\nconst DATA = new URL("./data", import.meta.url);\n`,
  );
  write("tests/http/signal.ts", "export type Signal = string;\n");
  write("tests/http/data/program.py", "import signals\n");
  write("tests/http/data/signals.py", "ALL = []\n");
  write("hosts/a.ts", "export const a = 1;\n");
  writeProofs(new Map([[FILE, passed(BLOCK)]]), REFERENCE, root);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const passed = (...blocks: string[]): Proven => ({ blocks, lacking: [] });
const proven = (reference = REFERENCE): string[] => provenBlocks(reference, root);

test("a block that passed is proven", () => {
  expect(proven()).toEqual([`${FILE}: ${BLOCK}`]);
});

test("another reference has proven nothing", () => {
  expect(proven("Docker version 2")).toEqual([]);
});

test.each([[FILE], ["tests/http/kill.ts"], ["tests/http/data/program.py"], ["tests/http/data/signals.py"]])(
  "a change of %s asks again",
  (path) => {
    write(path, `${path} has changed\n`);
    expect(proven()).toEqual([]);
  },
);

test.each([["hosts/a.ts"], ["tests/http/signal.ts"], ["tests/http/list.ts"]])("a change of %s does not", (path) => {
  write(path, `${path} has changed\n`);
  expect(proven()).toEqual([`${FILE}: ${BLOCK}`]);
});

test("a file that is gone, and one whose source is gone, prove nothing", () => {
  rmSync(join(root, "tests/http/data"), { recursive: true });
  expect(proven()).toEqual([]);
  rmSync(join(root, FILE));
  expect(proven()).toEqual([]);
});

test("what passed in a later run replaces a file's proofs, and leaves those of others", () => {
  const other = "tests/http/list.test.ts";
  write(other, "export {};\n");
  writeProofs(new Map([[other, passed("list on reference")]]), REFERENCE, root);
  expect(proven()).toEqual([`${FILE}: ${BLOCK}`, `${other}: list on reference`]);
  // It ran, and no block of it passed.
  writeProofs(new Map([[FILE, passed()]]), REFERENCE, root);
  expect(proven()).toEqual([`${other}: list on reference`]);
});

test("a block of which no test can run there is told apart from one that passed", () => {
  writeProofs(new Map([[FILE, { blocks: [], lacking: [BLOCK] }]]), REFERENCE, root);
  expect(proven()).toEqual([]);
  expect(provenBlocks(REFERENCE, root, "lacking")).toEqual([`${FILE}: ${BLOCK}`]);
  write(FILE, "it has changed\n");
  expect(provenBlocks(REFERENCE, root, "lacking")).toEqual([]);
});
