// The README's table of fields says what the core's tables say: a change of a field's state is read as a change of it.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openDoor } from "./door.js";

const README = new URL("../../README.md", import.meta.url);
const BEGIN = "<!-- fields: UPDATE=1 npm test -- tests/core/fields.test.ts -->";
const END = "<!-- /fields -->";

/** `Effect` of core/assembly/json/table.ts. */
const STATES = ["works", "kept", "refused"];

type Row = [path: string, effect: number, neutral: string[], note: string, since: number, until: number];

test("the README tells every field of a create body and what becomes of it", async () => {
  const door = await openDoor("container-door");
  const printed = print(door.call("fields") as Record<string, Row[]>);
  const readme = readFileSync(README, "utf8");
  const [before = "", rest = ""] = readme.split(BEGIN);
  const [between = "", after = ""] = rest.split(END);
  if (process.env.UPDATE === "1" && process.env.CI !== "true")
    writeFileSync(README, [before, BEGIN, printed, END, after].join(""));
  else expect(between).toBe(printed);
}, 60_000);

/** A row for each state of each object, the fields in their order. */
function print(objects: Record<string, Row[]>): string {
  const lines = Object.entries(objects).flatMap(([object, rows]) =>
    STATES.flatMap((state, effect) => {
      const cells = rows.filter((row) => row[1] === effect).map((row) => cell(row, rows));
      return cells.length > 0 ? [`| \`${object}\` | ${state} | ${cells.join(", ")} |`] : [];
    }),
  );
  return ["\n", "| object | state | fields |", "|---|---|---|", ...lines, "\n"].join("\n").replaceAll("\n\n\n", "\n\n");
}

/** What stands in a struct of the same state is told with its last name. */
function cell([path, effect, neutral, note, since, until]: Row, rows: Row[]): string {
  const at = path.lastIndexOf(".");
  const struct = rows.find((row) => at > 0 && row[0] === path.slice(0, at).replace(/\.\*$/, ""));
  const name = struct?.[1] === effect ? path.slice(at) : path;
  const versions = [since > 0 ? `from 1.${since}` : "", until < 100 ? `up to 1.${until}` : ""]
    .filter(Boolean)
    .join(" ");
  const save = neutral.length > 0 ? `save ${neutral.map((json) => `\`${json}\``).join(", ")}` : "";
  const said = [versions, save, note].filter(Boolean).join("; ");
  return said === "" ? `\`${name}\`` : `\`${name}\` (${said})`;
}
