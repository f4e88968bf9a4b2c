// Serves git repositories over HTTP, by the machine's own `git http-backend`.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const BACKEND = "/usr/lib/git-core/git-http-backend";

/** Why there can be no such server; null if there can. */
export const GIT_MISSING = existsSync(BACKEND) ? null : "the Debian package git is not installed";

export interface GitServer {
  /** `http://ADDRESS:PORT`. */
  readonly url: string;
  readonly asked: string[];
  /** Commits these files to the branch `main`. Returns the commit's id. `tag`: it gets this name, too. */
  commit(repository: string, files: Readonly<Record<string, string>>, tag?: string): string;
  close(): Promise<void>;
}

/** `login`: `user:password`, which repositories need whose name begins with `private`. */
export async function startGitServer(address: string, login: string): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), "git-server-"));
  const asked: string[] = [];
  const basic = `Basic ${Buffer.from(login).toString("base64")}`;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isAllowed = request.url?.startsWith("/private") !== true || request.headers.authorization === basic;
    if (isAllowed) answer(root, request, response);
    else response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    asked,
    commit: (repository, files, tag) => commit(join(root, repository), files, tag),
    close: () =>
      new Promise((resolve) => {
        rmSync(root, { recursive: true });
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function commit(directory: string, files: Readonly<Record<string, string>>, tag?: string): string {
  const own = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ALLOW_PROTOCOL: "file", HOME: directory };
  const env = { ...process.env, ...own };
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: directory, env, encoding: "utf8" });
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true });
    git("init", "-q", "-b", "main");
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@test", "commit", "-q", "--allow-empty", "-m", "of a test");
  if (tag !== undefined) git("tag", tag);
  return git("rev-parse", "HEAD").trim();
}

/** The Common Gateway Interface (RFC 3875), as far as git needs it. */
function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://git");
  const child = spawn(BACKEND, {
    env: {
      ...{
        PATH: process.env["PATH"],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
      },
      ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), CONTENT_TYPE: request.headers["content-type"] ?? "" },
      ...{ HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "" },
      ...{ GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""), ...SAFE },
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {}); // it need not read all of it
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  child.on("close", () => {
    const bytes = Buffer.concat(pieces);
    const end = bytes.indexOf("\r\n\r\n");
    const headers = bytes.subarray(0, Math.max(end, 0)).toString().split("\r\n");
    const fields = Object.fromEntries(headers.map((line) => line.split(": ") as [string, string]));
    const { Status: status = "200", ...rest } = fields;
    response.writeHead(Number.parseInt(status), rest).end(bytes.subarray(end + 4));
  });
}

const SAFE = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
