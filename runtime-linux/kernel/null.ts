// Devices like /dev/null for programs that may change whatever they are given: the owner, the mode and the times of the
// machine's own are everybody's.

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

/** S_IFCHR, and whoever has it may open it again by the name of their descriptor (/dev/stdin). */
const MODE = 0o666;
const CHARACTER = 0o020000;
/** As the kernel numbers them (Documentation/admin-guide/devices.txt). */
const NULL = { major: 1, minor: 3 };

/** A file system of this process alone, mounted nowhere: others may allow no devices. It goes with the last file on it. */
let home = -1;

/** A new one, of which there is no name any more. */
export function openNull(): number {
  if (home < 0) home = unmountedTmpfs();
  const path = `/proc/self/fd/${home}/null`;
  call("mknod", path, text(path), CHARACTER | MODE, deviceNumber(NULL));
  try {
    const fd = openSync(path, "r+");
    fchmodSync(fd, MODE); // umask
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
