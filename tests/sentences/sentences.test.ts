// The core writes every sentence that a client reads. This test finds the core's sentences, and Docker's, in hosts.

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

test("the core's sentences are collected", () => {
  expect(phrases.length).toBeGreaterThan(800);
  // From a literal, from a part of a template, and from the list of Docker's.
  for (const phrase of ["signal: killed", "is not running", "No such "]) expect(phrases).toContain(phrase);
});

test("no host contains a sentence of the core or of Docker", () => {
  const said = found.filter((one) => !EXCEPTIONS.some((exception) => isOf(one, exception)));
  expect(said.map(({ file, phrase }) => `${file}: ${phrase}`)).toEqual([]);
});

test("each exception is needed", () => {
  const idle = EXCEPTIONS.filter((exception) => !found.some((one) => isOf(one, exception)));
  expect(idle.map(({ where, why }) => `${where.join(" ")}: ${why}`)).toEqual([]);
});

test("sentences are found in all text except comments", () => {
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

/** The lines of literals with at least two words, without punctuation at their ends; and Docker's parts. */
function phrasesOf(folder: string): string[] {
  const literals = filesOf(folder).flatMap((file) => literalsOf(readFileSync(join(ROOT, file), "utf8")));
  const lines = literals.flatMap((text) => text.split("\n")).filter(isSentence);
  return [...new Set([...lines.map((line) => line.trim().replace(/[:.,;]+$/, "")), ...OPENINGS])];
}

function isSentence(text: string): boolean {
  return text.split(/\s+/).filter((word) => WORD.test(word)).length >= 2;
}

/** The phrases that a text contains as whole words. */
function saidIn(text: string, wanted: readonly string[]): string[] {
  return wanted.filter((phrase) => {
    for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
      if (!isWord(text[at - 1], phrase[0]) && !isWord(text[at + phrase.length], phrase.at(-1))) return true;
    return false;
  });
}

/** Whether both are letters: then the phrase is only part of a word. */
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
