// The core's route table, read from its source, for tests that cover every endpoint.
import { readFileSync } from "node:fs";

export interface Route {
  readonly method: string;
  /** `*` stands for a name. */
  readonly path: string;
  /** Minor number of the first API version that has it. */
  readonly since: number;
  readonly handler: string;
  /** The handler's file, below core/assembly. */
  readonly source: string;
}

const TABLE = new URL("../../core/assembly/api/routes.ts", import.meta.url);
const ROW = /^ {2}new Route\("(\w+)",\s+"([^"]+)",\s+(\d+), (\w+),\s+"([^"]+)"(?:, NO_FORM)?\),$/;

/** All rows, in the table's order. Throws if a row cannot be read. */
export function routes(): Route[] {
  const lines = readFileSync(TABLE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("  new Route("));
  return lines.map((line) => {
    const [row, method = "", path = "", since = "", handler = "", source = ""] = ROW.exec(line) ?? [];
    if (row === undefined) throw new Error(`not a row of the table of routes: ${line}`);
    return { method, path, since: Number(since), handler, source };
  });
}
