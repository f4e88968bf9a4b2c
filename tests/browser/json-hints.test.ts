// Completions of the body editor at the caret, from the schema of the chosen version.

import { CompletionContext } from "@codemirror/autocomplete";
import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { completeJson } from "../../hosts/browser/page/notebook/json-hints.js";
import { referenceOf } from "../../hosts/browser/reference/node-references.js";

const references = { "1.41": await referenceOf("1.41"), "1.43": await referenceOf("1.43") };

/** Labels offered for a create body at the position of `|`. */
function offered(text: string, version: keyof typeof references = "1.41"): string[] {
  const reference = references[version];
  const { body = null } = reference.endpoints.find(({ method, path }) => `${method} ${path}` === CREATE)!;
  const pos = text.indexOf("|");
  const state = EditorState.create({ doc: text.replace("|", ""), extensions: [json()] });
  const found = completeJson(new CompletionContext(state, pos, true), { reference, body });
  return found?.options.map(({ label }) => label) ?? [];
}

const CREATE = "POST /containers/create";

test("names of fields, at the top level and below", () => {
  const outermost = offered('{"|"}');
  expect(outermost).toEqual(expect.arrayContaining(['"Image"', '"Cmd"', '"HostConfig"']));
  expect(outermost).not.toContain('"AutoRemove"');
  const within = offered('{"Image": "busybox", "HostConfig": {"|"}}');
  expect(within).toEqual(expect.arrayContaining(['"AutoRemove"', '"RestartPolicy"']));
  expect(within).not.toContain('"Image"');
});

test("values that the schema lists, and booleans", () => {
  const policies = offered('{"HostConfig": {"RestartPolicy": {"Name": "|"}}}');
  expect(policies).toEqual(expect.arrayContaining(['"always"', '"on-failure"', '"unless-stopped"']));
  expect(offered('{"Tty": |}')).toEqual(["true", "false"]);
  expect(offered('{"Image": "|"}')).toEqual([]);
});

test("fields of the chosen version", () => {
  const annotations = '{"HostConfig": {"|"}}';
  expect(offered(annotations, "1.41")).not.toContain('"Annotations"');
  expect(offered(annotations, "1.43")).toContain('"Annotations"');
});
