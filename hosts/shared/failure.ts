// A host's failures as data. The core writes the sentences (core/assembly/failure).

import type { failures, networks } from "./host.js";

/** An error that a host may expect, in the cases of `core/wit/failures.wit`. Its message is only for developers. */
export class HostFailure extends Error {
  /** The data for the core. */
  readonly failure: failures.Failure;

  constructor(failure: failures.Failure) {
    super(failureText(failure));
    this.name = "HostFailure";
    this.failure = failure;
  }
}

/**
 * What went wrong first, if it went wrong several times. For a name with several addresses, Node throws an error that
 * tells neither the call nor its subject, and has those of all tries in `errors`.
 */
export function firstOf<T>(thrown: T): T {
  return thrown instanceof AggregateError && thrown.errors.length > 0 ? firstOf(thrown.errors[0] as T) : thrown;
}

/** The failure for anything that was thrown. */
export function failureOf(thrown: unknown): failures.Failure {
  const first = firstOf(thrown);
  if (first instanceof HostFailure) return first.failure;
  const { code = "", syscall = "", message } = (first ?? {}) as Partial<NodeJS.ErrnoException>;
  if (ERRNO.test(code))
    return { tag: "call", val: { call: syscall, path: placeOf(first as Place), inside: false, error: code } };
  return { tag: "internal", val: message ?? String(first) };
}

/** The subject of a call: a path, an address and port, or a name that was looked up. */
function placeOf({ path, address, port, hostname }: Place): string {
  if (address !== undefined) return port === undefined ? address : `${address}:${port}`;
  return path ?? hostname ?? "";
}

type Place = { path?: string; address?: string; port?: number; hostname?: string };

/**
 * A call on a container's file that the kernel refused. Names the file as the container does. An error without an errno
 * stays as it is.
 */
export function refusedCall(error: unknown, call: string, path: string): unknown {
  const { code = "" } = error as Partial<NodeJS.ErrnoException>;
  if (error instanceof HostFailure || !ERRNO.test(code)) return error;
  return new HostFailure({ tag: "call", val: { call, path, inside: true, error: code } });
}

/** For developers and for logs of hosts: `no-such: volume data`. */
export function failureText({ tag, val }: failures.Failure): string {
  if (tag === "internal" || tag === "body-broke") return val;
  // The options of a mount may have a password.
  const shown = tag === "mount" ? { ...val, data: "" } : val;
  return `${tag}: ${leaves(shown).join(" ")}`;
}

/** All values in it, however deep, except flags and zeros. */
function leaves(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leaves);
  return value === "" || value === 0 || typeof value === "boolean" ? [] : [String(value)];
}

/** Something is missing: a thing by its name, or a path. */
export function noSuch(what: failures.Noun, name = ""): HostFailure {
  return new HostFailure({ tag: "no-such", val: { what, name } });
}

/** Something else is in its place. */
export function wrongKind(what: failures.Noun, name: string): HostFailure {
  return new HostFailure({ tag: "wrong-kind", val: { what, name } });
}

/** A port of the machine that is not available. `error`: name of the errno(3). */
export function refusedPort({ protocol, hostAddress, hostPort }: networks.PortMapping, error: string): HostFailure {
  return new HostFailure({ tag: "port", val: { protocol, address: hostAddress, port: hostPort, error } });
}

/** Unreadable bytes. */
export function damaged(what: failures.Damage, said = ""): HostFailure {
  return new HostFailure({ tag: "damaged", val: { what, said } });
}

/** Bytes with a wrong digest or size. */
export function mismatch(what: failures.Digested, wanted: string, found = ""): HostFailure {
  return new HostFailure({ tag: "mismatch", val: { what, wanted, found } });
}

/** It is larger than allowed. */
export function tooLarge(what: failures.Noun, name: string, limit: number): HostFailure {
  return new HostFailure({ tag: "too-large", val: { what, name, limit: BigInt(limit) } });
}

