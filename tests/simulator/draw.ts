// Draws a story: what clients do, when the world advances, and what goes wrong. The generator never ends.

import { builderLines } from "./clients/builders.js";
import { Cast } from "./clients/cast.js";
import { arrivals } from "./clients/crowds.js";
import { drawEvil } from "./clients/evil.js";
import { hostilePushes } from "./clients/hostile-pushes.js";
import { drawCommand } from "./clients/polite.js";
import { drawRudeness } from "./clients/rude.js";
import { drawFault } from "./faults.js";
import { Draw } from "./random.js";
import { machineFaults } from "./machine-faults.js";

export function* drawLines(seed: number): Generator<string> {
  const draw = new Draw(seed, "story");
  // Stories with few faults reach other states than stories with many.
  const faultOnceIn = draw.one([6, 15, 40, 1_000_000]);
  const cast = new Cast(seed);
  const clients = drawClients(draw);
  const [rare, builders, pushes] = [machineFaults(seed), builderLines(seed), hostilePushes(seed)];
  for (const line of arrivals(draw, cast)) yield* spoken(draw, cast, clients[0]!.name, line);
  for (;;) {
    if (draw.onceIn(faultOnceIn)) yield drawFault(draw, cast.known);
    if (draw.onceIn(faultOnceIn * 3)) yield "lift";
    if (draw.onceIn(250)) yield "rest";
    const { value: fault } = rare.next();
    if (fault !== null) yield fault;
    for (const line of builders.next().value ?? []) yield line;
    yield* pushes.next().value;
    const client = draw.one(clients);
    for (const line of client.lines(draw, cast)) yield* spoken(draw, cast, client.name, line);
    yield* worldLines(draw);
  }
}

function* spoken(draw: Draw, cast: Cast, client: string, line: string): Generator<string> {
  cast.heard(line);
  yield `${client} ${line}`;
  if (draw.onceIn(2)) yield `work ${1 + draw.below(4)}`;
}

interface Drawn {
  name: string;
  lines: (draw: Draw, cast: Cast) => string[];
}

function drawClients(draw: Draw): Drawn[] {
  const some = (kind: string, most: number, lines: Drawn["lines"]): Drawn[] =>
    Array.from({ length: 1 + draw.below(most) }, (_, at) => ({ name: `${kind}${at + 1}`, lines }));
  const polite = some("polite", 3, drawCommand);
  return [
    ...polite,
    ...polite,
    ...(draw.onceIn(3) ? [] : some("rude", 2, drawRudeness)),
    ...(draw.onceIn(3) ? some("evil", 1, drawEvil) : []),
  ];
}

function worldLines(draw: Draw): string[] {
  return draw.weighted<() => string[]>([
    [6, () => [`work ${1 + draw.below(12)}`]],
    [2, () => [`pass ${draw.one([1, 10, 100])}`]],
    [1, () => [`pass ${draw.one([1000, 3000, 12_000])}`]],
    [2, () => []],
  ])();
}
