// Whether a block of the file that is being loaded has passed on the reference before (proofs.ts).
import { relative } from "node:path";
import { inject, TestRunner } from "vitest";
import { REFERENCE } from "../allowed-skips.js";
import { proofOf } from "./proofs.js";
import { ROOT } from "./sources.js";

/** Why the block need not run on the reference, or null. */
export function provenReason(block: string): string | null {
  const { file } = TestRunner.getCurrentSuite() as { file?: { filepath: string } };
  if (file === undefined) return null;
  return inject("proven").includes(proofOf(relative(ROOT, file.filepath), block)) ? REFERENCE.proven : null;
}
