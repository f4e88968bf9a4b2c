// The OCI runtime as a sealed file in memory. crun must not run from a file that a container could write to by way of
// /proc/self/exe (CVE-2019-5736). So each time it starts it mounts its own file read-only, runs itself again from there,
// and waits for the kernel to forget the mount. Where it runs from a sealed file, none of that is needed. All containers
// get the same one, so none may do anything to it that keeps the next from starting (`kernel/sealed.ts`).

import { accessSync, constants, existsSync, readFileSync, readlinkSync, statSync } from "node:fs";
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
/** Name of the file in memory. It is shown as a process's executable (proc_pid_exe(5)). */
const NAME = "coracle-runtime";
/** crun would ask systemd for control groups, but makes them itself unless it is told otherwise. */
const UNUSED_LIBRARY = "libsystemd.so.0";
/** Programs get their domain by the label of their file. */
const SELINUX = "/sys/fs/selinux/enforce";
const ELF = Buffer.from("\x7fELF", "latin1");

/** What to start in place of the runtime's program: a sealed copy of the file as it is now, or the file itself. */
export function sealedProgram({ path, kind }: Pick<Runtime, "path" | "kind">, kernel: Kernel): string {
  if (kind !== "crun") return path;
  const mark = markOf(path);
  if (mark === undefined) return path;
  let found = kept.get(path);
  // After an upgrade, the file before stays open: a shell may be about to start it.
  if (found?.mark !== mark) kept.set(path, (found = { mark, file: seal(path, kernel) }));
  return found.file ?? path;
}

/** Whether a process runs such a copy. */
export function runsSealed(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === `/memfd:${NAME} (deleted)`;
  } catch {
    return false; // ended meanwhile
  }
}

/** Undefined: the machine does not allow it, or the program is a script, which starts others. */
function seal(path: string, kernel: Kernel): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (!bytes.subarray(0, ELF.length).equals(ELF) || existsSync(SELINUX)) return undefined;
    const lean = withoutLibrary(bytes, UNUSED_LIBRARY) ?? bytes;
    const file = `/proc/${process.pid}/fd/${kernel.openSealed(NAME, lean)}`;
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
