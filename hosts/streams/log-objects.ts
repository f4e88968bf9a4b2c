// Log lines as JSON objects, which clients of newer versions can request (surface §2.7).

import { joined, toBase64 } from "../shared/index.js";
import type { replies } from "../shared/index.js";
import { STDOUT } from "./frames.js";
import { TIMESTAMP_LENGTH } from "./timestamps.js";
import type { Moment } from "./timestamps.js";
import { traceOfLog } from "./trace-log.js";

/** RFC 7464: the separator before each text of a sequence. */
const SEPARATOR = "\u001e";

/** Characters that Go escapes in JSON although JSON does not require it. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** ECMA-48: bright red, as Docker colours what a build's step writes to stderr, and back. */
const RED = "\u001b[91m";
const PLAIN = "\u001b[0m";

const NEWLINE = new Uint8Array([0x0a]);

export class LogObjects {
  readonly #begin: string;
  readonly #attributes: string;
  readonly #progress: boolean;
  /** Digest of a vertex of a build; empty for other objects. */
  readonly #vertex: string;
  readonly #stamp = new Uint8Array(TIMESTAMP_LENGTH);
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #encoder = new TextEncoder();

  constructor({ attributes, separated, progress, vertex }: replies.LogObjects) {
    this.#progress = progress;
    this.#vertex = vertex;
    this.#begin = separated ? SEPARATOR : "";
    this.#attributes = attributes === "" ? "" : `,"Attrs":${attributes}`;
  }

  /** One record of a log. Bytes that are not UTF-8 are lost, since JSON cannot hold them. */
  line(stream: number, time: Moment, text: Uint8Array, newline: boolean): Uint8Array {
    if (this.#vertex !== "") return this.#logged(stream, time, text, newline);
    const line = this.#decoder.decode(text) + (newline ? "\n" : "");
    if (this.#progress) return this.#shown(stream === STDOUT ? line : `${RED}${line}${PLAIN}`);
    const source = stream === STDOUT ? "stdout" : "stderr";
    const told = line === "" ? "" : `"Line":${quoted(line)},`;
    return this.#object(`${told}"Source":"${source}","Timestamp":"${this.#time(time)}"${this.#attributes}`);
  }

  /** A part of a build's progress. */
  #shown(text: string): Uint8Array {
    return this.#encoder.encode(`{"stream":${quoted(text)}}\r\n`);
  }

  /** A part of the progress of a build by BuildKit. Its bytes stay as they are. */
  #logged(stream: number, time: Moment, text: Uint8Array, newline: boolean): Uint8Array {
    const whole = newline ? joined([text, NEWLINE]) : text;
    if (this.#progress) return this.#traced(traceOfLog(this.#vertex, time, stream, whole));
    const msg = toBase64(whole);
    const log = { vertex: this.#vertex, timestamp: this.#time(time), stream, msg };
    return this.#encoder.encode(`${JSON.stringify({ logs: [log] })}\n`);
  }

  /** A part of the progress of the same in a stream of JSON. */
  #traced(message: Uint8Array): Uint8Array {
    return this.#encoder.encode(`{"id":"moby.buildkit.trace","aux":"${toBase64(message)}"}\r\n`);
  }

  #object(members: string): Uint8Array {
    return this.#encoder.encode(`${this.#begin}{${members}}\n`);
  }

  /** RFC 3339 with as many digits as necessary. */
  #time(time: Moment): string {
    time.write(this.#stamp, 0);
    return this.#decoder.decode(this.#stamp).replace(/\.?0*Z$/, "Z");
  }
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(ESCAPED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
