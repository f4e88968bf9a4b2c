// Every sentence that a client reads is the core's: none of them stands in a host too, where it would be said in its place.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EXCEPTIONS, type Exception } from "./exceptions.js";
import { literalsOf, withoutComments } from "./literals.js";
import { OPENINGS } from "./openings.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const WORD = /^[("'`]*[A-Za-z][A-Za-z'-]+[)"'`:,;.]*$/;

interface Found {
  file: string;
  phrase: string;
}

const phrases = phrasesOf("core/assembly");
const found = ["hosts", "runtime-linux"].flatMap((folder) =>
  filesOf(folder).flatMap((file) => saidIn(textOf(file), phrases).map((phrase): Found => ({ file, phrase }))),
);

test("the core's sentences are known", () => {
  expect(phrases.length).toBeGreaterThan(800);
  // Of a literal, of a template's parts, and of Docker's own.
  for (const phrase of ["signal: killed", "is not running", "No such "]) expect(phrases).toContain(phrase);
});

test("no host has a sentence of the core or of Docker", () => {
  const said = found.filter((one) => !EXCEPTIONS.some((exception) => isOf(one, exception)));
  expect(said.map(({ file, phrase }) => `${file}: ${phrase}`)).toEqual([]);
});

test("each exception is still needed", () => {
  const idle = EXCEPTIONS.filter((exception) => !found.some((one) => isOf(one, exception)));
  expect(idle.map(({ where, why }) => `${where.join(" ")}: ${why}`)).toEqual([]);
});

test("sentences are found everywhere except in comments", () => {
  const said = (text: string) => saidIn(withoutComments(text), ["is not running", "not run"]);
  expect(said("f(`${a} is not running`);")).toEqual(["is not running"]);
  expect(said("<p>It is not running.</p>")).toEqual(["is not running"]);
  expect(said('// is not running\n/**\n * is not running\n */\nf("is not"); // is not running\n')).toEqual([]);
  expect(
    literalsOf('import { a } from "a b";\nf("c \\"d\\"", `e ${g(`h ${1}`)} i`); // "j"\n/* "k" */ l({ m: "n" });'),
  ).toEqual(['c "d"', "e ", "h ", "", " i", "n"]);
});

function isOf({ file, phrase }: Found, { where, says }: Exception): boolean {
  return where.some((path) => file.startsWith(path)) && (says === "all" || says.includes(phrase));
}

/** What literals say in two words and more, line by line, without the signs around it; and what Docker begins with. */
function phrasesOf(folder: string): string[] {
  const literals = filesOf(folder).flatMap((file) => literalsOf(readFileSync(join(ROOT, file), "utf8")));
  const lines = literals.flatMap((text) => text.split("\n")).filter(isSentence);
  return [...new Set([...lines.map((line) => line.trim().replace(/[:.,;]+$/, "")), ...OPENINGS])];
}

function isSentence(text: string): boolean {
  return text.split(/\s+/).filter((word) => WORD.test(word)).length >= 2;
}

/** Those of the phrases that stand in a text, as whole words. */
function saidIn(text: string, wanted: readonly string[]): string[] {
  return wanted.filter((phrase) => {
    for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
      if (!isWord(text[at - 1], phrase[0]) && !isWord(text[at + phrase.length], phrase.at(-1))) return true;
    return false;
  });
}

/** Both are letters: the phrase is only a part of a word there. */
function isWord(beside: string | undefined, edge: string | undefined): boolean {
  return /\w/.test(beside ?? "") && /\w/.test(edge ?? "");
}

function textOf(file: string): string {
  return withoutComments(readFileSync(join(ROOT, file), "utf8"));
}

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}
