// Ctrl-C in the notebook stops what runs there, as in a terminal. If text is selected, it copies as usual.

import type { Exchange } from "../../session/exchange.js";
import type { Playground } from "../playground.js";
import { isLive } from "./console-runs.js";

export function isInterrupt(event: KeyboardEvent): boolean {
  const { ctrlKey, altKey, metaKey, shiftKey, key } = event;
  return ctrlKey && !altKey && !metaKey && !shiftKey && key === "c" && !hasSelection(event.target);
}

/** In a field only its own selection counts; elsewhere, the selection on the page. */
function hasSelection(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
    return target.selectionStart !== target.selectionEnd;
  }
  return getSelection()?.isCollapsed === false;
}

/** Returns whether anything was running. */
export function interruptAt(playground: Playground, target: EventTarget | null): boolean {
  const id = target instanceof Element ? target.closest<HTMLElement>("[data-cell]")?.dataset["cell"] : undefined;
  const cell = playground.session
    .peek()
    .cells.peek()
    .find((one) => one.id === id);
  return interrupt(playground, cell?.exchanges.peek() ?? []);
}

/**
 * Cancels the running exchanges. If none is running, or the console sent one, stops everything that the console runs.
 */
export function interrupt(playground: Playground, exchanges: readonly Exchange[]): boolean {
  const runs = playground.runs;
  const live = exchanges.filter(isLive);
  if (live.length > 0 && !live.some((exchange) => runs.hasSent(exchange))) {
    for (const { number } of live) void playground.session.peek().cancel(number);
    return true;
  }
  if (!runs.going.peek()) return false;
  runs.stop();
  return true;
}
