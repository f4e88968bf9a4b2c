// The blocks of a file that passed on the reference, from its report.
import type { TestCase, TestModule, TestSuite } from "vitest/node";
import { REFERENCE } from "../allowed-skips.js";
import { ON_REFERENCE, type Proven } from "./proofs.js";

/** All reasons but the one that there is a proof: a block that was left out proves nothing. */
const REASONS = new Set<string>(Object.entries(REFERENCE).flatMap(([id, why]) => (id === "proven" ? [] : [why])));

/** By name. Of two blocks with the same name, both have to. */
export function provenBy(module: TestModule): Proven {
  const blocks = [...module.children.allSuites()].filter(({ name }) => name.endsWith(ON_REFERENCE));
  return { blocks: those(blocks, "passed"), lacking: those(blocks, "lacking") };
}

function those(blocks: readonly TestSuite[], wanted: Result): string[] {
  const others = new Set(blocks.filter((block) => resultOfBlock(block) !== wanted).map(({ name }) => name));
  return [...new Set(blocks.map(({ name }) => name))].filter((name) => !others.has(name));
}

type Result = "passed" | "lacking" | "unknown";

/** Passed: at least one test did, and the others were skipped for what the reference lacks. Lacking: all were. */
function resultOfBlock(block: TestSuite): Result {
  const results = [...block.children.allTests()].map(resultOf);
  if (block.errors().length > 0 || results.length === 0 || results.includes("unknown")) return "unknown";
  return results.includes("passed") ? "passed" : "lacking";
}

function resultOf(test: TestCase): Result {
  const result = test.result();
  if (result.state === "passed") return "passed";
  return result.state === "skipped" && REASONS.has(`${result.note}`) ? "lacking" : "unknown";
}
