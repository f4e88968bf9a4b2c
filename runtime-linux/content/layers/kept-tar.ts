// While a layer is unpacked, keeps enough to rebuild its tar byte for byte. A blob from a registry is kept as it
// arrived. For any other tar the frame is kept, and the layer's files fill it. If the tar removed some of its own files
// again, the archive's member is kept as it arrived.

import { copyFile, link, rm } from "node:fs/promises";
import { SplittingReader, TarReader } from "../../../hosts/streams/tar/index.js";
import { TarSplitFile } from "./tar-split.js";
import type { Unpacker } from "./unpacker.js";

/** What is kept of a layer's tar. */
export interface KeptTar {
  /** Bytes of the tar. */
  size: number;
  as: "blob" | "frame" | "member";
}

/** Names in a layer's directory. */
export const FRAME = "frame";
export const MEMBER = "member";

export class TarKeeper {
  readonly #unpacker: Unpacker;
  readonly #draft: string;
  /** The file of the archive's member; null: the layer's blob is kept. */
  readonly #member: Buffer | null;
  readonly #reader: TarReader | SplittingReader<string>;
  #frame: TarSplitFile | null = null;
  #size = 0;

  constructor(unpacker: Unpacker, draft: string, member: Buffer | null) {
    this.#unpacker = unpacker;
    this.#draft = draft;
    this.#member = member;
    this.#reader = member === null ? new TarReader(unpacker) : new SplittingReader(unpacker);
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length;
    await this.#reader.push(chunk);
    if (!(this.#reader instanceof SplittingReader)) return;
    const frame = await this.#splitFile();
    await frame.add(this.#reader.take());
  }

  /** Call this at the end of the tar. */
  async end(): Promise<void> {
    this.#reader.end();
    if (this.#member !== null) await (await this.#splitFile()).end();
    this.#frame = null;
  }

  /** Call this once all files are there. */
  async keep(): Promise<KeptTar> {
    const size = this.#size;
    const member = this.#member;
    if (member === null) return { size, as: "blob" };
    if (!this.#unpacker.replaced) return { size, as: "frame" };
    await rm(`${this.#draft}/${FRAME}`);
    const kept = `${this.#draft}/${MEMBER}`;
    await link(member, kept).catch(() => copyFile(member, kept));
    return { size, as: "member" };
  }

  /** Drops what is not finished. */
  async abandon(): Promise<void> {
    await this.#frame?.abandon();
    this.#frame = null;
  }

  async #splitFile(): Promise<TarSplitFile> {
    return (this.#frame ??= await TarSplitFile.make(`${this.#draft}/${FRAME}`));
  }
}
