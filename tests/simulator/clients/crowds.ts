// Lines for stories with many containers, about some of them.

import type { Draw } from "../random.js";
import type { Cast } from "./cast.js";

/** Creates half of a crowd at the start. These containers are simple, to leave room in the story for others. */
export function* arrivals(draw: Draw, cast: Cast): Generator<string> {
  if (!cast.isCrowd) return;
  for (const name of cast.names.slice(0, cast.names.length >> 1)) {
    yield `create ${name} busybox:latest job=${draw.one([-1, -1, 0, 50])},${draw.one([0, 3])} label=${drawLabel(draw)}`;
    if (draw.onceIn(3)) yield `start ${name}`;
  }
}

/** Draws a line. */
export function drawPart(draw: Draw, cast: Cast): string {
  return draw.weighted<() => string>([
    [8, () => `list ${drawQuery(draw, cast)}`],
    [2, () => `inspect #${draw.one(cast.known)}:${draw.one([1, 1, 2, 3])}`],
    [1, () => `prune containers ${filters({ label: [`is=${drawLabel(draw)}`] })}`],
    [1, () => `rename ${draw.one(cast.known)} ${draw.one(cast.names)}`],
  ])();
}

function drawQuery(draw: Draw, cast: Cast): string {
  const all = draw.one(["", "all=1"]);
  const limit = draw.onceIn(2) ? `limit=${draw.one([0, 1, 3, 10, -1])}` : "";
  const chosen = draw.onceIn(3) ? "" : filters(drawFilters(draw, cast));
  return [all, limit, chosen].filter((one) => one !== "").join("&") || "limit=2";
}

function drawFilters(draw: Draw, cast: Cast): Record<string, string[]> {
  const name = draw.one(cast.known);
  const statuses = ["created", "running", "paused", "restarting", "exited", "dead"];
  const one = draw.weighted<Record<string, string[]>>([
    [3, { status: [draw.one(statuses), draw.one(statuses)] }],
    [3, { name: [draw.one([name, `^${name}$`, `^/${name}$`, "nn", "1"])] }],
    [2, { before: [name] }],
    [2, { since: [name] }],
    [2, { label: [`is=${drawLabel(draw)}`] }],
    [2, { exited: [draw.one(["0", "3", "137"])] }],
    [1, { id: [draw.one("0123456789abcdef".split(""))] }],
    [1, { since: [name], before: [draw.one(cast.known)] }],
  ]);
  return draw.onceIn(4) ? { ...one, label: ["is"] } : one;
}

function drawLabel(draw: Draw): string {
  return draw.one(["even", "odd"]);
}

function filters(chosen: Record<string, string[]>): string {
  return `filters=${encodeURIComponent(JSON.stringify(chosen))}`;
}
