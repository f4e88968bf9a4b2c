// Clones from a web server that has nothing but the files of repositories (git help http-fetch, "dumb" servers): such a
// server cannot give a part of the history. Others are in tests/http/builds/git.test.ts.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clone } from "../../../runtime-linux/content/git.js";
import { findProgram } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";

const MISSING = findProgram("git") === null ? "the Debian package git is not installed" : null;

describeUnless(MISSING, "a repository whose server has only its files", () => {
  const root = mkdtempSync(join(tmpdir(), "git-files-"));
  let server: Server;
  let first = "";

  beforeAll(async () => {
    server = createServer(({ url = "" }, response) => {
      const path = join(root, new URL(url, "http://git").pathname);
      const isFile = existsSync(path) && statSync(path).isFile();
      response.writeHead(isFile ? 200 : 404).end(isFile ? readFileSync(path) : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    commit("part", { "p.txt": "part" });
    first = commit("whole", { "a.txt": "1" });
    git("whole", "tag", "v1");
    git("whole", "submodule", "-q", "add", "../part/.git", "part");
    // From the server's view of it.
    git("whole", "config", "-f", ".gitmodules", "submodule.part.url", "../../part/.git");
    commit("whole", { "a.txt": "2" });
  });

  afterAll(() => {
    server.close();
    rmSync(root, { recursive: true });
  });

  test.each([
    ["its newest commit, with a submodule", () => "", "2"],
    ["a branch", () => "main", "2"],
    ["a tag", () => "v1", "1"],
    ["a commit", () => first, "1"],
  ])("gives %s", async (_, reference, text) => {
    const directory = join(root, `clone-${text}-${reference()}`);
    const { port } = server.address() as AddressInfo;
    const repository = {
      address: `http://127.0.0.1:${port}/whole/.git`,
      security: "any-certificate",
      limit: 0n,
    } as const;
    const work = { directory, measure: async () => 0n, signal: new AbortController().signal };
    const id = await clone({ repository, reference: reference(), keepGit: false, limit: 1n << 20n }, work);
    expect([readFileSync(join(directory, "a.txt"), "utf8"), id.length]).toEqual([text, 40]);
    if (text === "1") expect(id).toBe(first);
    else expect(readFileSync(join(directory, "part/p.txt"), "utf8")).toBe("part");
  });

  /** Commits files to the branch `main`. Returns the commit's id. */
  function commit(name: string, files: Readonly<Record<string, string>>): string {
    if (!existsSync(join(root, name))) {
      mkdirSync(join(root, name));
      git(name, "init", "-q", "-b", "main");
    }
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, name, path), text);
    git(name, "add", "-A");
    git(name, "-c", "user.name=t", "-c", "user.email=t@test", "commit", "-q", "-m", "of a test");
    // What a server needs that has only files.
    git(name, "update-server-info");
    return git(name, "rev-parse", "HEAD");
  }

  function git(name: string, ...words: string[]): string {
    const own = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ALLOW_PROTOCOL: "file", HOME: root };
    return execFileSync("git", words, {
      cwd: join(root, name),
      env: { ...process.env, ...own },
      encoding: "utf8",
    }).trim();
  }
});
