// Writes the table of visits for people, and reads it back for the test that requires them all.

import type { Counts, Visited } from "./visits.js";

const FORM = /^ {2}([a-z-]+): (.*)$/;
const ROUTE = /^ {2}([A-Z]+ \/.*|no route): (.*)$/;
/** A route about one object that the client names. */
const NAMED = /\{\w+\}/;

/** `entries`: all cases. */
export function tableText(entries: readonly string[], { entries: counts, statuses }: Visited): string {
  const visited = entries.filter((entry) => counts[entry] !== undefined).length;
  const byType = rows(entries.map((entry) => [entry, counts[entry] ?? 0]));
  const byRoute = rows(Object.entries(statuses).sort(([a], [b]) => (a < b ? -1 : 1)));
  const [missed, all] = [["404"], []].map((some) => sum(statuses, NAMED, some));
  const share = `${missed} of ${all} requests about a named object did not find it (404)`;
  return [`visited ${visited} of ${entries.length} cases of the boundary`, ...byType, share, ...byRoute].join("\n");
}

/** Reads the table. */
export function readTable(text: string): Visited {
  const visited: Visited = { entries: {}, statuses: {} };
  for (const line of text.split("\n")) {
    take(visited.entries, FORM.exec(line));
    take(visited.statuses, ROUTE.exec(line));
  }
  return visited;
}

/** The number of answers of these routes with these statuses, or with any if none is given. */
export function sum(statuses: Counts, routes: RegExp, wanted: readonly string[] = []): number {
  return Object.entries(statuses)
    .map(([row, count]) => [...split(row), count] as const)
    .filter(([route, status]) => routes.test(route) && (wanted.length === 0 || wanted.includes(status)))
    .reduce((all, [, , count]) => all + count, 0);
}

function rows(counts: readonly (readonly [string, number])[]): string[] {
  const byHead = new Map<string, string[]>();
  for (const [row, count] of counts) {
    const [head, last] = split(row);
    byHead.set(head, [...(byHead.get(head) ?? []), `${last} ${count}`]);
  }
  return [...byHead].map(([head, cells]) => `  ${head}: ${cells.join(", ")}`);
}

function take(counts: Counts, row: RegExpExecArray | null): void {
  if (row === null) return;
  const [, head = "", cells = ""] = row;
  for (const cell of cells.split(", ")) {
    const [name, count] = split(cell);
    if (Number(count) > 0) counts[`${head} ${name}`] = Number(count);
  }
}

/** The text before the last word, and the last word. */
function split(text: string): [string, string] {
  const at = text.lastIndexOf(" ");
  return [text.slice(0, at), text.slice(at + 1)];
}
