// The client's side of FileSync with all that a tar can say of a file: mode, owner, time, links. (The one of `support/` knows
// only names and bytes.)

import type { Server, ServerDuplexStream } from "@grpc/grpc-js";
import type { RawEntry } from "../../../support/archives/tar.js";
import { messagesOf, type Fields } from "../../../support/buildkit/protocol.js";

const DIFF_COPY = "/moby.filesync.v1.FileSync/DiffCopy";
const [STAT, REQUEST, DATA, FINISHED] = [0, 1, 2, 3];

/** As in Go's FileMode. */
const MODES: Readonly<Record<string, number>> = { "5": 2 ** 31, "2": 2 ** 27 };
const SPECIAL: readonly (readonly [bit: number, mode: number])[] = [
  [0o4000, 2 ** 23],
  [0o2000, 2 ** 22],
  [0o1000, 2 ** 20],
];
const NANOSECONDS = 1_000_000_000;

/** Adds the service, for directories by name, and returns the path of its call. */
export function serveFiles(server: Server, directories: Readonly<Record<string, readonly RawEntry[]>>): string[] {
  const packet = messagesOf("Packet");
  const definition = {
    path: DIFF_COPY,
    requestStream: true,
    responseStream: true,
    requestSerialize: packet.encode,
    requestDeserialize: packet.decode,
    responseSerialize: packet.encode,
    responseDeserialize: packet.decode,
  };
  const DiffCopy = (call: ServerDuplexStream<Fields, Fields>): void => send(call, directories);
  // Of a session without files.
  server.removeService({ DiffCopy: definition });
  server.addService({ DiffCopy: definition }, { DiffCopy });
  return [DIFF_COPY];
}

/**
 * Sends the files that a builder follows if these are plain names, as clients with buildx do; otherwise all, among which
 * builders choose. Those that a `.dockerignore` excludes stay.
 */
function send(
  call: ServerDuplexStream<Fields, Fields>,
  directories: Readonly<Record<string, readonly RawEntry[]>>,
): void {
  const [name = ""] = call.metadata.get("dir-name").map(String);
  const excludes = call.metadata.get("exclude-patterns").flatMap((value) => String(value).split(", "));
  const follows = call.metadata.get("followpaths").map(String);
  const entries = chosen(directories[name] ?? [], follows);
  const files = sorted(entries).filter((file) => !isExcluded(pathOf(file), excludes));
  for (const file of files) call.write({ type: STAT, stat: statOf(file) });
  call.write({ type: STAT });
  call.on("data", ({ type = STAT, ID = 0 }: { type?: number; ID?: number }) => {
    if (type === REQUEST) {
      const bytes = bytesOf(files[ID]!);
      if (bytes.length > 0) call.write({ type: DATA, ID, data: bytes });
      call.write({ type: DATA, ID });
    }
    if (type !== FINISHED) return;
    call.write({ type: FINISHED });
    call.end();
  });
}

/** What a Dockerfile or a `.dockerignore` is asked for by. Links and files in directories would need more than their name. */
function chosen(entries: readonly RawEntry[], follows: readonly string[]): readonly RawEntry[] {
  const named = entries.filter((entry) => follows.includes(pathOf(entry)));
  const arePlain = follows.every((path) => /^[\w.-]+$/.test(path)) && named.every(({ flag = "0" }) => flag === "0");
  return follows.length > 0 && arePlain ? named : entries;
}

/** What the patterns of these tests mean: `*` within a name, `**` and a slash for any directories, `!` for an exception. */
function isExcluded(path: string, patterns: readonly string[]): boolean {
  let excluded = false;
  for (const pattern of patterns) {
    const names = pattern
      .replace(/^!/, "")
      .replace(/^\*\*\//, "")
      .replaceAll(".", "\\.")
      .replaceAll("*", "[^/]*");
    const above = /^!?\*\*\//.test(pattern) ? "(?:.+/)?" : "";
    if (new RegExp(`^${above}${names}(?:/|$)`).test(path)) excluded = !pattern.startsWith("!");
  }
  return excluded;
}

function pathOf({ name }: RawEntry): string {
  return name.replace(/\/$/, "");
}

/** Directories before what is in them, as the protocol wants it. */
function sorted(entries: readonly RawEntry[]): RawEntry[] {
  const key = (entry: RawEntry): string => pathOf(entry).replaceAll("/", "\0");
  return [...entries].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

function bytesOf({ body = "" }: RawEntry): Buffer {
  return typeof body === "string" ? Buffer.from(body, "latin1") : Buffer.from(body);
}

function statOf(entry: RawEntry): Fields {
  const { flag = "0", mode = 0o644, uid = 0, gid = 0, mtime = 0, target = "" } = entry;
  const special = SPECIAL.reduce((sum, [bit, value]) => sum + ((mode & bit) > 0 ? value : 0), 0);
  const size = flag === "0" ? bytesOf(entry).length : 0;
  const permissions = flag === "2" ? 0o777 : mode & 0o777;
  return {
    ...{ path: pathOf(entry), mode: (MODES[flag] ?? 0) + special + permissions, uid, gid, size },
    ...{ modTime: mtime * NANOSECONDS, linkname: target },
  };
}
