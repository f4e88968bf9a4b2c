// Archives that clients send to a dry run: read to their end and thrown away, but for the names and sizes of what is in
// them and the small documents that say which images they hold.

import { imaginedOnly, noSuch } from "../shared/failure.js";
import type { content, engine } from "../shared/host.js";
import { joined } from "../streams/bytes.js";
import { fromClient } from "../streams/client-body.js";
import { decompressed } from "../streams/decompress.js";
import type { TarEntry } from "../streams/tar/entry.js";
import { textOf } from "../streams/tar/latin1.js";
import { cleanName } from "../streams/tar/names.js";
import { TarReader } from "../streams/tar/reader.js";
import { MOST_HOLES, type TarSink } from "../streams/tar/sink.js";

/** Larger members are layers, as a rule. */
const LARGEST_KEPT = 1 << 20;
/** Of all archives of a dry run. */
const MOST_KEPT = 32 << 20;

interface Member {
  size: number;
  /** None: thrown away. */
  bytes?: Uint8Array;
}

export class ThrownArchives {
  readonly #archives = new Map<string, Map<string, Member>>();
  #kept = 0;

  has(archive: string): boolean {
    return this.#archives.has(archive);
  }

  /** Files in the order of their names. Rejects with `corrupt` for what is no tar, and when the body breaks off. */
  async ingest(archive: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<engine.ArchivedFile[]> {
    const members = new Members((size) => this.#keeps(size));
    const reader = new TarReader(members);
    for await (const chunk of decompressed(fromClient(body, signal))) await reader.push(chunk);
    reader.end();
    this.#archives.set(archive, members.found);
    const files = [...members.found].map(([path, { size }]) => ({ path, size: BigInt(size) }));
    return files.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** An archive of which nothing is known but the size of its one member. */
  imagine(archive: string, name: string, size: number): void {
    this.#archives.set(archive, new Map([[name, { size }]]));
  }

  read(member: content.Member): Uint8Array {
    const { bytes } = this.#find(member);
    if (bytes === undefined) throw imaginedOnly("member", member.path);
    return bytes;
  }

  size(member: content.Member): number {
    return this.#find(member).size;
  }

  drop(archive: string): void {
    for (const { bytes } of this.#archives.get(archive)?.values() ?? []) this.#kept -= bytes?.length ?? 0;
    this.#archives.delete(archive);
  }

  #find({ archive, path }: content.Member): Member {
    const member = this.#archives.get(archive)?.get(cleanName(path));
    if (member === undefined) throw noSuch("member", path);
    return member;
  }

  #keeps(size: number): boolean {
    if (size > LARGEST_KEPT || this.#kept + size > MOST_KEPT) return false;
    this.#kept += size;
    return true;
  }
}

class Members implements TarSink {
  readonly mostHoles = MOST_HOLES;
  readonly found = new Map<string, Member>();
  readonly #keeps: (size: number) => boolean;
  #pieces: Uint8Array[] | null = null;
  #name = "";

  constructor(keeps: (size: number) => boolean) {
    this.#keeps = keeps;
  }

  entry({ type, name, target, size }: TarEntry): void {
    this.#name = textOf(cleanName(name));
    this.#pieces = null;
    if (type === "file") this.#begin(size);
    // What archives of images link to stands in front of the link.
    const behind = type === "symlink" ? this.#beside(textOf(target)) : type === "link" ? textOf(target) : "";
    const member = this.found.get(cleanName(behind));
    if (member !== undefined) this.found.set(this.#name, member);
  }

  data(piece: Uint8Array): void {
    this.#pieces?.push(new Uint8Array(piece));
  }

  hole(size: number): void {
    this.#pieces?.push(new Uint8Array(size));
  }

  end(): void {
    if (this.#pieces !== null) this.found.get(this.#name)!.bytes = joined(this.#pieces);
  }

  #begin(size: number): void {
    this.found.set(this.#name, { size });
    if (this.#keeps(size)) this.#pieces = [];
  }

  #beside(target: string): string {
    const directory = this.#name.slice(0, this.#name.lastIndexOf("/") + 1);
    return target.startsWith("/") ? target : directory + target;
  }
}
