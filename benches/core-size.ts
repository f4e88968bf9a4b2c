// How big is the core?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { ROOT } from "../tests/support/engines.js";
import { under, type Answer } from "./question.js";

export async function coreSize(): Promise<Answer[]> {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  const goal = under(150, "KB");
  return [
    { question: "core wasm", unit: "KB", figures: { core: wasm.length / 1000 } },
    { question: "core wasm, brotli", unit: "KB", figures: { core: brotliCompressSync(wasm).length / 1000 }, goal },
  ];
}
