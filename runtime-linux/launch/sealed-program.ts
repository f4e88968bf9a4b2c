// The OCI runtime and its supervisor as sealed files in memory. crun must not run from a file that a container could write
// to by way of /proc/self/exe (CVE-2019-5736). So each time it starts it mounts its own file read-only, runs itself again
// from there, and waits for the kernel to forget the mount. Where it runs from a sealed file, none of that is needed. All
// containers get the same one, so none may do anything to it that keeps the next from starting (`kernel/sealed.ts`). What
// is in memory may also differ from the file on disk: it loads fewer libraries.

import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import type { Kernel } from "../kernel.js";
import type { Runtime } from "./runtimes.js";
import { withoutLibrary } from "./without-library.js";

interface Sealed {
  /** What the file on disk was when it was read. */
  mark: string;
  /** Name of the sealed file while this process lives. Undefined: the program has to run from the disk. */
  file: string | undefined;
}

const kept = new Map<string, Sealed>();
/** Names of the files in memory. They are shown as a process's executable (proc_pid_exe(5)). */
const NAMES = { runtime: "coracle-runtime", supervisor: "coracle-supervisor" };
export type Sealable = keyof typeof NAMES;
/** For control groups by way of systemd (crun) and logs in the journal (conmon), which nobody tells them to make. */
const UNUSED_LIBRARY = "libsystemd.so.0";
/** Programs get their domain by the label of their file. */
const SELINUX = "/sys/fs/selinux/enforce";
const ELF = Buffer.from("\x7fELF", "latin1");

/** What to start in place of the runtime's program: a sealed copy of the file as it is now, or the file itself. */
export function sealedProgram({ path, kind }: Pick<Runtime, "path" | "kind">, kernel: Kernel): string {
  return kind === "crun" ? sealed(path, "runtime", kernel) : path;
}

/**
 * What to start in place of conmon, in the same way. The sealed copy goes by `link`: a process is called after the last
 * part of the name it was started by (proc_pid_comm(5)), and that of the copy itself is a number.
 */
export function sealedSupervisor(path: string, link: string, kernel: Kernel): string {
  const file = sealed(path, "supervisor", kernel);
  if (file === path) return path;
  try {
    if (!existsSync(link) || readlinkSync(link) !== file) replaceLink(link, file);
    return link;
  } catch {
    return path; // no room for a link
  }
}

/** Whether a process runs such a copy. Anybody may give a file in memory that name, so its owner counts, too. */
export function runsSealed(pid: number, what: Sealable): boolean {
  try {
    const exe = `/proc/${pid}/exe`;
    return readlinkSync(exe) === `/memfd:${NAMES[what]} (deleted)` && statSync(exe).uid === process.geteuid!();
  } catch {
    return false; // ended meanwhile
  }
}

function sealed(path: string, what: Sealable, kernel: Kernel): string {
  const mark = markOf(path);
  if (mark === undefined) return path;
  let found = kept.get(path);
  // After an upgrade, the file before stays open: a shell may be about to start it.
  if (found?.mark !== mark) kept.set(path, (found = { mark, file: seal(path, what, kernel) }));
  return found.file ?? path;
}

function replaceLink(link: string, file: string): void {
  const fresh = `${link}.new`;
  rmSync(fresh, { force: true });
  symlinkSync(file, fresh);
  renameSync(fresh, link);
}

/** Undefined: the machine does not allow it, or the program is a script, which starts others. */
function seal(path: string, what: Sealable, kernel: Kernel): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (!bytes.subarray(0, ELF.length).equals(ELF) || existsSync(SELINUX)) return undefined;
    const lean = withoutLibrary(bytes, UNUSED_LIBRARY) ?? bytes;
    const file = `/proc/${process.pid}/fd/${kernel.openSealed(NAMES[what], lean)}`;
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}

/** Undefined: there is no such file. */
function markOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
