// Opens an engine in this program.

import type { Engine, EngineOptions } from "./engine.js";
import { EmbeddedEngine } from "./embedded-engine.js";

/**
 * Resolves when the engine has mended what it found of an earlier life, has loaded the images that its host gives a new
 * engine, and takes requests. Rejects when it cannot be opened: its records and its host are closed by then. An engine
 * that crashed before it was open comes back with `state` `down`.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const engine = new EmbeddedEngine(options);
  await engine.start();
  return engine;
}
