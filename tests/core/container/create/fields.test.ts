// core/fields.md matches the core's tables, so that a change of a field's state is visible in review. Every field that
// works has a test of its effect.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openDoor } from "../../support/door.js";
import { FIELD_EFFECTS } from "./field-effects.js";

const PAGE = new URL("../../../../core/fields.md", import.meta.url);
const BEGIN = "<!-- fields: UPDATE=1 npm test -- tests/core/container/create/fields.test.ts -->";
const END = "<!-- /fields -->";

/** `Effect` of core/assembly/json/table.ts. */
const STATES = ["works", "kept", "refused", "refused"];

type Row = [path: string, effect: number, neutral: string[], note: string, since: number, until: number];

test("core/fields.md lists every field of a create body and its effect", async () => {
  const door = await openDoor("container-door");
  const printed = print(door.call("fields") as Record<string, Row[]>);
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  const [between = "", after = ""] = rest.split(END);
  if (process.env.UPDATE === "1" && process.env.CI !== "true")
    writeFileSync(PAGE, [before, BEGIN, printed, END, after].join(""));
  else expect(between).toBe(printed);
}, 60_000);

test("a test checks the effect of every supported field", async () => {
  const door = await openDoor("container-door");
  const objects = Object.entries(door.call("fields") as Record<string, Row[]>);
  const working = objects.flatMap(([object, rows]) =>
    rows.filter(([, effect]) => STATES[effect] === "works").map(([path]) => `${object}.${path}`),
  );
  expect(Object.keys(FIELD_EFFECTS).sort()).toEqual(working.sort());
  const strangers = Object.entries(FIELD_EFFECTS).filter(([path, [file, title]]) => {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
    const name = path.slice(path.lastIndexOf(".") + 1);
    return !hasTest(source, title) || !new RegExp(`\\b${name}\\b`).test(source);
  });
  expect(strangers).toEqual([]);
}, 60_000);

/** Whether a file has a test whose title is or begins with this. */
function hasTest(source: string, title: string): boolean {
  return ['"', "`"].some((quote) => source.includes(`(${quote}${title}`) || source.includes(`\n    ${quote}${title}`));
}

/**
 * A row for each field, together with the fields of its struct in the same state; each of the others has its own row.
 */
function print(objects: Record<string, Row[]>): string {
  const lines = Object.entries(objects).flatMap(([object, rows]) => {
    const heads = rows.filter((row) => headOf(row, rows) === row);
    return heads.map((head) => {
      const inner = rows.filter((row) => row !== head && headOf(row, rows) === head);
      const cells = [cell(head, head[0]), ...inner.map((row) => cell(row, row[0].slice(head[0].length)))];
      return `| \`${object}\` | ${cells.join(", ")} | ${STATES[head[1]]} |`;
    });
  });
  return ["\n", "| object | field | state |", "|---|---|---|", ...lines, "\n"].join("\n").replaceAll("\n\n\n", "\n\n");
}

/** The outermost struct around a field with only structs of its state in between; the field itself if there is none. */
function headOf(row: Row, rows: Row[]): Row {
  const struct = row[0].replace(/(\.\*)?\.[^.]+$/, "");
  const outer = rows.find(([path]) => path === struct && path !== row[0]);
  return outer && outer[1] === row[1] ? headOf(outer, rows) : row;
}

function cell([, , neutral, note, since, until]: Row, name: string): string {
  const versions = [since > 0 ? `from 1.${since}` : "", until < 100 ? `up to 1.${until}` : ""]
    .filter(Boolean)
    .join(" ");
  const except = neutral.length > 0 ? `except ${neutral.map((json) => `\`${json}\``).join(", ")}` : "";
  const said = [versions, except, note].filter(Boolean).join("; ");
  return said === "" ? `\`${name}\`` : `\`${name}\` (${said})`;
}
