// wget: as in busybox, for HTTP.

import { FileError } from "../../files/file-system.js";
import { absolute, baseName } from "../../processes/executable.js";
import { openSink } from "../../processes/open.js";
import type { ContainerProcess } from "../../processes/process.js";
import type { Output, ProcessSocket } from "../../program.js";
import { ProcessOutput } from "../../processes/descriptors.js";
import { SocketError } from "../../traffic/errors.js";
import { bracketed } from "../../traffic/addresses.js";
import { command, complain } from "../command.js";
import { parseOptions, UsageError, wholeNumber } from "../options.js";
import { refusalText } from "./refusals.js";
import { bodyOf, CutShort, readMessage, type Message } from "./http-message.js";

const LONG = {
  ...{ spider: "x", header: "h", "post-data": "d", quiet: "q", "output-document": "O", timeout: "T", continue: "c" },
  ...{ "server-response": "S", "user-agent": "U", "no-check-certificate": "n", "directory-prefix": "P", proxy: "Y" },
};
const SECOND_NS = 1_000_000_000n;
/** The default of the real one, for the connection and for each read. */
const PATIENCE_SECONDS = 900;
const MOST_REDIRECTS = 5;
const MOVED = ["301", "302", "303", "307", "308"];

export const wget = command(async (process, args) => {
  // Of several headers, the parser of options would keep the last.
  const headers = args.flatMap((arg, at) => (arg === "--header" ? [args[at + 1] ?? ""] : headerIn(arg)));
  const { flags, words } = parseOptions(args, "cqSxnO:o:T:t:P:U:Y:h:d:", LONG);
  if (words.length === 0) throw new UsageError("missing URL");
  let code = 0;
  for (const url of words) code = (await new Download(process, flags, headers).run(url)) || code;
  return code;
});

function headerIn(arg: string): string[] {
  return arg.startsWith("--header=") ? [arg.slice("--header=".length)] : [];
}

interface Place {
  host: string;
  port: number;
  /** Path and query. */
  path: string;
  /** The host, with the port if the URL has one. */
  authority: string;
}

class Download {
  readonly #process: ContainerProcess;
  readonly #flags: ReadonlyMap<string, string>;
  readonly #headers: readonly string[];
  /** Nanoseconds; undefined for no limit. */
  readonly #patience: bigint | undefined;

  constructor(process: ContainerProcess, flags: ReadonlyMap<string, string>, headers: readonly string[]) {
    this.#process = process;
    this.#flags = flags;
    this.#headers = headers;
    const given = flags.get("T");
    const seconds = given === undefined ? PATIENCE_SECONDS : wholeNumber(given);
    this.#patience = seconds === 0 ? undefined : BigInt(seconds) * SECOND_NS;
  }

