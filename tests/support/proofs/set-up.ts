// Finds once a run which blocks have passed on the reference with the same sources (proofs.ts).
import type { TestProject } from "vitest/node";
import { isProving, provenBlocks } from "./proofs.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Blocks that passed on the reference, and those of which no test can run there (support/proofs). */
    proven: readonly string[];
    lacking: readonly string[];
  }
}

/** All projects (vitest.config.ts) are provided with what the root is. */
export default function setUp({ vitest }: TestProject): void {
  const root = vitest.getRootProject();
  if (root.getProvidedContext().proven !== undefined) return;
  root.provide("proven", isProving ? [] : provenBlocks());
  root.provide("lacking", isProving ? [] : provenBlocks(undefined, undefined, "lacking"));
}
