// The rules of a container's life as a table, so that a change is visible in review.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Instance } from "../../../hosts/driver/instance.js";
import { loadCore } from "../../../hosts/node/core-files.js";
import { openDoor } from "../support/door.js";

const GOLDEN = new URL("./lifecycle.golden.txt", import.meta.url);
const SOURCE = new URL("../../../core/assembly/container/lifecycle.ts", import.meta.url);

test("which cause moves a container from which status to which", async () => {
  const door = await openDoor("lifecycle-door");
  const printed = print(door.call("table") as number[][]);
  if (process.env.UPDATE === "1" && process.env.CI !== "true") writeFileSync(GOLDEN, printed);
  expect(printed).toBe(readFileSync(GOLDEN, "utf8"));
});

test("are the rules that the core reports", () => {
  const [header = "", ...lines] = readFileSync(GOLDEN, "utf8").trimEnd().split("\n");
  const causes = header.trim().split(/ +/);
  const golden = lines.flatMap((line) => {
    const [from = "", ...cells] = line.split(/ +/);
    return cells.flatMap((to, at) => (to === "." ? [] : [[from, causes[at] ?? "?", to].map(kebab).join(" ")]));
  });
  const rules = new Instance(loadCore()).rules().map(({ from, cause, to }) => `${from} ${cause} ${to}`);
  expect(rules.toSorted()).toEqual(golden.toSorted());
});

/** `StartFailed` → `start-failed`. */
function kebab(name: string): string {
  return name.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase();
}

function print(rows: number[][]): string {
  const statuses = members("Status");
  const causes = members("Cause");
  const header = ["", ...causes];
  const lines = rows.map((row, status) => [
    statuses[status] ?? "?",
    ...row.map((to) => (to < 0 ? "." : (statuses[to] ?? "?"))),
  ]);
  return (
    [header, ...lines]
      .map((cells) =>
        cells
          .map((cell) => cell.padEnd(13))
          .join("")
          .trimEnd(),
      )
      .join("\n") + "\n"
  );
}

function members(name: string): string[] {
  const source = readFileSync(SOURCE, "utf8");
  const body = new RegExp(`export enum ${name} \\{([^}]*)\\}`).exec(source)?.[1] ?? "";
  return body
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
