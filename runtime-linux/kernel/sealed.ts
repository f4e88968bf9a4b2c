// Files in memory that nobody can change any more (memfd_create(2), fcntl(2): file seals).
//
// A seal keeps only the bytes. Whoever gets the file could still take the right to execute it away, or keep it open for
// writing, and then nobody can execute it (ETXTBSY). Both are refused for an immutable file (ioctl_iflags(2)).

import { closeSync, writeSync } from "node:fs";
import { attempt, call, errnoException } from "./calls.js";
import {
  EINVAL,
  F_ADD_SEALS,
  F_SEAL_GROW,
  F_SEAL_SEAL,
  F_SEAL_SHRINK,
  F_SEAL_WRITE,
  FS_IMMUTABLE_FL,
  FS_IOC_SETFLAGS,
  MFD_ALLOW_SEALING,
  MFD_CLOEXEC,
  MFD_EXEC,
} from "./numbers.js";
import { int, text } from "./structures.js";

/**
 * Opens a file with these bytes. It may be executed, unless the machine forbids that (`vm.memfd_noexec`). Throws if the
 * kernel knows no immutable files in memory, or does not let us make one.
 */
export function openSealed(name: string, bytes: Uint8Array): number {
  const fd = memoryFile(name);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    call("fcntl", name, fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    call("ioctl", name, fd, FS_IOC_SETFLAGS, int(FS_IMMUTABLE_FL));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return fd;
}

function memoryFile(name: string): number {
  const flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const made = attempt("memfd_create", text(name), flags | MFD_EXEC);
  // Kernels before 6.3 do not know the flag, and each such file may be executed.
  const fd = made === -EINVAL ? attempt("memfd_create", text(name), flags) : made;
  if (fd < 0) throw errnoException(-fd, "memfd_create", name);
  return fd;
}