/** An invalid name in a tar, an archive or a layer. `other`: a second name that it is about. */
export function faultyName(what: failures.NameFault, name: string, other = ""): HostFailure {
  return new HostFailure({ tag: "faulty-name", val: { what, name, other } });
}

/** A path in a volume that cannot be mounted. `error`: name of the errno(3). */
export function placeInVolume(volume: string, path: string, error: string): HostFailure {
  return new HostFailure({ tag: "place-in-volume", val: { volume, path, error } });
}

/** A file system that cannot be mounted as the files of a volume. */
export function refusedMount(mount: failures.RefusedMount): HostFailure {
  return new HostFailure({ tag: "mount", val: mount });
}

/** A text of a command that is malformed. */
export function malformed(what: failures.Form, text: string): HostFailure {
  return new HostFailure({ tag: "malformed", val: { what, text } });
}

/** The id of a user or a group. */
export function idOutOfRange(largest: number): HostFailure {
  return new HostFailure({ tag: "id-range", val: largest });
}

/** A registry's answer, or a blob of it, ended before its last byte. */
export function cutShort(what: failures.Noun, name: string): HostFailure {
  return new HostFailure({ tag: "cut-short", val: { what, name } });
}

/** A program that cannot be run in a container's file system. `error`: name of the errno(3). */
export function refusedProgram(program: string, error: string): HostFailure {
  return new HostFailure({ tag: "program", val: { program, error } });
}

/** A working directory that a process cannot start in. */
export function refusedDirectory(path: string, error: string): HostFailure {
  return new HostFailure({ tag: "directory", val: { path, error } });
}

/** An OCI runtime did not start a process. `said`: the runtime's message. */
export function refusedByRuntime(said: string, { args = [], cwd = "/" }: ProcessSpec): HostFailure {
  return new HostFailure({ tag: "runtime", val: { said, program: args[0] ?? "", directory: cwd } });
}

/** From an OCI spec: the process to start. */
export interface ProcessSpec {
  args?: string[];
  cwd?: string;
}

/** A start that broke off. */
export function startBroke(how: failures.StartBreak, said = "", error = ""): HostFailure {
  return new HostFailure({ tag: "start-broke", val: { how, said, error } });
}

/** Processes that do not react. */
export function unmoved(what: failures.Compulsion, pids: Iterable<number>): HostFailure {
  return new HostFailure({ tag: "unmoved", val: { what, pids: Uint32Array.from(pids) } });
}

/** A program of the machine that failed. `exit`: null if a signal ended it. */
export function failedTool(name: string, exit: number | null, said: string): HostFailure {
  return new HostFailure({ tag: "tool", val: { name, said, ...(exit !== null && { exit }) } });
}

/** Something that did not answer within this many milliseconds. */
export function silent(what: failures.Noun, limit: number): HostFailure {
  return new HostFailure({ tag: "silent", val: { what, limit } });
}

/** Something that a dry run only imagines. */
export function imaginedOnly(what: failures.Noun, name = ""): HostFailure {
  return new HostFailure({ tag: "imagined", val: { what, name } });
}

export function interrupted(why: failures.Interruption): HostFailure {
  return new HostFailure({ tag: "interrupted", val: why });
}

/** Whether the error means that something is missing. */
export function isMissing(thrown: unknown): boolean {
  const failure = failureOf(thrown);
  if (failure.tag === "call") return failure.val.error === "ENOENT";
  return failure.tag === "no-such";
}

/** Whether a registry did not answer, or broke off: then it is worth keeping what has arrived. */
export function isUnreachable(thrown: unknown): boolean {
  if (!(thrown instanceof HostFailure)) return false;
  const { tag, val } = thrown.failure;
  return tag === "cut-short" || (tag === "exchange" && !val.answered);
}

/** Names of errno(3), but not codes of Node's own, such as `ERR_STREAM_DESTROYED`. */
const ERRNO = /^E[A-Z0-9]+$/;
