// The client's side of FileSync: lists the files of a directory, and sends the bytes of those that are asked for.
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type { Fields } from "./protocol.js";

export interface SentFile {
  path: string;
  /** Of a file; a directory has none. */
  bytes?: string;
  /** As in Go's FileMode; by default 0644, and 0755 for a directory. */
  mode?: number;
  /** Where a symbolic link leads, or the file that a hard link is. */
  target?: string;
}

const DIRECTORY = 2 ** 31;
const [STAT, REQUEST, DATA, FINISHED] = [0, 1, 2, 3];

export function sendFiles(
  call: ServerDuplexStream<Fields, Fields>,
  directories: Readonly<Record<string, readonly SentFile[]>>,
): void {
  const [name = ""] = call.metadata.get("dir-name").map(String);
  const follows = valuesOf(call, "followpaths");
  const excludes = valuesOf(call, "exclude-patterns");
  const wanted = (path: string): boolean =>
    (follows.length === 0 || follows.includes(path)) && !excludes.includes(path);
  const files = (directories[name] ?? []).filter(({ path }) => wanted(path));
  for (const file of files) call.write({ type: STAT, stat: statOf(file) });
  call.write({ type: STAT });
  call.on("data", ({ type = STAT, ID = 0 }: { type?: number; ID?: number }) => {
    if (type === REQUEST) {
      const { bytes = "" } = files[ID]!;
      for (let at = 0; at < bytes.length; at += PIECE) {
        call.write({ type: DATA, ID, data: Buffer.from(bytes.slice(at, at + PIECE)) });
      }
      call.write({ type: DATA, ID });
    }
    if (type === FINISHED) {
      call.write({ type: FINISHED });
      call.end();
    }
  });
}

/** Node joins the values of a header that comes several times. */
function valuesOf(call: ServerDuplexStream<Fields, Fields>, header: string): string[] {
  return call.metadata.get(header).flatMap((value) => String(value).split(", "));
}

const PIECE = 32 * 1024;

function statOf({ path, bytes, mode, target = "" }: SentFile): Fields {
  const isDirectory = bytes === undefined && target === "";
  return { path, mode: mode ?? (isDirectory ? DIRECTORY + 0o755 : 0o644), size: bytes?.length ?? 0, linkname: target };
}
