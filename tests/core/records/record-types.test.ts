// The types of records that the build writes for hosts and tests describe the records that the core writes.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type RecordFields, readRecordFields, recordFieldsOf } from "../../../core/record-types.js";
import { Opened } from "./opened.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const VERSION_0 = JSON.parse(readFileSync(new URL("version-0.json", import.meta.url), "utf8")) as [string, string][];

/** Parts of a container's record by the record's field. */
const PARTS = {
  mounts: "MountPointRecord",
  links: "LinkRecord",
  endpoints: "EndpointRecord",
  sandbox: "SandboxRecord",
  health: "HealthRecord",
  lastChange: "LastChangeRecord",
};

/** Checks that a record has the listed fields, in their order, and no others. */
function expectFields(fields: RecordFields, type: string, record: object): void {
  const listed = fields.get(type)!;
  const present = listed.filter(({ name, optional }) => !optional || name in record);
  expect(Object.keys(record), type).toEqual(present.map(({ name }) => name));
}

test("records have exactly the fields of their types", async () => {
  const fields = await readRecordFields(ROOT);
  const chains = VERSION_0.flatMap(([key]) => (key.startsWith("layer/") ? [key.slice(6)] : []));
  const records = new Opened(new Map(VERSION_0), { chains }).records;
  const seen = new Set<string>();
  const check = (type: string, record: object): void => {
    expectFields(fields, type, record);
    seen.add(type);
  };
  for (const [key, value] of records) {
    const type = {
      container: "ContainerRecord",
      network: "NetworkRecord",
      volume: "VolumeRecord",
      image: "ImageRecord",
      layer: "LayerRecord",
    }[key.slice(0, key.indexOf("/"))];
    if (type === undefined) continue;
    const record = JSON.parse(value) as Record<string, object>;
    check(type, record);
    if (type !== "ContainerRecord") continue;
    for (const [field, part] of Object.entries(PARTS)) {
      if (record[field] !== undefined) for (const one of [record[field]].flat()) check(part, one);
    }
  }
  expect([...seen].sort()).toEqual([
    "ContainerRecord",
    "EndpointRecord",
    "HealthRecord",
    "ImageRecord",
    "LastChangeRecord",
    "LayerRecord",
    "LinkRecord",
    "MountPointRecord",
    "NetworkRecord",
    "SandboxRecord",
    "VolumeRecord",
  ]);
});

test("a table that cannot be read fails the build", () => {
  const table = (body: string) => `function oneFields(fields: Fields, one: One): One {\n  ${body}\n}\n`;
  expect(recordFieldsOf([table('one.a = fields.optionalU32("a", one.a);')])).toEqual(
    new Map([["OneRecord", [{ name: "a", type: "number", optional: true }]]]),
  );
  expect(() => recordFieldsOf([table('one.a = fields.float("a", one.a);')])).toThrow("no type for fields.float");
  expect(() => recordFieldsOf([table("one.a = fields.text(NAME, one.a);")])).toThrow("cannot read");
  expect(() => recordFieldsOf([table("otherFields(fields, one);")])).toThrow("no function otherFields");
  expect(() => recordFieldsOf([])).toThrow("no records");
});
