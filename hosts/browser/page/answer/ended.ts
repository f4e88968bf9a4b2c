import { effect } from "@preact/signals";
import type { Exchange } from "../../session/exchange.js";

/** Resolves when the whole answer is there, or broke off. */
export function ended(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const state = exchange.state.value;
      if (state !== "done" && state !== "broken") return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}
