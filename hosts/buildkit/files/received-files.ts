// The files of a client's directory as a tar: what a builder reads in place of the body of a request. The client lists
// its files in order, and sends the bytes of those that are asked for, several at a time (tonistiigi/fsutil).

import { HostFailure, interrupted, joined, tooLarge, type SentBefore } from "../../shared/index.js";
import { endOfArchive, headerOf, paddingOf, type TarEntry } from "../../streams/tar/index.js";
import { readFrom, type Caller, type Conversation } from "../conversation.js";
import { decode, encode, type Fields } from "../messages/codec.js";
import { DATA, ERR, FIN, REQ, STAT, packet } from "../messages/files.js";
import { entryOf, hasBytes } from "./entry.js";
import { headersFor, type WantedFiles } from "./headers.js";
import { KnownFiles, type Known } from "./known-files.js";
import { Line, bytesIn, type Waiting } from "./line.js";

const CALL = "/moby.filesync.v1.FileSync/DiffCopy";
/** Bytes of files that are asked for ahead, and kept until their place in the tar. A larger file is asked for alone. */
const AHEAD = 4 << 20;
/** Files that are asked for at once. A client stops reading when it has 128 to send (fsutil, send.go). */
const MOST_ASKED = 100;
/** Files that are known and whose bytes have not come: a client may list endlessly. */
const MOST_WAITING = 1_000_000;
/** Bytes of their names, targets and extended attributes together. */
const MOST_LISTED = 128 << 20;

/**
 * A tar of the files. Fails as `body-broke` with the client's words, or as `interrupted` if the session ends or the
 * client sends what is no packet. Who stops reading ends the call at once, even while the client sends nothing. Bytes of
 * files that have not changed since `before` come from there. `came` is told how many more bytes the client has sent, as
 * BuildKit counts them: with those that only list files.
 */
export function receivedFiles(
  caller: Caller,
  wanted: WantedFiles,
  before: SentBefore | null = null,
  came: (bytes: number) => void = () => {},
): AsyncIterable<Uint8Array> {
  return readFrom(
    () => caller(CALL, headersFor(wanted)),
    (call) => tarFrom(call, before, came),
  );
}

async function* tarFrom(
  call: Conversation,
  before: SentBefore | null,
  came: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const receiver = new Receiver(call, before);
  const gathered = new Gathered();
  for await (const message of call.messages) {
    came(message.length);
    const taken = receiver.take(packetOf(message));
    if (taken) await taken;
    for (let pieces = receiver.ready(); pieces !== null; pieces = receiver.ready()) {
      // To wait for each of many small files takes longer than to hand it on.
      if (!isAtOnce(pieces)) for await (const piece of pieces) yield* gathered.add(piece);
      else for (const piece of pieces) for (const full of gathered.add(piece)) yield full;
      receiver.handedOn();
    }
    receiver.ask();
    if (receiver.finished) {
      yield* gathered.add(endOfArchive());
      yield* gathered.rest();
      return;
    }
  }
  throw interrupted("client-gone");
}

/**
 * Bytes on their way: to hand on each of many small files takes longer than to read it. They are copied, as a piece may be
 * part of a far larger message.
 */
class Gathered {
  /** Grows with what comes: most calls are for one file. */
  #bytes = new Uint8Array(FIRST_ROOM);
  #size = 0;

  /** Adds a piece, and gives what there is no more room for. */
  add(piece: Uint8Array): readonly Uint8Array[] {
    const full = this.#size + piece.length > ONE_PIECE ? this.rest() : NONE;
    if (piece.length > ONE_PIECE) return [...full, piece];
    this.#makeRoom(this.#size + piece.length);
    this.#bytes.set(piece, this.#size);
    this.#size += piece.length;
    return full;
  }

  rest(): readonly Uint8Array[] {
    const rest = this.#size > 0 ? [this.#bytes.slice(0, this.#size)] : NONE;
    this.#size = 0;
    return rest;
  }

  #makeRoom(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.min(ONE_PIECE, Math.max(size, 2 * this.#bytes.length)));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}

class Receiver {
  readonly #call: Conversation;
  readonly #before: SentBefore | null;
  readonly #known: KnownFiles | null;
  readonly #waiting = new Line();
  readonly #asked = new Map<number, Waiting>();
  /** Requests that have not gone out: the client does not read them. */
  #sending = 0;
  /** Sizes of files that are asked for and not in the tar. */
  #ahead = 0;
  #listedBytes = 0;
  #listed = 0;
  #complete = false;
  #told = false;
  finished = false;

  constructor(call: Conversation, before: SentBefore | null) {
    this.#call = call;
    this.#before = before;
    this.#known = before === null ? null : new KnownFiles(before);
  }

  take({ type = STAT, stat, ID = 0, data = NOTHING }: Packet): Promise<void> | void {
    if (type === ERR) throw brokenOff(new TextDecoder().decode(data));
    if (type === STAT) return this.#list(stat);
    if (type === DATA) this.#give(ID, data);
    else if (type === FIN) this.finished = this.#told;
  }

  /** What can go into the tar by now, all of one file; null if nothing can. Call `handedOn` when it is there. */
  ready(): Pieces | null {
    const file = this.#waiting.first;
    if (file === undefined) return null;
    if (file.known !== null) return this.#knownPieces(file.entry, file.known);
    if (!file.whole && (!file.asked || file.size <= AHEAD)) return null;
    return file.whole || !file.begun || file.held.length > 0 ? this.#piecesOf(file) : null;
  }

