// open(2): opens files, devices and a process's own descriptors as a source or a sink of bytes.

import { FileError, type FileStatus } from "../files/file-system.js";
import { absolute } from "./executable.js";
import type { ContainerProcess } from "./process.js";
import { never, type Sink, type Source } from "./streams.js";

const PIECE_BYTES = 65_536;
const UNHELD = { tty: false, wake: never, retain() {}, release() {} };

/** Opens for reading. Throws `FileError`. */
export function openSource(process: ContainerProcess, path: string): Source {
  const at = absolute(path, process.cwd);
  if (descriptorOf(process, at) !== undefined) return process.stdin.source;
  const status = process.files.status(at);
  if (status.kind === "character") return deviceSource(process, status, path);
  process.files.read(at);
  return new FileSource(process, process.files.resolve(at));
}

/** Opens for writing: makes or empties the file, unless `append`. Throws `FileError`. */
export function openSink(process: ContainerProcess, path: string, append: boolean): Sink {
  const at = absolute(path, process.cwd);
  const own = descriptorOf(process, at);
  if (own !== undefined) return descriptor(process, at, own);
  const status = statusOf(process, at);
  if (status?.kind === "character") return deviceSink(process, status, path);
  if (append && status) process.files.append(at, NOTHING);
  else process.files.write(at, NOTHING, 0o666 & ~process.umask);
  const resolved = process.files.resolve(at);
  return { ...UNHELD, put: (bytes) => put(process, resolved, bytes) };
}

/** A file that is being read. Bytes appended meanwhile are read too. */
class FileSource implements Source {
  readonly tty = false;
  #at = 0;
  #unread: Uint8Array | null = null;

  constructor(
    readonly process: ContainerProcess,
    readonly path: string,
  ) {}

  take(): Uint8Array | null {
    const again = this.#unread;
    this.#unread = null;
    if (again) return again;
    if (!statusOf(this.process, this.path)) return null; // removed meanwhile
    const bytes = this.process.files.read(this.path);
    if (bytes.length < this.#at) this.#at = bytes.length;
    const piece = bytes.subarray(this.#at, this.#at + PIECE_BYTES);
    this.#at += piece.length;
    return piece.length > 0 ? piece : null;
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#unread = bytes;
  }

  wake = never;
  retain(): void {}
  release(): void {}
}

const NOTHING = new Uint8Array(0);
const ZEROES = new Uint8Array(PIECE_BYTES);

/** Devices by major and minor number (null(4), random(4), tty(4)). */
const NULL = "1:3";
const ZERO = "1:5";
const FULL = "1:7";
const RANDOM = ["1:8", "1:9"];
const TERMINALS = ["5:0", "136:0"];

function deviceSource(process: ContainerProcess, { major, minor }: FileStatus, path: string): Source {
  const device = `${major}:${minor}`;
  if (TERMINALS.includes(device) && process.terminal) return process.terminal.source;
  if (device === NULL) return { ...UNHELD, take: () => null, unread() {} };
  if (device === ZERO || device === FULL) return { ...UNHELD, take: () => ZEROES, unread() {} };
  if (RANDOM.includes(device)) return { ...UNHELD, take: () => randomBytes(process), unread() {} };
  throw new NoDevice(path);
}

function deviceSink(process: ContainerProcess, { major, minor }: FileStatus, path: string): Sink {
  const device = `${major}:${minor}`;
  if (TERMINALS.includes(device) && process.terminal) return process.terminal.sink;
  if (device === FULL) return { ...UNHELD, put: () => fail("ENOSPC", path) };
  if (TERMINALS.includes(device)) throw new NoDevice(path);
  return { ...UNHELD, put: (bytes) => bytes.length };
}

/** ENXIO: there is no terminal. */
class NoDevice extends Error {
  constructor(readonly path: string) {
    super("No such device or address");
  }
}

function randomBytes(process: ContainerProcess): Uint8Array {
  return Uint8Array.from({ length: 256 }, () => Math.floor(process.random() * 256));
}

function put(process: ContainerProcess, path: string, bytes: Uint8Array): number {
  // A write to a file that was removed meanwhile succeeds, but nobody sees the bytes.
  if (statusOf(process, path)) process.files.append(path, bytes);
  return bytes.length;
}

function statusOf(process: ContainerProcess, path: string): FileStatus | null {
  try {
    return process.files.status(path);
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Images link their log files to it, as in `/var/log/nginx/access.log -> /dev/stdout`. */
function descriptorOf(process: ContainerProcess, path: string): 0 | 1 | 2 | undefined {
  const direct = DESCRIPTORS[path];
  if (direct !== undefined) return direct;
  try {
    const status = process.files.linkStatus(path);
    return status.kind === "symlink" ? DESCRIPTORS[status.target] : undefined;
  } catch {
    return undefined;
  }
}

const DESCRIPTORS: Readonly<Record<string, 0 | 1 | 2>> = {
  "/dev/stdin": 0,
  "/dev/stdout": 1,
  "/dev/stderr": 2,
  "/dev/fd/0": 0,
  "/dev/fd/1": 1,
  "/dev/fd/2": 2,
  "/proc/self/fd/0": 0,
  "/proc/self/fd/1": 1,
  "/proc/self/fd/2": 2,
  "/proc/1/fd/1": 1,
  "/proc/1/fd/2": 2,
};

function descriptor(process: ContainerProcess, path: string, own: 0 | 1 | 2): Sink {
  const whose = path.startsWith("/proc/1/") ? (process.namespace.table.all.get(1) ?? process) : process;
  return own === 2 ? whose.stderr.sink : whose.stdout.sink;
}

function fail(code: "ENOSPC", path: string): never {
  throw new FileError(code, path);
}
