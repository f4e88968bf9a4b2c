// Lines of malicious clients: requests that no client should send.

import type { Draw } from "../random.js";

export function drawEvil(draw: Draw): string[] {
  return [`fuzz ${draw.below(1_000_000_000)}`];
}
