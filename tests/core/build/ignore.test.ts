// `.dockerignore`: which files a build does not see. The core and the hosts match in the same way.

import { beforeAll, describe, expect, test } from "vitest";
import { IgnorePatterns } from "../../../hosts/shared/index.js";
import { type Door, openDoor, randomFrom } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("build-door");
}, 60_000);

const patterns = (text: string) => door.call("ignoreFile", text) as string[] | string;
const byCore = (text: string, paths: string[]) => door.call("ignored", text, paths);
const byHost = (text: string, paths: string[]) => {
  const host = new IgnorePatterns(patterns(text) as string[]);
  return paths.filter((path) => host.ignores(path));
};

describe("the file", () => {
  test("has a pattern in each line; comments and empty lines are nothing", () => {
    const text = "\ufeffa\n#b\n # c\n\n  d  \r\n/e/\n./f/../g//h/.\n!/i\n! j \n/\n.\n../k\n/../l\n/m/../..\n";
    expect(patterns(text)).toEqual([...["a", "# c", "d", "e", "g/h", "!i", "!j"], ...["/", ".", "../k", "l", "/"]]);
  });

  test.each([
    ["!", 'failed to read .dockerignore: illegal exclusion pattern: "!"'],
    ["/!", 'failed to read .dockerignore: illegal exclusion pattern: "!"'],
    ["a\n! ", 'failed to read .dockerignore: illegal exclusion pattern: "!"'],
    ["[a", "failed to read .dockerignore: syntax error in pattern: [a"],
    ["a[]b", "failed to read .dockerignore: syntax error in pattern: a[]b"],
    ["!a\\", "failed to read .dockerignore: syntax error in pattern: !a\\"],
    ["x".repeat(262_145), ".dockerignore is larger than 262144 bytes"],
  ])("%j: %s", (text, problem) => {
    expect(patterns(text)).toBe(problem);
  });
});

describe("ignored are", () => {
  test.each<[string[], string[], string[]]>([
    [["a"], ["a", "a/b", "a/b/c"], ["ab", "b/a", "A"]],
    [["a/b"], ["a/b", "a/b/c"], ["a", "b"]],
    [["*"], ["a", "a/b", ".git"], []],
    [["*.md"], ["a.md", ".md", "x.md/y"], ["b/a.md", "a.mdx"]],
    [["*/*.md"], ["b/a.md"], ["a.md", "c/b/a.md"]],
    [["a?"], ["ab"], ["a", "abc", "a/"]],
    [["**"], ["a", "a/b", "a/b/c"], []],
    [["**/*.md"], ["a.md", "b/a.md", "c/b/a.md"], ["a.mdx"]],
    [["**/a"], ["a", "b/a", "c/b/a", "b/a/c"], ["ba", "b/ca", "a.b"]],
    [["**a"], ["a", "b/a", "ba", "ba/c"], ["ab"]],
    [["**.go"], [".go", "a.go", "b/a.go"], ["go"]],
    [["a/**"], ["a/b", "a/b/c"], ["a", "ab"]],
    [["a**"], ["a", "ab", "a/b", "ab/c"], ["b"]],
    [["a/**/b"], ["a/b", "a/c/b", "a/c/d/b", "a/c/b/d"], ["a", "a/cb", "ab"]],
    [["a**/b"], ["ab", "a/b", "ac/b", "a/c/b"], ["acb"]],
    [["**/a/**"], ["a/b", "c/a/b"], ["a", "c/a"]],
    [["**/**/a"], ["a", "b/a", "b/c/a"], ["ba"]],
    [["*?**/b"], ["a/b", "abc/b", "ab", "acb"], ["b", "ac", "a/cb"]],
    [["a*b*c"], ["abc", "axbxc", "abbc"], ["ab/c", "acb"]],
    [["[a-c]x"], ["ax", "cx"], ["dx", "x"]],
    [["[^a-c]x"], ["dx"], ["ax", "x"]],
    [["a[^b]c"], ["axc", "a/c"], ["abc"]],
    [["[\\]\\-x]"], ["]", "-", "x"], ["\\", "a"]],
    [["[a\\-c]"], ["a", "-", "c"], ["b"]],
    [["a\\*"], ["a*"], ["ab"]],
    [["a.b+(c){2}^$|"], ["a.b+(c){2}^$|"], ["aXb+(c){2}^$|"]],
    [["ä?"], ["äö"], ["ä", "ao"]],
    [["*", "!a"], ["b"], ["a", "a/b"]],
    [
      ["a", "!a/b", "a/b/c"],
      ["a", "a/x", "a/b/c"],
      ["a/b", "a/b/x"],
    ],
    [["*", "/!a"], ["b"], ["a"]],
    [["!!a", "*"], ["a", "!a"], []],
    [["!a", "a"], ["a"], ["b"]],
    [
      ["*.md", "!README*.md", "README-secret.md"],
      ["a.md", "README-secret.md"],
      ["README.md", "README-a.md"],
    ],
    [
      ["a", "!**/*.md"],
      ["a", "a/b", "a/b/c"],
      ["a/x.md", "a/b/x.md"],
    ],
    [["/", ".", ".."], [], ["a", "b/c"]],
    [[], [], ["a"]],
  ])("by %j", (lines, ignored, seen) => {
    const text = lines.join("\n");
    expect(byCore(text, [...ignored, ...seen])).toEqual(ignored);
    expect(byHost(text, [...ignored, ...seen])).toEqual(ignored);
  });

  test("the same by the core and by a host, whatever the patterns", () => {
    const random = randomFrom(3);
    const drawn = (pieces: string[], most: number) => {
      let text = "";
      for (let length = random(most) + 1; length > 0; length--) text += pieces[random(pieces.length)] ?? "";
      return text;
    };
    let found = 0;
    for (let i = 0; i < 1500; i++) {
      const line = () => drawn(["a", "b", "/", "*", "**", "**/", "?", "[ab]", "[^a]", "!", "\\a", "."], 7);
      const text = `${line()}\n${line()}\n`;
      if (typeof patterns(text) === "string") continue;
      const paths = Array.from({ length: 6 }, () => drawn(["a", "b", "c", "a/", "b/", "."], 6).replace(/\/$/, ""));
      const ignored = byCore(text, paths) as string[];
      expect([text, byHost(text, paths)]).toEqual([text, ignored]);
      found += ignored.length;
    }
    expect(found).toBeGreaterThan(1000);
  });

  test("found in time that grows with the product of both lengths at most", () => {
    const hostile = `${"*a".repeat(500)}b`;
    const work = (length: number) => {
      const before = door.steps;
      expect(byCore(hostile, ["a".repeat(length)])).toEqual([]);
      return door.steps - before;
    };
    expect(work(1000)).toBeLessThan(4 * work(500));
    expect(byHost(hostile, ["a".repeat(1000)])).toEqual([]);
  });
});
