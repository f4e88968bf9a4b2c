// Answers about Dockerfiles that would be far longer than the files themselves.

import { describe, expect, test } from "vitest";
import { ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { direct, drop, openSession, solve } from "./solving.js";

interface Found {
  ranges: object[];
}

interface Document {
  args: { name: string; description?: string; location: Found }[];
  warnings: { location: Found }[];
}

function ask(dockerfile: string, about: string): { text: string; document: Document } {
  const world = new ImageWorld();
  openSession(world);
  solve(world, { Frontend: "" });
  const FrontendOpt = { requestid: `frontend.${about}`, "force-network-mode": "none" };
  const asked = direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt });
  sendDefinition(world, dockerfile);
  drop(world);
  const { result } = JSON.parse(world.answer(asked).text) as { result: { metadata: Record<string, string> } };
  const told = (name: string): string => Buffer.from(result.metadata[name]!, "base64").toString();
  return { text: told("result.txt"), document: JSON.parse(told("result.json")) as Document };
}

function names(count: number, start: string): string[] {
  return Array.from({ length: count }, (_, number) => `${start}${number}`);
}

describe("an outline", () => {
  test("of thousands of arguments on as many lines has the first ones, and their first lines", () => {
    const { args } = ask(`FROM scratch\nARG ${names(5000, "a").join(" \\\n")}\n`, "outline").document;
    expect([args.length, args[0]!.name, args[0]!.location.ranges.length]).toEqual([1000, "a0", 50]);
  });

  test("has what the last hundred lines of a comment say", () => {
    const about = (lines: number): string =>
      `FROM scratch\n# far the first\n${"#\n".repeat(lines)}# near the other\nARG far\nARG near\n`;
    const dockerfile = (lines: number): string => about(lines).replace("ARG far\nARG near", "ARG far near");
    const described = (lines: number): (string | undefined)[] =>
      ask(dockerfile(lines), "outline").document.args.map(({ description }) => description);
    expect([described(98), described(99)]).toEqual([
      ["the first", "the other"],
      [undefined, "the other"],
    ]);
    const { text } = ask(`FROM scratch\n${"#\n".repeat(50_000)}ARG ${names(9000, "a").join(" ")}\n`, "outline");
    expect([text.includes("\na999 "), text.includes("\na1000 ")]).toEqual([true, false]);
  });

  test("is not made wide by one long name", () => {
    const { text } = ask(`FROM scratch\nARG ${"a".repeat(50_000)} ${names(900, "b").join(" ")}\n`, "outline");
    expect(text.length).toBeLessThan(300_000);
  });
});

describe("the lint", () => {
  test("tells the first lines of a long instruction", () => {
    const { warnings } = ask(`FROM scratch\nARG ${names(3000, "key_").join(" \\\n")}\n`, "lint").document;
    expect([warnings.length, warnings[0]!.location.ranges.length]).toEqual([200, 50]);
  });

  test("looks up thousands of arguments of FROM among as many that are declared", () => {
    const declared = names(30_000, "x").join(" \\\n");
    const { warnings } = ask(`ARG ${declared}\nFROM a${names(9000, "$y").join("")}\n`, "lint").document;
    expect(warnings).toHaveLength(200);
  });
});
