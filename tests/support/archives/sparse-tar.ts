// Sparse files in tars, in each of GNU tar's four formats.

import type { PaxRecords, RawEntry } from "./tar.js";

/** A sparse map: offset and size of each part, the size of the whole file, and the parts' bytes in the tar. */
export interface Sparse {
  name: string;
  parts: readonly (readonly [number, number])[];
  size: number;
  body: string;
}

export const FORMS: Readonly<Record<string, (sparse: Sparse) => RawEntry>> = {
  S: gnuEntry,
  "0.0": (sparse) => {
    const parts = sparse.parts.flatMap(([at, size]): [string, string][] => [
      ["GNU.sparse.offset", String(at)],
      ["GNU.sparse.numbytes", String(size)],
    ]);
    return { name: sparse.name, body: sparse.body, pax: [...counted(sparse), ...parts] };
  },
  "0.1": (sparse) => {
    const pax: PaxRecords = [...counted(sparse), ["GNU.sparse.name", sparse.name], ["GNU.sparse.map", listOf(sparse)]];
    return { name: `GNUSparseFile.1/${sparse.name}`, body: sparse.body, pax };
  },
  "1.0": (sparse) => bodyMapEntry(sparse, `${sparse.parts.length}\n${sparse.parts.flat().join("\n")}\n`),
};

/** Format 1.0 with a map of any bytes. */
export function bodyMapEntry({ name, size, body }: Sparse, map: string): RawEntry {
  const pax = { ...VERSION, "GNU.sparse.name": name, "GNU.sparse.realsize": String(size) };
  return { name: `GNUSparseFile.1/${name}`, body: `${padded(map)}${body}`, pax };
}

const VERSION = { "GNU.sparse.major": "1", "GNU.sparse.minor": "0" };

function counted({ parts, size }: Sparse): [string, string][] {
  return [
    ["GNU.sparse.size", String(size)],
    ["GNU.sparse.numblocks", String(parts.length)],
  ];
}

function listOf({ parts }: Sparse): string {
  return parts.flat().join(",");
}

/** Four parts are in the header, 21 in each following block. */
function gnuEntry({ name, parts, size, body }: Sparse): RawEntry {
  const blocks: string[] = [];
  for (let at = 4; at < parts.length; at += 21) {
    const more = at + 21 < parts.length ? "\x01" : "\0";
    blocks.push(`${entries(parts.slice(at, at + 21)).padEnd(504, "\0")}${more}`.padEnd(512, "\0"));
  }
  const fields = { 386: entries(parts.slice(0, 4)), 482: parts.length > 4 ? "\x01" : "\0", 483: octal(size) };
  return { name, flag: "S", magic: "ustar  \0", size: body.length, body: `${blocks.join("")}${body}`, fields };
}

function entries(parts: Sparse["parts"]): string {
  return parts.flat().map(octal).join("");
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, "0")}\0`;
}

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 512) * 512, "\0");
}
