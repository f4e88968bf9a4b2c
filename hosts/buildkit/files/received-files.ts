// The files of a client's directory as a tar: what a builder reads in place of the body of a request. The client lists
// its files in order, and sends the bytes of those that are asked for, several at a time (tonistiigi/fsutil).

import { HostFailure, interrupted, tooLarge } from "../../shared/index.js";
import { endOfArchive, headerOf, paddingOf } from "../../streams/tar/index.js";
import type { TarEntry } from "../../streams/tar/index.js";
import type { Caller, Conversation } from "../conversation.js";
import { decode, encode, type Fields } from "../messages/codec.js";
import { DATA, ERR, FIN, REQ, STAT, packet } from "../messages/files.js";
import { entryOf, hasBytes } from "./entry.js";
import { headersFor, type WantedFiles } from "./headers.js";

const CALL = "/moby.filesync.v1.FileSync/DiffCopy";
/** Bytes of files that are asked for ahead. A larger file is asked for alone. */
const AHEAD = 4 << 20;
/** Files that are known and whose bytes have not come: a client may list endlessly. */
const MOST_WAITING = 1_000_000;

/** A tar of the files. Fails as `body-broke` with the client's words, or as `interrupted` if the session ends. */
export async function* receivedFiles(caller: Caller, wanted: WantedFiles): AsyncGenerator<Uint8Array> {
  const call = caller(CALL, headersFor(wanted));
  try {
    const receiver = new Receiver(call);
    for await (const message of call.messages) {
      await receiver.take(packetOf(message));
      yield* receiver.ready();
      if (receiver.finished) {
        yield endOfArchive();
        return;
      }
    }
    throw interrupted("client-gone");
  } finally {
    call.cancel();
  }
}

/** One file, in its place in the tar. */
interface Waiting {
  id: number;
  entry: TarEntry;
  asked: boolean;
  /** All its bytes have come. */
  whole: boolean;
  pieces: Uint8Array[];
  /** Bytes that came, up to the size in its entry. */
  came: number;
  /** Its header is out. */
  begun: boolean;
}

class Receiver {
  readonly #call: Conversation;
  /** In the order of the tar. */
  #waiting: Waiting[] = [];
  readonly #asked = new Map<number, Waiting>();
  #nextToAsk = 0;
  #ahead = 0;
  #listed = 0;
  #complete = false;
  #told = false;
  finished = false;

  constructor(call: Conversation) {
    this.#call = call;
  }

  async take({ type = STAT, stat, ID = 0, data = NOTHING }: Packet): Promise<void> {
    if (type === ERR) throw brokenOff(new TextDecoder().decode(data));
    if (type === STAT) this.#list(stat);
    else if (type === DATA) this.#give(ID, data);
    else if (type === FIN) this.finished = this.#told;
    await this.#ask();
  }

  /** What can go into the tar by now. */
  *ready(): Generator<Uint8Array> {
    let done = 0;
    for (const file of this.#waiting) {
      if (!file.whole && (!file.asked || file.entry.size <= AHEAD)) break;
      yield* this.#piecesOf(file);
      if (!file.whole) break;
      done += 1;
    }
    this.#waiting.splice(0, done);
    this.#nextToAsk = Math.max(0, this.#nextToAsk - done);
  }

  #list(stat: Fields | undefined): void {
    if (stat === undefined) {
      this.#complete = true;
      return;
    }
    const id = this.#listed++;
    const entry = entryOf(stat);
    if (entry === null || entry.name === "" || entry.name === "/") return;
    if (this.#waiting.length >= MOST_WAITING) throw tooLarge("unpacked", "", MOST_WAITING);
    const [asked, whole] = [false, !hasBytes(stat) || entry.size === 0];
    this.#waiting.push({ id, entry, asked, whole, pieces: [], came: 0, begun: false });
  }

  /** An empty piece is the end. A file that has grown is cut off where it was when it was listed, as by tar(1). */
  #give(id: number, bytes: Uint8Array): void {
    const file = this.#asked.get(id);
    if (file === undefined) return;
    if (bytes.length === 0) {
      file.whole = true;
      this.#asked.delete(id);
      this.#ahead -= file.entry.size;
      return;
    }
    const piece = bytes.subarray(0, Math.max(0, file.entry.size - file.came));
    if (piece.length > 0) file.pieces.push(piece);
    file.came += piece.length;
  }

  async #ask(): Promise<void> {
    while (this.#nextToAsk < this.#waiting.length) {
      const file = this.#waiting[this.#nextToAsk]!;
      if (!file.whole) {
        if (this.#ahead > 0 && this.#ahead + file.entry.size > AHEAD) return;
        file.asked = true;
        this.#ahead += file.entry.size;
        this.#asked.set(file.id, file);
        await this.#call.send(encode(packet, { type: REQ, ID: file.id }));
      }
      this.#nextToAsk += 1;
    }
    if (!this.#complete || this.#told || this.#asked.size > 0) return;
    this.#told = true;
    await this.#call.send(encode(packet, { type: FIN }));
  }

  *#piecesOf(file: Waiting): Generator<Uint8Array> {
    if (!file.begun) {
      file.begun = true;
      if (file.whole) file.entry = { ...file.entry, size: file.came };
      yield headerOf(file.entry);
    }
    yield* file.pieces.splice(0);
    if (!file.whole) return;
    // A large file that has shrunk meanwhile ends with zeros, as in an archive of tar(1).
    for (let missing = file.entry.size - file.came; missing > 0; missing -= ZEROS.length) {
      yield ZEROS.subarray(0, Math.min(missing, ZEROS.length));
    }
    yield paddingOf(file.entry.size);
  }
}

const NOTHING = new Uint8Array();
const ZEROS = new Uint8Array(64 * 1024);

interface Packet {
  type?: number;
  stat?: Fields;
  ID?: number;
  data?: Uint8Array;
}

function packetOf(message: Uint8Array): Packet {
  try {
    return decode(packet, message) as Packet;
  } catch {
    throw brokenOff("invalid packet");
  }
}

function brokenOff(words: string): HostFailure {
  return new HostFailure({ tag: "body-broke", val: words });
}
