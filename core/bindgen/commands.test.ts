// Tests how the marks of commands are read from the WIT, and which are refused.

import { expect, test } from "vitest";
import { readCommands, writeCommands } from "./commands.js";
import { readWit } from "./wit.js";
import type { World } from "./world.js";

const TYPES = `
  interface types {
    type thing-id = string;
    type volume-name = string;
    record view { thing: thing-id, path: string }
    record into { view: view, from: volume-name }
    record two { one: thing-id, other: thing-id }
    record maybe { thing: option<thing-id> }
  }`;

function world(cases: string): World {
  return readWit(`package a:b;
    world w { import i; }
    ${TYPES}
    interface i {
      variant i-command { ${cases} }
      perform: func(op: u64, command: i-command);
    }`);
}

function marks(cases: string): Record<string, unknown> {
  return Object.fromEntries(readCommands(world(cases), "command").get("i")!);
}

test("a command's documentation begins with its marks", () => {
  expect(
    marks(`
      /// *state, thing* Makes it.
      make(thing-id),
      /// *once, thing, lasts* Fills it, which may
      /// take long.
      fill(into),
      /// *once, volume*
      empty(into),
      /// *state, apart* Gives it up.
      give-up(u64),
      /// *ask* How large it is.
      measure(thing-id),
      /// *ask, lasts* How large all are.
      measure-all,
    `),
  ).toEqual({
    make: { kind: "state", subject: { noun: "thing", path: [] }, lasts: false },
    fill: { kind: "once", subject: { noun: "thing", path: ["view", "thing"] }, lasts: true },
    empty: { kind: "once", subject: { noun: "volume", path: ["from"] }, lasts: false },
    "give-up": { kind: "state", subject: null, lasts: false },
    measure: { kind: "ask", subject: null, lasts: false },
    "measure-all": { kind: "ask", subject: null, lasts: true },
  });
});

test("no command needs a subject if none of the interface has one", () => {
  expect(marks("/// *state* Sets it.\nset(u64)")).toEqual({ set: { kind: "state", subject: null, lasts: false } });
});

test.each([
  ["make(thing-id)", "i.make is not marked as one of state, once, ask"],
  ["/// Makes it: *state*.\nmake(thing-id)", "i.make is not marked as one of state, once, ask"],
  ["/// *State* Makes it.\nmake(thing-id)", "i.make is not marked as one of state, once, ask"],
  ["/// *thing, state* Makes it.\nmake(thing-id)", "i.make is not marked as one of state, once, ask"],
  ["/// *state, thing* A.\na(thing-id),\n/// *state* B.\nb(thing-id)", "i.b does not say what it is about"],
  ["/// *state, thing, volume* A.\na(into)", "i.a is about thing, and about volume"],
  ["/// *ask, thing* A.\na(thing-id)", "i.a only asks, so it has no order with others about thing"],
  ["/// *state, other* A.\na(into)", "i.a names no other"],
  ["/// *state, thing* A.\na", "i.a names no thing"],
  ["/// *state, thing* A.\na(maybe)", "i.a names no thing"],
  ["/// *state, thing* A.\na(two)", "i.a names more than one thing"],
])("%s", (cases, message) => {
  expect(() => readCommands(world(cases), "command")).toThrow(message);
});

test("commands are the cases of a variant", () => {
  const text = "package a:b;\nworld w { import i; }\ninterface i { f: func(command: u8); }";
  expect(() => readCommands(readWit(text), "command")).toThrow("command of i is not a variant");
});

test("the module has them by interface, in the order of the WIT", () => {
  expect(writeCommands(world("/// *ask*\nmeasure-all,\n/// *once, thing* A.\na(thing-id)"), "command")).toBe(
    `// Generated from the WIT world by core/bindgen.

/** The marks of each command in core/wit, by interface. */
export const COMMANDS = {
  i: {
    "measure-all": {"kind":"ask","subject":null,"lasts":false},
    "a": {"kind":"once","subject":{"noun":"thing","path":[]},"lasts":false},
  },
} as const;
`,
  );
});
