// The console's API reference: complete, and small.

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { allReferences } from "../../hosts/browser/reference/node-references.js";
import { resolved } from "../../hosts/browser/reference/reference.js";

const references = await allReferences();

test.each([...references])("%s is whole, and under 60 KB compressed", (version, reference) => {
  expect(reference.version).toBe(version);
  const paths = reference.endpoints.map(({ method, path }) => `${method} ${path}`);
  for (const path of ["GET /containers/json", "POST /containers/create", "POST /images/create", "POST /auth"]) {
    expect(paths).toContain(path);
  }
  expect(gzipSync(JSON.stringify(reference)).length).toBeLessThan(60_000);
  const tags = new Set(reference.tags.map(({ name }) => name));
  expect(reference.endpoints.filter(({ tag }) => !tags.has(tag)).map(({ path }) => path)).toEqual([]);
});

test.each([...references])("%s has every shape that it names", (_version, reference) => {
  const text = JSON.stringify(reference);
  const named = [...text.matchAll(/\{"ref":"([^"]+)"\}/g)].map((match) => match[1]!);
  expect(named.filter((name) => reference.shapes[name] === undefined)).toEqual([]);
});

test("a create body has the fields that the engine reads", () => {
  const reference = references.get("1.41")!;
  const create = reference.endpoints.find(({ path }) => path === "/containers/create")!;
  const body = resolved(reference, create.body!);
  expect(Object.keys(body.fields ?? {})).toEqual(expect.arrayContaining(["Image", "Cmd", "Env", "HostConfig"]));
  const hostConfig = resolved(reference, body.fields!["HostConfig"]!);
  expect(hostConfig.fields).toHaveProperty("PortBindings");
  expect(create.example).toHaveProperty("Image");
  expect(create.parameters.map(({ name }) => name)).toContain("name");
  expect(create.answers).toHaveProperty("409");
});

test("a reference keeps descriptions short and free of markup", () => {
  const text = JSON.stringify(references.get("1.51"));
  expect(text).not.toMatch(/<br|<p>|\]\(http/);
});
