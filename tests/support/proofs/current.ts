// Whether a block of the file that is being loaded need not run on the reference (proofs.ts).
import { relative } from "node:path";
import { inject, TestRunner } from "vitest";
import { REFERENCE } from "../allowed-skips.js";
import { LACKING, proofOf } from "./proofs.js";
import { ROOT } from "./sources.js";

/** Why the block need not run on the reference, or null. */
export function provenReason(block: string): string | null {
  const { file } = TestRunner.getCurrentSuite() as { file?: { filepath: string } };
  if (file === undefined) return null;
  const proof = proofOf(relative(ROOT, file.filepath), block);
  if (inject("lacking").includes(proof)) return LACKING;
  return inject("proven").includes(proof) ? REFERENCE.proven : null;
}
