// Reads archives that clients send to a dry run to their end and discards them. It keeps only the names and sizes of
// their members, and the bytes of small members, such as the JSON documents that list the images in them.

import { imaginedOnly, joined, noSuch, tooLarge } from "../shared/index.js";
import type { content, engine } from "../shared/index.js";
import { fromClient } from "../streams/index.js";
import { decompressed } from "../streams/compression/index.js";
import { TarReader, cleanName, endOfArchive, textOf, limitsOf } from "../streams/tar/index.js";
import type { TarEntry, TarSink, TarLimits } from "../streams/tar/index.js";

// What protects a host's memory from the archives of dry runs: the host's own limits (`core/wit/content.wit`). The limit
// of one member is the core's, in the command that reads it.

/** In bytes. */
const MOST_KEPT = 32 << 20;
const MOST_MEMBERS = 1 << 16;
/** Holes take no room here: they are checked when a layer is unpacked, which a dry run only imagines. */
const MUCH = BigInt(Number.MAX_SAFE_INTEGER);

interface Member {
  size: number;
  /** Undefined if they were discarded. */
  bytes?: Uint8Array;
}

export class ThrownArchives {
  readonly #archives = new Map<string, Map<string, Member>>();
  readonly #kept: KeptMembers;

  /** The most bytes kept for all archives of a dry run, and the most members. */
  constructor(mostKept = MOST_KEPT, mostMembers = MOST_MEMBERS) {
    this.#kept = new KeptMembers(mostKept, mostMembers);
  }

  has(archive: string): boolean {
    return this.#archives.has(archive);
  }

  /** The files, sorted by name. Rejects with `damaged` if the body is not a tar, or breaks off. */
  async ingest(
    { archive, limits }: Pick<content.Ingest, "archive" | "limits">,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<engine.ArchivedFile[]> {
    const members = new Members(this.#kept, archive, limitsOf(limits));
    try {
      await readTar(members, body, signal);
    } catch (error) {
      this.#kept.dropArchive(archive);
      throw error;
    }
    this.#archives.set(archive, members.found);
    const files = [...members.found].map(([path, { size }]) => ({ path, size: BigInt(size) }));
    return files.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** Reads a layer's tar; without any bytes it is empty. Keeps the size of its files. */
  async receive(
    { archive, unpacked }: Pick<content.Receive, "archive" | "unpacked">,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const limits = { unpacked, holes: MUCH };
    const files = await this.ingest({ archive, limits }, orEmptyTar(body), signal);
    this.drop(archive);
    this.imagine(archive, "layer.tar", Number(files.reduce((sum, { size }) => sum + size, 0n)));
  }

  /** Adds an archive with one member, of which only the size is known. */
  imagine(archive: string, name: string, size: number): void {
    this.#archives.set(archive, new Map([[name, { size }]]));
  }

  read({ limit, ...member }: content.ReadMember): Uint8Array {
    const { size, bytes } = this.#find(member);
    if (size > limit) throw tooLarge("member", member.path, limit);
    if (bytes === undefined) throw imaginedOnly("member", member.path);
    return bytes;
  }

  size(member: content.Member): number {
    return this.#find(member).size;
  }

  drop(archive: string): void {
    this.#kept.dropArchive(archive);
    this.#archives.delete(archive);
  }

  #find({ archive, path }: content.Member): Member {
    const member = this.#archives.get(archive)?.get(cleanName(path));
    if (member === undefined) throw noSuch("member", path);
    return member;
  }
}

async function* orEmptyTar(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const piece of body) {
    isEmpty &&= piece.length === 0;
    yield piece;
  }
  if (isEmpty) yield endOfArchive();
}

async function readTar(into: TarSink, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  const reader = new TarReader(into);
  for await (const chunk of decompressed(fromClient(body, signal))) await reader.push(chunk);
  reader.end();
}

/**
 * The members whose bytes are kept, and their archives. The core sets a limit for a member's size only when it reads
 * the member. But it never reads layers, which are usually the largest members. So the largest make room for smaller
 * ones; among those of about the same size, the newest.
 */
class KeptMembers {
  readonly #members = new Map<Member, string>();
  /** By the number of binary digits of their size, to find a large one without a search through all of them. */
  readonly #bySize: Member[][] = Array.from({ length: 33 }, () => []);
  readonly #mostBytes: number;
  readonly #mostMembers: number;
  #size = 0;

  constructor(mostBytes: number, mostMembers: number) {
    this.#mostBytes = mostBytes;
    this.#mostMembers = mostMembers;
  }

  add(member: Member, archive: string): void {
    if (member.size > this.#mostBytes) return;
    this.#members.set(member, archive);
    this.#bySize[digitsOf(member)]!.push(member);
    this.#size += member.size;
    while (this.#size > this.#mostBytes || this.#members.size > this.#mostMembers) this.#dropLarge();
  }

  has(member: Member): boolean {
    return this.#members.has(member);
  }

  dropArchive(archive: string): void {
    for (const [member, its] of this.#members) if (its === archive) this.#drop(member);
    for (const [at, members] of this.#bySize.entries()) this.#bySize[at] = members.filter((member) => this.has(member));
  }

  #dropLarge(): void {
    this.#drop(this.#bySize.findLast(({ length }) => length > 0)!.pop()!);
  }

  #drop(member: Member): void {
    this.#members.delete(member);
    this.#size -= member.size;
    delete member.bytes;
  }
}

/** Number of binary digits of its size. */
function digitsOf({ size }: Member): number {
  return 32 - Math.clz32(size);
}

class Members implements TarSink {
  readonly limits: TarLimits;
  readonly found = new Map<string, Member>();
  readonly #kept: KeptMembers;
  readonly #archive: string;
  /** The current file, and the bytes read from it so far. */
  #member: Member = { size: 0 };
  #pieces: Uint8Array[] = [];
  #name = "";

  constructor(kept: KeptMembers, archive: string, limits: TarLimits) {
    this.limits = limits;
    this.#kept = kept;
    this.#archive = archive;
  }

  entry({ type, name, target, size }: TarEntry): void {
    this.#name = textOf(cleanName(name));
    if (type === "file") this.#begin(size);
    // In archives of images, the target of a link comes before the link.
    const behind = type === "symlink" ? this.#beside(textOf(target)) : type === "link" ? textOf(target) : "";
    const member = this.found.get(cleanName(behind));
    if (member !== undefined) this.found.set(this.#name, member);
  }

  data(piece: Uint8Array): void {
    if (this.#kept.has(this.#member)) this.#pieces.push(new Uint8Array(piece));
  }

  hole(size: number): void {
    if (this.#kept.has(this.#member)) this.#pieces.push(new Uint8Array(size));
  }

  end(): void {
    if (this.#kept.has(this.#member)) this.#member.bytes = joined(this.#pieces);
    this.#pieces = [];
  }

  #begin(size: number): void {
    this.#member = { size };
    this.#pieces = [];
    this.found.set(this.#name, this.#member);
    this.#kept.add(this.#member, this.#archive);
  }

  #beside(target: string): string {
    const directory = this.#name.slice(0, this.#name.lastIndexOf("/") + 1);
    return target.startsWith("/") ? target : directory + target;
  }
}
