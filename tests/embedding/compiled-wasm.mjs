// Preloaded into a program (`node --import`) or added to a page: records the SHA-256 of every WebAssembly module that
// is compiled, in `compiledWasm` and, if there is a process, on its standard error.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const compiled = (globalThis.compiledWasm = []);
const { Module, compile, compileStreaming, instantiate, instantiateStreaming } = WebAssembly;

WebAssembly.Module = class extends Module {
  constructor(source, ...more) {
    tell(source);
    super(source, ...more);
  }
};
WebAssembly.compile = (source, ...more) => {
  tell(source);
  return compile(source, ...more);
};
WebAssembly.compileStreaming = async (source, ...more) => compileStreaming(await told(source), ...more);
WebAssembly.instantiate = (source, ...more) => {
  if (!(source instanceof Module)) tell(source);
  return instantiate(source, ...more);
};
WebAssembly.instantiateStreaming = async (source, ...more) => instantiateStreaming(await told(source), ...more);

async function told(source) {
  const response = await source;
  tell(await response.clone().arrayBuffer());
  return response;
}

function tell(source) {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  const hash = bytesToHex(sha256(bytes));
  compiled.push(hash);
  globalThis.process?.stderr?.write(`compiled wasm ${hash}\n`);
}
