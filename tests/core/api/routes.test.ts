// The route table names the deciding file for each handler: `explain` shows it.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { routes } from "../../support/routes.js";

const SOURCES = new URL("../../../core/assembly/", import.meta.url);

test("every handler is in the file that its route names", () => {
  const table = routes();
  expect(table.length).toBeGreaterThan(100);
  for (const { path, handler, source } of table) {
    expect(readFileSync(new URL(source, SOURCES), "utf8"), path).toContain(`function ${handler}(`);
  }
});
