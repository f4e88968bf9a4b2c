// The documentation: the README is short, each top folder describes its content, and links have targets.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./support/engines.js";

const MOST_LINES = 150;
const FOLDERS = ["core", "hosts", "runtime-linux", "tests", "benches"];

const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");

test(`the README has at most ${MOST_LINES} lines`, () => {
  expect(textOf("README.md").split("\n").length).toBeLessThanOrEqual(MOST_LINES);
});

test("each top folder has a README: where to begin, and what it may import", () => {
  expect(FOLDERS.filter((folder) => !existsSync(join(ROOT, folder, "README.md")))).toEqual([]);
  const texts = FOLDERS.map((folder) => [folder, textOf(`${folder}/README.md`)] as const);
  expect(texts.filter(([, text]) => !/\b(begin|start) with\b/i.test(text)).map(([folder]) => folder)).toEqual([]);
  expect(texts.filter(([, text]) => !/may import/i.test(text)).map(([folder]) => folder)).toEqual([]);
});

test("each link to a page of this project has a target", () => {
  expect(pages.length).toBeGreaterThan(FOLDERS.length);
  expect(pages.flatMap((page) => linksIn(page).filter((link) => !leadsOn(page, link)))).toEqual([]);
});

test("each file and folder that a page names exists", () => {
  // The contract contains paths of images and archives.
  const ours = pages.filter((page) => !page.startsWith("core/contract/"));
  const named = ours.flatMap((page) => namesIn(page).map((name) => ({ page, name })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ page, name }) => !isThere(page, name))).toEqual([]);
});

test("each clause of the contract that a comment cites exists", () => {
  const texts = sourcesWith("surface");
  const cited = new Set(texts.flatMap(citedIn));
  const headings = pages.filter((page) => page.startsWith("core/contract/")).flatMap((page) => clausesIn(page));
  expect(cited.size).toBeGreaterThan(30);
  expect([...cited].filter((clause) => !headings.includes(clause))).toEqual([]);
});

test("clauses of the contract are cited in one form", () => {
  expect(sourcesWith("surface").flatMap((text) => text.match(OTHER_FORM)?.[0] ?? [])).toEqual([]);
});

/** `surface §2.14`, `surface §2.8, §6.3`. */
const CITATION = /surface (§\d+(?:\.\d+)?(?:(?:,| and) §\d+(?:\.\d+)?)*)/g;
/** A citation in another form, which the test would not see. */
const OTHER_FORM = /surface(?:\.md)? (?:\d+\.\d+|§§)|surface\.md §/;

function citedIn(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap(([, list = ""]) => list.match(/\d+(?:\.\d+)?/g) ?? []);
}

function clausesIn(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, clause = ""]) => clause);
}

/** Texts of the files that contain the word. */
function sourcesWith(word: string): string[] {
  const files = execFileSync("git", ["grep", "-lI", word, "--", "*.ts", "*.tsx", "*.wit", ":!tests/pages.test.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return files.trim().split("\n").map(textOf);
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

function linksIn(page: string): string[] {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => !/^\w+:/.test(link));
}

function leadsOn(page: string, link: string): boolean {
  const [path = ""] = link.split("#");
  return path === "" || existsSync(join(ROOT, dirname(page), path));
}

/** Repository paths in code marks: those with a folder, and source files. */
function namesIn(page: string): string[] {
  const marked = [...textOf(page).matchAll(/`([\w.-]+(?:\/[\w.-]*)*)`/g)].map(([, name = ""]) => name);
  return marked.filter((name) => /\/$|\.(?:ts|mjs|wit)$/.test(name) || FOLDERS.includes(name.split("/")[0]!));
}

/** A page names them from the root of the repository, from its own folder, or from a folder that it has just named. */
function isThere(page: string, name: string): boolean {
  return [".", dirname(page), "core/assembly"].some((folder) => existsSync(join(ROOT, folder, name)));
}