  handedOn(): void {
    const file = this.#waiting.first!;
    if (file.known === null && !file.whole) return;
    this.#waiting.shift();
    this.#listedBytes -= file.listed;
    if (file.asked) this.#ahead -= file.size;
  }

  /**
   * Asks for what may come. It is not awaited that a request goes out: the client may read it only when we have read
   * more from it.
   */
  ask(): void {
    for (let file = this.#waiting.toAsk; file !== undefined; file = this.#waiting.toAsk) {
      if (!file.whole && file.known === null) {
        if (this.#asked.size + this.#sending >= MOST_ASKED) return;
        if (this.#ahead > 0 && this.#ahead + file.size > AHEAD) return;
        file.asked = true;
        this.#ahead += file.size;
        this.#asked.set(file.id, file);
        this.#send({ type: REQ, ID: file.id });
      }
      this.#waiting.asked();
    }
    if (!this.#complete || this.#told || this.#asked.size > 0) return;
    this.#told = true;
    this.#send({ type: FIN });
  }

  /** If it cannot go out, the call is over, and its messages tell why. */
  #send(fields: Fields): void {
    this.#sending += 1;
    const sent = (): void => {
      this.#sending -= 1;
      this.ask();
    };
    this.#call.send(encode(packet, fields)).then(sent, () => {});
  }

  #list(stat: Fields | undefined): Promise<void> | void {
    if (stat === undefined) {
      this.#complete = true;
      return;
    }
    const id = this.#listed++;
    const entry = entryOf(stat);
    if (entry === null || entry.name === "" || entry.name === "/") return;
    if (this.#waiting.length >= MOST_WAITING) throw tooLarge("unpacked", "", MOST_WAITING);
    const listed = bytesIn(entry);
    this.#listedBytes += listed;
    if (this.#listedBytes > MOST_LISTED) throw tooLarge("unpacked", "", MOST_LISTED);
    const [asked, whole] = [false, !hasBytes(stat) || entry.size === 0];
    const known = null;
    const file = { id, entry, size: entry.size, asked, known, whole, held: NOTHING, listed, came: 0, begun: false };
    if (whole || this.#known === null) return this.#waiting.push(file);
    const found = this.#known.find(entry);
    if (found instanceof Promise) return found.then((known) => this.#waiting.push({ ...file, known }));
    this.#waiting.push(found === null ? file : { ...file, known: found });
  }

  /** An empty piece is the end. A file that has grown is cut off where it was when it was listed, as by tar(1). */
  #give(id: number, bytes: Uint8Array): void {
    const file = this.#asked.get(id);
    if (file === undefined) return;
    if (bytes.length === 0) {
      file.whole = true;
      this.#asked.delete(id);
      return;
    }
    const piece = bytes.subarray(0, Math.max(0, file.size - file.came));
    if (file.size > AHEAD) file.held = piece;
    else if (file.came === 0) file.held = new Uint8Array(file.size);
    // A copy: the piece is part of a message, which may be far larger.
    if (file.size <= AHEAD) file.held.set(piece, file.came);
    file.came += piece.length;
  }

  #knownPieces(entry: TarEntry, known: Known): Pieces {
    const bytes = this.#known!.held(known);
    return bytes === null ? this.#readPieces(entry, known) : [headerOf(entry), bytes, paddingOf(entry.size)];
  }

  /** A small file is one piece. */
  async *#readPieces(entry: TarEntry, known: Known): AsyncGenerator<Uint8Array> {
    let held = [headerOf(entry)];
    for await (const piece of this.#known!.bytes(known)) {
      held.push(piece);
      if (known.size <= ONE_PIECE) continue;
      yield* held;
      held = [];
    }
    yield joined([...held, paddingOf(entry.size)]);
  }

  *#piecesOf(file: Waiting): Generator<Uint8Array> {
    if (!file.begun) {
      file.begun = true;
      if (file.whole) file.entry = { ...file.entry, size: file.came };
      yield headerOf(file.entry);
    }
    const fresh = file.size > AHEAD ? file.held : file.held.subarray(0, file.came);
    if (fresh.length > 0) yield fresh;
    file.held = NOTHING;
    if (!file.whole) return;
    // A large file that has shrunk meanwhile ends with zeros, as in an archive of tar(1).
    if (file.came < file.entry.size) this.#before?.doubt();
    for (let missing = file.entry.size - file.came; missing > 0; missing -= ZEROS.length) {
      yield ZEROS.subarray(0, Math.min(missing, ZEROS.length));
    }
    yield paddingOf(file.entry.size);
  }
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

function isAtOnce(pieces: Pieces): pieces is Iterable<Uint8Array> {
  return Symbol.iterator in pieces;
}

const NOTHING = new Uint8Array();
const NONE: readonly Uint8Array[] = [];
const ZEROS = new Uint8Array(64 * 1024);
const ONE_PIECE = 256 << 10;
const FIRST_ROOM = 8 << 10;

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
    throw interrupted("client-gone");
  }
}

function brokenOff(words: string): HostFailure {
  return new HostFailure({ tag: "body-broke", val: words });
}
