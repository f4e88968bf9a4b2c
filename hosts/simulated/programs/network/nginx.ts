// nginx: serves files, and logs each request to standard output in the format of the real program.

import { FileError } from "../../files/file-system.js";
import type { ContainerProcess } from "../../processes/process.js";
import { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGWINCH } from "../../processes/signals.js";
import type { ProcessSocket } from "../../program.js";
import { SocketError } from "../../traffic/errors.js";
import type { Listener } from "../../traffic/listener.js";
import { command } from "../command.js";
import { formatTime } from "../machine/date.js";
import { normalize } from "../paths.js";
import { dateText } from "./httpd.js";
import { readMessage, type Message } from "./http-message.js";

const SETTINGS = "/etc/nginx/nginx.conf";
const PORT = "80";
const ROOT = "/usr/share/nginx/html";

/** SIGQUIT ends it gracefully, SIGTERM at once, both with 0. */
export const nginx = command(async (process) => {
  const settings = fileText(process, SETTINGS);
  const [, port = PORT] = /\blisten\s+(\d+)/.exec(settings) ?? [];
  const [, root = ROOT] = /\broot\s+([^;\s]+)/.exec(settings) ?? [];
  const ended = new Ending(process);
  let listener: Listener;
  try {
    listener = process.network.own(process.network.bind(Number(port)));
  } catch (error) {
    if (!(error instanceof SocketError)) throw error;
    await process.stderr.write(note(process, `bind() to 0.0.0.0:${port} failed (98: ${error.message})`, "emerg"));
    return 1;
  }
  await process.stderr.write(note(process, "start worker processes"));
  for (let signal = ended.signal; ; signal = ended.signal) {
    if (signal !== null) {
      await process.stderr.write(farewell(process, signal));
      return 0;
    }
    const connection = listener.take();
    if (connection) void serve(process, process.network.socket(process.network.own(connection)), root);
    else await ended.orUntil((wake) => listener.wake(wake));
  }
});

/** The signal that ends the server. */
class Ending {
  readonly #process: ContainerProcess;
  signal: number | null = null;
  #wake = (): void => {};

  constructor(process: ContainerProcess) {
    this.#process = process;
    process.onSignal([SIGTERM, SIGINT, SIGQUIT], (signal) => {
      this.signal = signal;
      this.#wake();
    });
    process.onSignal([SIGHUP, SIGWINCH], () => {});
    process.ignore([SIGPIPE]);
  }

  async orUntil(register: (wake: () => void) => () => void): Promise<void> {
    await this.#process.wait((due) => {
      this.#wake = due;
      return register(due);
    });
  }
}

/** One request. A client that leaves early, or a server that ends meanwhile, is no error. */
async function serve(process: ContainerProcess, socket: ProcessSocket, root: string): Promise<void> {
  try {
    const message = await readMessage(socket.input);
    if (message !== null) await answer(process, socket, message, root);
  } catch {
    // The connection or the process is gone.
  } finally {
    socket.close();
  }
}

async function answer(
  process: ContainerProcess,
  { output, remote }: ProcessSocket,
  message: Message,
  root: string,
): Promise<void> {
  const [method, target] = message.first;
  const [status, body, headers] = found(process, method, target, root);
  const head = [
    `HTTP/1.1 ${status}`,
    `Server: nginx/${process.env.get("NGINX_VERSION") ?? "1.27.5"}`,
    `Date: ${dateText(process.now())}`,
    `Content-Type: ${typeOf(status, target)}`,
    `Content-Length: ${body.length}`,
    ...headers,
    "Connection: close",
  ];
  await output.write(`${head.join("\r\n")}\r\n\r\n`);
  if (method !== "HEAD") await output.write(body);
  const size = method === "HEAD" ? 0 : body.length;
  await process.stdout.write(logLine(process, remote.address, message, status, size));
}

type Found = [status: string, body: Uint8Array, headers: string[]];

function found(process: ContainerProcess, method: string, target: string, root: string): Found {
  if (method !== "GET" && method !== "HEAD") return refusal("405 Not Allowed");
  const path = normalize(target.replace(/[?#].*/, ""));
  try {
    const place = `${root}${path === "/" ? "/index.html" : path}`;
    if (process.files.status(place).kind === "directory") return refusal("403 Forbidden");
    const { modified } = process.files.status(place);
    return ["200 OK", process.files.read(place), [`Last-Modified: ${dateText(modified)}`, "Accept-Ranges: bytes"]];
  } catch (error) {
    if (error instanceof FileError) return refusal(error.code === "EACCES" ? "403 Forbidden" : "404 Not Found");
    throw error;
  }
}

function refusal(status: string): Found {
  const page = `<html>\n<head><title>${status}</title></head>\n<body>\n<h1>${status}</h1>\n</body>\n</html>\n`;
  return [status, new TextEncoder().encode(page), []];
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ html: "text/html", css: "text/css", js: "application/javascript", json: "application/json", txt: "text/plain" },
  ...{ svg: "image/svg+xml", png: "image/png", jpg: "image/jpeg" },
};

function typeOf(status: string, target: string): string {
  if (!status.startsWith("200") || target.endsWith("/")) return "text/html";
  const [, ending = ""] = /\.(\w+)(?:[?#].*)?$/.exec(target) ?? [];
  return TYPES[ending] ?? "application/octet-stream";
}

/** Common log format, with referrer and user agent. */
function logLine(
  process: ContainerProcess,
  visitor: string,
  { lines: [asked = ""], headers }: Message,
  status: string,
  size: number,
): string {
  const time = formatTime(process.now(), "%d/%b/%Y:%H:%M:%S %z");
  const [referrer, agent] = [headers.get("referer") ?? "-", headers.get("user-agent") ?? "-"];
  return `${visitor} - - [${time}] "${asked}" ${status.slice(0, 3)} ${size} "${referrer}" "${agent}" "-"\n`;
}

const NAMES: Readonly<Record<number, string>> = { [SIGQUIT]: "SIGQUIT", [SIGTERM]: "SIGTERM", [SIGINT]: "SIGINT" };

function farewell(process: ContainerProcess, signal: number): string {
  const how = signal === SIGQUIT ? "shutting down" : "exiting";
  return note(process, `signal ${signal} (${NAMES[signal]}) received, ${how}`) + note(process, "exit");
}

function note(process: ContainerProcess, text: string, level = "notice"): string {
  return `${formatTime(process.now(), "%Y/%m/%d %H:%M:%S")} [${level}] ${process.pid}#${process.pid}: ${text}\n`;
}

function fileText(process: ContainerProcess, path: string): string {
  try {
    return new TextDecoder().decode(process.files.read(path));
  } catch (error) {
    if (error instanceof FileError) return "";
    throw error;
  }
}
