// Reads the marks of each command from the WIT, and writes them as a module for hosts. A command's documentation
// begins with its marks (core/wit/world.wit): `*state*`, `*once, container, lasts*`.

import { Layouts } from "./layout.js";
import { camel } from "./names.js";
import type { Case, Type, World } from "./world.js";

const KINDS = ["state", "once", "ask"] as const;
const MARKS = /^\*([a-z, -]+)\*( |$)/;
/** The mark of a command that has no particular subject. */
const APART = "apart";
const LASTS = "lasts";
/** Suffixes of the types that name a subject. */
const NAMING = ["-id", "-name"];

/** The marks of a command. */
export interface Marks {
  kind: (typeof KINDS)[number];
  /** The object that it is about: its noun, and the path to its name in the command's value. */
  subject: { noun: string; path: string[] } | null;
  /** Whether it may take long, and can be abandoned. */
  lasts: boolean;
}

/**
 * The marks of all commands, by interface. The commands are the cases of the imported functions' parameter
 * `parameter`. Throws for a command without marks.
 */
export function readCommands(world: World, parameter: string): Map<string, Map<string, Marks>> {
  return new Map(world.imports.map((name) => [name, commandsOf(world, name, parameter)]));
}

/** The source of a module with all commands, in the order of the WIT. */
export function writeCommands(world: World, parameter: string): string {
  const interfaces = [...readCommands(world, parameter)].map(([name, commands]) => {
    const lines = [...commands].map(
      ([command, marks]) => `    ${JSON.stringify(command)}: ${JSON.stringify(marks)},\n`,
    );
    return `  ${camel(name)}: {\n${lines.join("")}  },\n`;
  });
  return `// Generated from the WIT world by core/bindgen.

/** The marks of each command in core/wit, by interface. */
export const COMMANDS = {
${interfaces.join("")}} as const;
`;
}

function commandsOf(world: World, name: string, parameter: string): Map<string, Marks> {
  const layouts = new Layouts(world);
  const cases = casesOf(layouts, name, parameter);
  const said = new Map(cases.map((one) => [one, saidOf(`${name}.${one.name}`, one.doc)] as const));
  const inTurn = [...said.values()].some(({ noun }) => noun !== null && noun !== APART);
  return new Map(
    cases.map((one) => {
      const { kind, noun, lasts } = said.get(one)!;
      const command = `${name}.${one.name}`;
      // A command with a forgotten subject would overtake the commands that it must wait for.
      if (inTurn && kind !== "ask" && noun === null) throw new Error(`${command} does not say what it is about`);
      const isAbout = noun !== null && noun !== APART;
      const subject = isAbout ? { noun, path: pathTo(layouts, command, noun, one.type) } : null;
      return [one.name, { kind, subject, lasts }];
    }),
  );
}

function casesOf(layouts: Layouts, name: string, parameter: string): Case[] {
  const params = layouts.world.interfaces.get(name)?.functions.flatMap((func) => func.params) ?? [];
  return params
    .filter((one) => one.name === parameter)
    .flatMap(({ type }) => {
      const definition = type.kind === "named" ? layouts.definition(type.name) : null;
      if (definition?.kind !== "variant") throw new Error(`${parameter} of ${name} is not a variant`);
      return definition.cases;
    });
}

/** The marks at the start of a command's documentation. `noun` may be `apart`, or null if there is none. */
function saidOf(command: string, doc: string[]): { kind: Marks["kind"]; noun: string | null; lasts: boolean } {
  const [kind, ...words] = MARKS.exec(doc[0] ?? "")?.[1]?.split(", ") ?? [];
  const found = KINDS.find((one) => one === kind);
  if (found === undefined) throw new Error(`${command} is not marked as one of ${KINDS.join(", ")}`);
  const [noun = null, ...more] = words.filter((word) => word !== LASTS);
  if (more.length > 0) throw new Error(`${command} is about ${noun}, and about ${more.join(", ")}`);
  if (found === "ask" && noun !== null) {
    throw new Error(`${command} only asks, so it has no order with others about ${noun}`);
  }
  return { kind: found, noun, lasts: words.includes(LASTS) };
}

/** The shortest path to the only field that names the subject. */
function pathTo(layouts: Layouts, command: string, noun: string, type: Type | undefined): string[] {
  let level: { path: string[]; type: Type }[] = type === undefined ? [] : [{ path: [], type }];
  while (level.length > 0) {
    const found = level.filter((one) => names(one.type, noun));
    if (found.length === 1) return found[0]!.path;
    if (found.length > 1) throw new Error(`${command} names more than one ${noun}`);
    level = level.flatMap((one) =>
      fieldsOf(layouts, one.type).map((field) => ({ path: [...one.path, camel(field.name)], type: field.type })),
    );
  }
  throw new Error(`${command} names no ${noun}`);
}

function names(type: Type, noun: string): boolean {
  return type.kind === "named" && NAMING.some((ending) => type.name === noun + ending);
}

function fieldsOf(layouts: Layouts, type: Type): { name: string; type: Type }[] {
  const definition = type.kind === "named" ? layouts.definition(type.name) : null;
  return definition?.kind === "record" ? definition.fields : [];
}
