// Devices like /dev/null for programs that may change the files they get. Everybody shares the machine's own: its
// owner, mode and times must not change.

import { closeSync, fchmodSync, openSync, unlinkSync } from "node:fs";
import { deviceNumber, text } from "./structures.js";
import { call } from "./calls.js";
import {
  FSCONFIG_CMD_CREATE,
  FSMOUNT_CLOEXEC,
  FSOPEN_CLOEXEC,
  SYS_FSCONFIG,
  SYS_FSMOUNT,
  SYS_FSOPEN,
} from "./numbers.js";

/** A process may also open it again by the name of its descriptor (/dev/stdin). So everybody may read and write it. */
const MODE = 0o666;
const CHARACTER = 0o020000;
/** The kernel's device number (Documentation/admin-guide/devices.txt). */
const NULL = { major: 1, minor: 3 };

/**
 * A file system that only this process has and that is mounted nowhere, since other file systems may not allow devices.
 * It disappears with its last open file.
 */
let home = -1;

/** Opens a new device, whose name is removed at once. */
export function openNull(): number {
  if (home < 0) home = unmountedTmpfs();
  const path = `/proc/self/fd/${home}/null`;
  call("mknod", path, text(path), CHARACTER | MODE, deviceNumber(NULL));
  try {
    const fd = openSync(path, "r+");
    fchmodSync(fd, MODE); // despite umask
    return fd;
  } finally {
    unlinkSync(path);
  }
}

/** fsopen(2), fsconfig(2), fsmount(2). */
function unmountedTmpfs(): number {
  const made = call("fsopen", "tmpfs", SYS_FSOPEN, text("tmpfs"), FSOPEN_CLOEXEC);
  try {
    call("fsconfig", "tmpfs", SYS_FSCONFIG, made, FSCONFIG_CMD_CREATE, 0, 0, 0);
    return call("fsmount", "tmpfs", SYS_FSMOUNT, made, FSMOUNT_CLOEXEC, 0);
  } finally {
    closeSync(made);
  }
}
