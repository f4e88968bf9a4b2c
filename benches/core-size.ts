// How big is the core?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { ROOT, type RunningEngine } from "../tests/support/engines.js";
import type { Answer } from "./question.js";

export async function coreSize(_: readonly RunningEngine[]): Promise<Answer[]> {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  const goal = { says: "under 150 KB", reached: (ours: number) => ours < 150 };
  return [
    { question: "core wasm", unit: "KB", figures: { linux: wasm.length / 1000 } },
    { question: "core wasm, brotli", unit: "KB", figures: { linux: brotliCompressSync(wasm).length / 1000 }, goal },
  ];
}
