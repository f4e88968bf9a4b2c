// The table of routes names for each handler the file that decides: `explain` shows it.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SOURCES = new URL("../../core/assembly/", import.meta.url);
const ROW = /new Route\("(\w+)",\s+"([^"]+)",\s+(\d+), (\w+),\s+"([^"]+)"\)/;

test("every handler stands in the file that its route names", () => {
  const table = readFileSync(new URL("api/routes.ts", SOURCES), "utf8");
  const lines = table.split("\n").filter((line) => line.startsWith("  new Route("));
  expect(lines.length).toBeGreaterThan(100);
  for (const line of lines) {
    const [, , , , handler = "", source = ""] = ROW.exec(line) ?? [];
    expect(readFileSync(new URL(source, SOURCES), "utf8"), line).toContain(`function ${handler}(`);
  }
});
