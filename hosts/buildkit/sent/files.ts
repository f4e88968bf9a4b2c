// Files for a client's directory, by the protocol of tonistiigi/fsutil: the engine lists them in order, and sends the bytes
// of those that the client asks for.
//
// They come from a tar, which can be read only once. So small files are kept until the client asks for them, up to 4 MiB
// together, and a larger one is sent from the tar when the client has asked for it. Clients ask for a file when it is listed.

import { HostFailure, interrupted } from "../../shared/index.js";
import { TarReader, UNLIMITED } from "../../streams/tar/index.js";
import type { TarEntry, TarSink } from "../../streams/tar/index.js";
import type { Conversation } from "../conversation.js";
import { decode, encode, type Fields } from "../messages/codec.js";
import { DATA, ERR, FIN, REQ, STAT, packet } from "../messages/files.js";
import { during } from "./during.js";
import { statOf } from "./stat.js";

/** Bytes of small files that are kept; a file with more is not kept. */
const KEPT = 4 << 20;
/** Small files that are kept, which may be empty. */
const MOST_KEPT = 10_000;
/** Bytes in a packet. */
const PIECE = 256 * 1024;

export async function sendFiles(call: Conversation, tar: AsyncIterable<Uint8Array>): Promise<void> {
  const files = new SentFiles(call);
  const reader = new TarReader(files);
  const send = async (): Promise<void> => {
    for await (const chunk of tar) await reader.push(chunk);
    reader.end();
    await files.finish();
  };
  await during({ call, answers: files.answers(), send, isDone: () => files.isDone });
}

/** A file whose bytes the client may want. */
interface File {
  id: number;
  size: number;
  /** Null for a large one. */
  kept: Uint8Array | null;
  /** How many bytes of it the tar has given. */
  came: number;
  asked: boolean;
}

class SentFiles implements TarSink {
  readonly limits = UNLIMITED;
  readonly #call: Conversation;
  /** Those that are not sent, by their numbers. */
  readonly #open = new Map<number, File>();
  #listed = 0;
  #keptBytes = 0;
  #current: File | null = null;
  /** Zeros of a large file that the tar leaves out and that are not sent. */
  #zeros = 0;
  #finished = false;
  /** Looks again whether something that was awaited is there. */
  #wake: () => void = () => {};
  #failed: unknown = null;

  constructor(call: Conversation) {
    this.#call = call;
  }

  /** The client wants nothing more. */
  get isDone(): boolean {
    return this.#finished;
  }

  /** Reads what the client asks for, up to the end of the call. */
  async answers(): Promise<void> {
    try {
      for await (const message of this.#call.messages) await this.#take(decode(packet, message) as Packet);
    } catch (error) {
      this.#failed = error;
      throw error;
    } finally {
      this.#failed ??= interrupted("client-gone");
      this.#wake();
    }
  }

  async entry(entry: TarEntry): Promise<void> {
    this.#current = null;
    const stat = statOf(entry);
    if (stat === null) return;
    const id = this.#listed++;
    if (entry.type === "file") await this.#begin(id, entry.size);
    await this.#send({ type: STAT, stat });
    if (entry.type === "file" && entry.size === 0) await this.end();
  }

  async data(piece: Uint8Array): Promise<void> {
    const file = this.#current;
    if (file === null) return;
    if (file.kept !== null) {
      file.kept.set(piece, file.came);
      file.came += piece.length;
      return;
    }
    await this.#until(() => file.asked);
    await this.#sendZeros(file);
    await this.#sendData(file.id, piece);
  }

  hole(size: number): void {
    const file = this.#current;
    if (file === null) return;
    if (file.kept === null) this.#zeros += size;
    else file.came += size;
  }

  async end(): Promise<void> {
    const file = this.#current;
    this.#current = null;
    if (file === null) return;
    if (file.kept !== null) {
      file.came = file.size;
      if (file.asked) await this.#sendKept(file);
      return;
    }
    await this.#until(() => file.asked);
    await this.#sendZeros(file);
    await this.#sendEnd(file);
  }

  /** All files are listed. Resolves when the client has what it wants. */
  async finish(): Promise<void> {
    await this.#send({ type: STAT });
    await this.#until(() => this.#finished);
    await this.#send({ type: FIN });
    this.#call.finish();
  }

  async #begin(id: number, size: number): Promise<void> {
    const isSmall = size <= KEPT;
    if (isSmall) await this.#until(() => this.#keptBytes + size <= KEPT && this.#open.size < MOST_KEPT);
    const file = { id, size, kept: isSmall ? new Uint8Array(size) : null, came: 0, asked: false };
    if (isSmall) this.#keptBytes += size;
    this.#open.set(id, file);
    this.#current = file;
  }

  async #take({ type = STAT, ID = 0, data = NOTHING }: Packet): Promise<void> {
    if (type === ERR) throw new HostFailure({ tag: "body-broke", val: new TextDecoder().decode(data) });
    if (type === FIN) this.#finished = true;
    const file = type === REQ ? this.#open.get(ID) : undefined;
    if (file !== undefined && !file.asked) {
      file.asked = true;
      if (file.kept !== null && file !== this.#current) await this.#sendKept(file);
    }
    this.#wake();
  }

  async #sendKept(file: File): Promise<void> {
    for (let at = 0; at < file.size; at += PIECE) await this.#sendData(file.id, file.kept!.subarray(at, at + PIECE));
    this.#keptBytes -= file.size;
    await this.#sendEnd(file);
    this.#wake();
  }

  async #sendEnd(file: File): Promise<void> {
    this.#open.delete(file.id);
    await this.#sendData(file.id, NOTHING);
  }

  async #sendZeros({ id }: File): Promise<void> {
    for (; this.#zeros > 0; this.#zeros -= Math.min(this.#zeros, PIECE)) {
      await this.#sendData(id, new Uint8Array(Math.min(this.#zeros, PIECE)));
    }
  }

  async #sendData(id: number, data: Uint8Array): Promise<void> {
    for (let at = 0; at === 0 || at < data.length; at += PIECE) {
      await this.#send({ type: DATA, ID: id, data: data.subarray(at, at + PIECE) });
    }
  }

  #send(fields: Fields): Promise<void> {
    return this.#call.send(encode(packet, fields));
  }

  /** Rejects once the call is over. */
  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#failed !== null) throw this.#failed;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

interface Packet {
  type?: number;
  ID?: number;
  data?: Uint8Array;
}

const NOTHING = new Uint8Array();
