// How big is the core?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { ROOT } from "../tests/support/engines.js";
import { under, type Answer, type Sizes } from "./question.js";

export async function coreSize({ brotli }: Sizes): Promise<Answer[]> {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  const packed = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } });
  const goal = under(180, "KB");
  return [
    { question: "core wasm", unit: "KB", figures: { core: wasm.length / 1000 } },
    { question: "core wasm, brotli", unit: "KB", figures: { core: packed.length / 1000 }, goal },
  ];
}
