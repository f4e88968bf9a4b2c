// The blocks of a file that passed on the reference, from its report.
import type { TestCase, TestModule, TestSuite } from "vitest/node";
import { REFERENCE } from "../allowed-skips.js";
import { ON_REFERENCE } from "./proofs.js";

/** All reasons but the one that there is a proof: a block that was left out proves nothing. */
const REASONS = new Set<string>(Object.entries(REFERENCE).flatMap(([id, why]) => (id === "proven" ? [] : [why])));

/** By name. Two blocks of the same name both have to pass. */
export function provenBy(module: TestModule): string[] {
  const blocks = [...module.children.allSuites()].filter(({ name }) => name.endsWith(ON_REFERENCE));
  const failed = new Set(blocks.filter((block) => !hasPassed(block)).map(({ name }) => name));
  return [...new Set(blocks.map(({ name }) => name))].filter((name) => !failed.has(name));
}

/** At least one test passed, and the others were skipped for what the reference lacks. */
function hasPassed(block: TestSuite): boolean {
  const results = [...block.children.allTests()].map(resultOf);
  return block.errors().length === 0 && results.includes("passed") && !results.includes("unknown");
}

function resultOf(test: TestCase): "passed" | "lacking" | "unknown" {
  const result = test.result();
  if (result.state === "passed") return "passed";
  return result.state === "skipped" && REASONS.has(`${result.note}`) ? "lacking" : "unknown";
}
