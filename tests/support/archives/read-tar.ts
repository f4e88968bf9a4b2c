// The content of a tar, as its readers see it.
import { Readable } from "node:stream";
import { extract, type Header } from "tar-stream";

export interface TarMember {
  name: string;
  type: string;
  /** Without the type bits that old writers include. */
  mode: number;
  uid: number;
  gid: number;
  target: string;
  text: string;
  /** Seconds since 1970. */
  mtime: number;
}

export async function readTar(bytes: Uint8Array): Promise<TarMember[]> {
  const members: TarMember[] = [];
  for await (const entry of Readable.from([bytes]).pipe(extract())) {
    const pieces: Uint8Array[] = [];
    for await (const piece of entry) pieces.push(piece as Uint8Array);
    members.push(memberOf(entry.header, Buffer.concat(pieces).toString("latin1")));
  }
  return members;
}

function memberOf({ name, type, mode, uid, gid, linkname, mtime, pax }: Header, text: string): TarMember {
  // Numbers that are too large for the header are only in the pax records.
  const owner = pax as { uid?: string; gid?: string } | null;
  const seconds = Math.floor((mtime?.getTime() ?? 0) / 1000);
  return {
    name,
    type: type ?? "",
    mode: (mode ?? 0) & 0o7777,
    uid: Number(owner?.uid ?? uid ?? 0),
    gid: Number(owner?.gid ?? gid ?? 0),
    target: linkname ?? "",
    text,
    mtime: seconds,
  };
}