  /** Resolves to the exit code. */
  async run(url: string): Promise<number> {
    try {
      return await this.#follow(url);
    } catch (error) {
      if (error instanceof CutShort) return complain(this.#process, error.message);
      if (error instanceof SocketError) return complain(this.#process, "download timed out");
      throw error;
    }
  }

  async #follow(url: string): Promise<number> {
    let place = placeOf(url);
    if (place === null) return complain(this.#process, `not an http or ftp url: ${url}`);
    const name = this.#fileName(place.path);
    for (let redirects = 0; ; redirects++) {
      const answer: Answer | number = await this.#ask(place);
      if (typeof answer === "number") return answer;
      const { message, socket } = answer;
      const [version, status, reason] = message.first;
      if (MOVED.includes(status)) {
        place = placeOf(message.headers.get("location") ?? "", place);
        socket.close();
        if (place === null || redirects === MOST_REDIRECTS) return complain(this.#process, "too many redirections");
      } else if (!status.startsWith("2")) {
        return complain(this.#process, `server returned error: ${version} ${status} ${reason}`);
      } else return this.#save(message, socket, name);
    }
  }

  async #ask(place: Place): Promise<Answer | number> {
    const { network } = this.#process;
    const [address] = await network.lookUp(place.host);
    if (address === undefined) return complain(this.#process, `bad address '${place.host}'`);
    await this.#say(`Connecting to ${place.authority} (${bracketed(address)}:${place.port})\n`);
    const socket = await this.#connected(address, place.port);
    if (typeof socket === "number") return socket;
    await socket.output.write(this.#request(place));
    const message = await readMessage(socket.input);
    if (message === null || !message.first[0].startsWith("HTTP/"))
      return complain(this.#process, "error getting response");
    if (this.#flags.has("S"))
      await this.#process.stderr.write([...message.lines, ""].map((line) => `  ${line}\n`).join(""));
    return { message, socket };
  }

  async #connected(address: string, port: number): Promise<ProcessSocket | number> {
    const { network } = this.#process;
    try {
      return network.socket(await network.reach({ address, port }, this.#patience), this.#patience);
    } catch (error) {
      if (!(error instanceof SocketError)) throw error;
      if (error.code === "ETIMEDOUT" && this.#flags.has("T")) throw error;
      return complain(this.#process, refusalText(address, error));
    }
  }

  #request({ path, authority }: Place): string {
    const data = this.#flags.get("d");
    const lines = [
      `${data === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
      `Host: ${authority}`,
      `User-Agent: ${this.#flags.get("U") ?? "Wget"}`,
      "Connection: close",
      ...this.#headers,
      ...(data === undefined
        ? []
        : [
            "Content-Type: application/x-www-form-urlencoded",
            `Content-Length: ${new TextEncoder().encode(data).length}`,
          ]),
    ];
    return `${lines.join("\r\n")}\r\n\r\n${data ?? ""}`;
  }

  async #save(message: Message, socket: ProcessSocket, name: string): Promise<number> {
    if (this.#flags.has("x")) {
      await this.#say("remote file exists\n");
      return 0;
    }
    if (name !== "-" && !this.#flags.has("O") && this.#exists(name))
      return complain(this.#process, `can't open '${name}': File exists`);
    await this.#say(name === "-" ? "writing to stdout\n" : `saving to '${name}'\n`);
    const output = name === "-" ? this.#process.stdout : this.#file(name);
    const size = await passed(message, socket, output);
    const short = name === "-" ? "-" : baseName(name);
    const bar = `${short.slice(0, 20).padEnd(20)} 100% |${"*".repeat(32)}|`;
    await this.#say(`${bar}${sizeText(size)}  0:00:00 ETA\n`);
    await this.#say(name === "-" ? "written to stdout\n" : `'${name}' saved\n`);
    return 0;
  }

  #file(name: string): Output {
    try {
      return new ProcessOutput(this.#process, openSink(this.#process, name, false));
    } catch (error) {
      if (error instanceof FileError) throw new FileError(error.code, `can't open '${name}'`);
      throw error;
    }
  }

  #fileName(path: string): string {
    const given = this.#flags.get("O");
    if (given !== undefined) return given;
    const name = baseName(path.replace(/[?#].*/, "")) || "index.html";
    const directory = this.#flags.get("P");
    return directory === undefined ? name : `${directory}/${name}`;
  }

  #exists(name: string): boolean {
    try {
      this.#process.files.status(absolute(name, this.#process.cwd));
      return true;
    } catch {
      return false;
    }
  }

  async #say(text: string): Promise<void> {
    if (!this.#flags.has("q")) await this.#process.stderr.write(text);
  }
}

interface Answer {
  message: Message;
  socket: ProcessSocket;
}

/** Writes the body. Resolves to its size. */
async function passed(message: Message, { input }: ProcessSocket, output: Output): Promise<number> {
  let size = 0;
  for await (const piece of bodyOf(message, input)) {
    size += piece.length;
    await output.write(piece);
  }
  return size;
}

/** `before`: where a relative redirection starts. */
function placeOf(url: string, before?: Place): Place | null {
  if (before && url.startsWith("/")) return { ...before, path: url };
  const [, scheme, rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/s.exec(url) ?? [];
  if ((scheme ?? "http") !== "http" || rest === "") return null;
  const [, authority = "", path = ""] = /^([^/?#]*)(.*)$/s.exec(rest) ?? [];
  const [, host = "", port = "80"] = /^(\[.*\]|[^:]*)(?::(.*))?$/s.exec(authority.replace(/^.*@/, "")) ?? [];
  return { host, port: Number(port), path: path.startsWith("/") ? path : `/${path}`, authority };
}

const KIB = 1024;
/** From here on sizes are in KiB. */
const MOST_DIGITS = 100_000;

function sizeText(size: number): string {
  return size < MOST_DIGITS ? String(size).padStart(6) : `${Math.floor(size / KIB)}k`.padStart(6);
}
