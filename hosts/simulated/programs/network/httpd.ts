// httpd: as in busybox, for files.

import { FileError } from "../../files/file-system.js";
import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import type { Program } from "../../program.js";
import type { Listener } from "../../traffic/listener.js";
import { SocketError } from "../../traffic/errors.js";
import { command, complain } from "../command.js";
import { formatTime } from "../machine/date.js";
import { parseOptions } from "../options.js";
import { normalize } from "../paths.js";
import { readMessage } from "./http-message.js";

const PORT = 80;
const SECOND_NS = 1_000_000_000n;

export const httpd = command(async (process, args) => {
  const { flags } = parseOptions(args, "fivp:h:u:c:r:");
  const [, address, number] = /^(?:\[?(.*?)\]?:)?(\d+)$/.exec(flags.get("p") ?? String(PORT)) ?? [];
  if (number === undefined) return complain(process, `bad address '${flags.get("p")}'`);
  const home = absolute(flags.get("h") ?? ".", process.cwd);
  const failed = failureOf(process, home);
  if (failed !== null) return complain(process, `can't change directory to '${flags.get("h")}': ${failed}`);
  let listener: Listener;
  try {
    listener = process.network.bind(Number(number), address);
  } catch (error) {
    if (!(error instanceof SocketError)) throw error;
    return complain(process, `bind: ${error.message}`);
  }
  if (flags.has("f")) return serveAll(process, process.network.own(listener), home);
  inBackground(process, listener, home);
  return 0;
});

/** Serves as a daemon, which owns the listener from its first moment. */
function inBackground(process: ContainerProcess, listener: Listener, home: string): void {
  const program = daemon((child) => serveAll(child, listener, home));
  try {
    process.spawn({ argv: process.argv, cwd: "/", program }).network.own(listener);
  } catch (error) {
    listener.close();
    throw error;
  }
}

/** A child with all that only a container's process has. */
function daemon(run: (process: ContainerProcess) => Promise<number>): Program {
  return (process) => run(process as ContainerProcess);
}

async function serveAll(process: ContainerProcess, listener: Listener, home: string): Promise<number> {
  for (;;) {
    const connection = await process.network.accept(listener);
    const { input, output } = process.network.socket(connection);
    process.spawn({
      argv: process.argv,
      stdin: input,
      stdout: output,
      program: daemon((child) => answer(child, home)),
    });
    process.network.release(connection);
  }
}

/** Answers one request: standard input and output are the connection. */
async function answer(process: ContainerProcess, home: string): Promise<number> {
  const message = await readMessage(process.stdin);
  if (message === null) return 1;
  const [method, target] = message.first;
  const reply = method === "GET" || method === "HEAD" ? replyTo(process, home, target) : refusal(501);
  const body = method === "HEAD" ? NOTHING : reply.body;
  const date = dateText(process.now());
  const headers = [`Date: ${date}`, "Connection: close", ...reply.headers];
  await process.stdout.write(`HTTP/1.1 ${reply.status}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`);
  await process.stdout.write(body);
  return 0;
}

interface Reply {
  status: string;
  headers: readonly string[];
  body: Uint8Array;
}

const NOTHING = new Uint8Array(0);

function replyTo(process: ContainerProcess, home: string, target: string): Reply {
  const path = decoded(target.replace(/[?#].*/, ""));
  if (path === null || !path.startsWith("/") || /(^|\/)\.\.(\/|$)/.test(path)) return refusal(400);
  const place = normalize(`${home}${path}`);
  try {
    const { kind } = process.files.status(place);
    if (kind === "directory" && !path.endsWith("/")) {
      return { status: "302 Found", headers: [HTML, `Location: ${path}/`], body: NOTHING };
    }
    return fileReply(process, kind === "directory" ? `${place}/index.html` : place);
  } catch (error) {
    if (error instanceof FileError) return refusal(error.code === "EACCES" ? 403 : 404);
    throw error;
  }
}

function fileReply(process: ContainerProcess, place: string): Reply {
  const { modified } = process.files.status(place);
  const body = process.files.read(place);
  const type = TYPES.find(([pattern]) => pattern.test(place))?.[1];
  const tag = `${(modified / SECOND_NS).toString(16)}-${body.length.toString(16)}`;
  const headers = [
    ...(type === undefined ? [] : [`Content-type: ${type}`]),
    "Accept-Ranges: bytes",
    `Last-Modified: ${dateText(modified)}`,
    `ETag: "${tag}"`,
    `Content-Length: ${body.length}`,
  ];
  return { status: "200 OK", headers, body };
}

const HTML = "Content-type: text/html";
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.html?$/, "text/html"],
  [/\.(txt|h|c|cc|cpp)$/, "text/plain"],
  [/\.css$/, "text/css"],
  [/\.js$/, "application/javascript"],
  [/\.jpe?g$/, "image/jpeg"],
  [/\.gif$/, "image/gif"],
  [/\.png$/, "image/png"],
  [/\.svg$/, "image/svg+xml"],
];

const REFUSALS: Readonly<Record<number, readonly [title: string, text: string]>> = {
  400: ["Bad Request", "Unsupported method"],
  403: ["Forbidden", ""],
  404: ["Not Found", "The requested URL was not found"],
  501: ["Not Implemented", "The requested method is not recognized"],
};

function refusal(code: number): Reply {
  const [title, text] = REFUSALS[code]!;
  const status = `${code} ${title}`;
  const page = `<HTML><HEAD><TITLE>${status}</TITLE></HEAD>\n<BODY><H1>${status}</H1>\n${text}\n</BODY></HTML>\n`;
  return { status, headers: [HTML], body: new TextEncoder().encode(page) };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** `Sat, 28 Nov 2026 20:36:43 GMT`. */
export function dateText(wall: bigint): string {
  return formatTime(wall, "%a, %d %b %Y %H:%M:%S GMT");
}

function failureOf(process: ContainerProcess, path: string): string | null {
  try {
    process.files.list(path);
    return null;
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
}
