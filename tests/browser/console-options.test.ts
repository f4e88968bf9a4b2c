// Compares every option of the docker command with its effect here: console-options.txt has a line for each.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { optionsOf, type Option } from "../../hosts/browser/notation/docker/arguments.js";
import { parseWords } from "../../hosts/browser/notation/commands.js";
import { COMMANDS } from "../../hosts/browser/notation/docker/commands.js";
import type { Parsed } from "../../hosts/browser/notation/notation.js";
import { DOCKER_MISSING } from "../clients/docker.js";
import { run } from "../support/commands.js";
import { describeUnless } from "../support/on-engines.js";
import { CREATIONS, NEWER, SENT } from "./console-lines.js";
import { OPERANDS, REASONS, SAMPLES } from "./console-options.js";

const LIST = fileURLToPath(new URL("console-options.txt", import.meta.url));
const VERSION = "1.51";

/** Where the requests of one command line differ from those of another: `body.HostConfig.Memory`. */
function differences(requests: readonly object[], others: readonly object[]): string[] {
  if (requests.length !== others.length) return ["other requests"];
  const [here, there] = [flat(requests.map(told)), flat(others.map(told))];
  const changed = [...here.keys(), ...there.keys()].filter((place) => here.get(place) !== there.get(place));
  const places = [...new Set(changed.map((place) => place.replace(/^\d+\./, "")))];
  return places.filter((place) => !places.some((other) => other.startsWith(`${place}.`)));
}

function told(request: object): object {
  const { method, target, body, pull } = request as { method: string; target: string; body: string; pull?: object };
  const url = new URL(target, "http://x");
  const query = Object.fromEntries([...url.searchParams].map(([name, value]) => [name, [value]]));
  const fields = { body: body === "" ? {} : (JSON.parse(body) as object), query };
  return { method, path: url.pathname, ...fields, pulled: pull === undefined ? "no" : "yes" };
}

/** Leaf values by their paths; list elements have the path of the list. */
function flat(value: unknown, place = "", found = new Map<string, string>()): Map<string, string> {
  const isLeaf = typeof value !== "object" || value === null || (Array.isArray(value) && place !== "");
  const inside = isLeaf ? [] : Object.entries(value as object);
  if (inside.length === 0) return found.set(place, JSON.stringify(value));
  for (const [name, inner] of inside) flat(inner, place === "" ? name : `${place}.${name}`, found);
  return found;
}

/** The effect of an option: where it is sent, or why it is refused; null if it changes nothing. */
function fateOf(command: string, { long, isFlag }: Option): string | null {
  const operands = OPERANDS[`${command} --${long}`] ?? OPERANDS[command] ?? "";
  const behind = operands === "" ? [] : operands.split(" ");
  const planned = (options: readonly string[]): Parsed =>
    parseWords(["docker", ...command.split(" "), ...options, ...behind], VERSION);
  const plain = planned([]);
  let refusal: string | null = null;
  for (const value of isFlag ? ["true", "false"] : SAMPLES) {
    const parsed = planned([`--${long}=${value}`]);
    if (!parsed.ok) {
      refusal ??= parsed.message;
      if (isFlag) break;
      continue;
    }
    if (!plain.ok) return "nothing is sent without it";
    refusal = null;
    const places = differences(parsed.requests, plain.requests);
    if (places.length > 0) return places.join(", ");
    if (parsed.text !== undefined) return "what is shown";
    if (!isFlag) break;
  }
  return refusal === null ? null : `refused: ${refusal}`;
}

const ALL = Object.entries(COMMANDS).flatMap(([command, { takes }]) =>
  optionsOf(takes).map((option) => ({ command, option, fate: fateOf(command, option) })),
);

function reasonFor(command: string, long: string): string | undefined {
  return REASONS[`${command} --${long}`] ?? REASONS[`--${long}`];
}

describe("each option of the console", () => {
  test("changes a request, or has a reason not to", () => {
    const silent = ALL.filter(({ fate }) => fate === null);
    const without = silent.filter(({ command, option }) => reasonFor(command, option.long) === undefined);
    expect(without.map(({ command, option }) => `${command} --${option.long}`)).toEqual([]);
    const used = new Set(
      silent.map(({ command, option: { long } }) =>
        REASONS[`${command} --${long}`] === undefined ? `--${long}` : `${command} --${long}`,
      ),
    );
    expect(Object.keys(REASONS).filter((one) => !used.has(one))).toEqual([]);
  });

  test("is in console-options.txt with its effect; UPDATE=1 writes the file", () => {
    const lines = ALL.map(({ command, option: { long, short }, fate }) => {
      const names = `--${long}${short === undefined ? "" : `, -${short}`}`;
      return `${command} ${names}: ${fate ?? `not sent: ${reasonFor(command, long)}`}`;
    });
    const text = `${lines.join("\n")}\n`;
    if (process.env["UPDATE"] === "1" && process.env["CI"] !== "true") writeFileSync(LIST, text);
    expect(readFileSync(LIST, "utf8")).toBe(text);
  });

  test("that goes into a container's body is compared with what the docker command sends", () => {
    const lines = [...CREATIONS, ...NEWER, ...SENT].join(" ");
    const sent = ALL.filter(({ command, fate }) => command === "container create" && /^(body|query)/.test(fate ?? ""));
    expect(sent.length).toBeGreaterThan(80);
    const isThere = ({ long, short }: Option): boolean =>
      new RegExp(`(^|\\s)--${long}[\\s=]`).test(`${lines} `) ||
      (short !== undefined && new RegExp(`(^|\\s)-\\w*${short}\\b`).test(lines));
    expect(sent.filter(({ option }) => !isThere(option)).map(({ option }) => option.long)).toEqual([]);
  });
});

describeUnless(DOCKER_MISSING, "the docker command", () => {
  test.each(Object.keys(COMMANDS))("docker %s has no option that is not in the list", async (name) => {
    const listed = readFileSync(LIST, "utf8");
    const { stdout } = await run(["docker", ...name.split(" "), "--help"]);
    const told = Array.from(stdout.matchAll(/^ {2,6}(?:-(\w), )?--([\w-]+)/gm), ([, short, long]) =>
      short === undefined ? `--${long}` : `--${long}, -${short}`,
    );
    expect(stdout).toContain("Usage:");
    expect(
      told.filter(
        (one) => one !== "--help" && !listed.includes(`\n${name} ${one}: `) && !listed.startsWith(`${name} ${one}: `),
      ),
    ).toEqual([]);
  });
});
