// Opens an engine in this program.

import type { Engine, EngineOptions } from "./engine.js";
import { EmbeddedEngine } from "./embedded-engine.js";

/**
 * Resolves when the engine takes requests: it has repaired what it found of an earlier life, and has loaded its host's
 * first images if it is new. Rejects if it cannot be opened; its records and its host are then closed. If the engine
 * crashed while it was opening, its `state` is `down`.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const engine = new EmbeddedEngine(options);
  await engine.start();
  return engine;
}
