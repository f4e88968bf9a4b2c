// posix_spawn(3): starts a program without copying the engine's page tables. fork(2) copies them, and the whole engine
// stands still meanwhile. Unlike the calls in `libc.ts`, its arguments are built by further calls.

import type * as Koffi from "koffi";
import type { Birth } from "../kernel.js";

type Call = (...args: unknown[]) => number;

/** Enough for the structures of every libc: glibc's take 336 bytes, musl's 80. */
const STRUCTURE_BYTES = 512;
const SIGSET_BYTES = 128;
const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const SETSID = 0x80;

const PROTOTYPES = {
  spawn:
    "int posix_spawnp(_Out_ int *pid, const char *program, const uint8_t *actions, const uint8_t *attributes, const char **arguments, const char **environment)",
  attributes: "int posix_spawnattr_init(_Inout_ uint8_t *attributes)",
  flags: "int posix_spawnattr_setflags(_Inout_ uint8_t *attributes, short flags)",
  defaults: "int posix_spawnattr_setsigdefault(_Inout_ uint8_t *attributes, const uint8_t *signals)",
  mask: "int posix_spawnattr_setsigmask(_Inout_ uint8_t *attributes, const uint8_t *signals)",
  actions: "int posix_spawn_file_actions_init(_Inout_ uint8_t *actions)",
  copy: "int posix_spawn_file_actions_adddup2(_Inout_ uint8_t *actions, int from, int to)",
  directory: "int posix_spawn_file_actions_addchdir_np(_Inout_ uint8_t *actions, const char *path)",
  destroy: "int posix_spawn_file_actions_destroy(_Inout_ uint8_t *actions)",
};

/** To be called once. The result returns the child's process id, or a negative errno. */
export function spawner(library: Koffi.LibraryHandle): (birth: Birth) => number {
  const calls = new Map<string, Call>();
  const call = (name: keyof typeof PROTOTYPES, ...args: unknown[]): number => {
    const found = calls.get(name) ?? (library.func(PROTOTYPES[name]) as Call);
    calls.set(name, found);
    return found(...args);
  };
  const attributesOf = (flags: number): Buffer => {
    const attributes = Buffer.alloc(STRUCTURE_BYTES);
    call("attributes", attributes);
    // None of the child's signals is ignored or blocked.
    call("flags", attributes, SETSIGDEF | SETSIGMASK | flags);
    call("defaults", attributes, Buffer.alloc(SIGSET_BYTES, 0xff));
    call("mask", attributes, Buffer.alloc(SIGSET_BYTES));
    return attributes;
  };
  // With a session of its own, it does not get signals to the engine's process group.
  const [apart, within] = [attributesOf(SETSID), attributesOf(0)];
  return ({ program, args, environment, directory, ownSession, files }) => {
    const attributes = ownSession ? apart : within;
    const actions = Buffer.alloc(STRUCTURE_BYTES);
    call("actions", actions);
    try {
      // In this order: since all files are above the first three, none is overwritten before it is copied.
      files.forEach((file, at) => call("copy", actions, file, at));
      if (directory !== undefined) call("directory", actions, directory);
      const pid = [0];
      const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
      const errno = call("spawn", pid, program, actions, attributes, [program, ...args, null], [...variables, null]);
      return errno === 0 ? pid[0]! : -errno;
    } finally {
      call("destroy", actions);
    }
  };
}
