// The options of a mount in words, as in mount(8) and fstab(5).

/** Flags of mount(2). */
const MS = {
  RDONLY: 1,
  NOSUID: 2,
  NODEV: 4,
  NOEXEC: 8,
  SYNCHRONOUS: 16,
  REMOUNT: 32,
  MANDLOCK: 64,
  DIRSYNC: 128,
  NOATIME: 1024,
  NODIRATIME: 2048,
  BIND: 4096,
  REC: 16384,
  UNBINDABLE: 1 << 17,
  PRIVATE: 1 << 18,
  SLAVE: 1 << 19,
  SHARED: 1 << 20,
  RELATIME: 1 << 21,
  STRICTATIME: 1 << 24,
} as const;

export interface MountOptions {
  /** Flags of mount(2), without those that change how mounts propagate. */
  flags: number;
  /** Flags that change how mounts propagate; 0 for none. They need a call of their own. */
  propagation: number;
  /** Words for the file system. */
  data: string;
}

export function parseMountOptions(text: string): MountOptions {
  let flags = 0;
  const data: string[] = [];
  for (const word of text.split(",")) {
    const set = SETS.get(word);
    const clears = CLEARS.get(word);
    if (set !== undefined) flags |= set;
    else if (clears !== undefined) flags &= ~clears;
    else data.push(word);
  }
  const propagation = flags & PROPAGATION ? flags & (PROPAGATION | MS.REC) : 0;
  return { flags: flags & ~PROPAGATION, propagation, data: data.join(",") };
}

const SETS: ReadonlyMap<string, number> = new Map([
  ["ro", MS.RDONLY],
  ["nosuid", MS.NOSUID],
  ["nodev", MS.NODEV],
  ["noexec", MS.NOEXEC],
  ["sync", MS.SYNCHRONOUS],
  ["dirsync", MS.DIRSYNC],
  ["remount", MS.REMOUNT],
  ["mand", MS.MANDLOCK],
  ["noatime", MS.NOATIME],
  ["nodiratime", MS.NODIRATIME],
  ["relatime", MS.RELATIME],
  ["strictatime", MS.STRICTATIME],
  ["bind", MS.BIND],
  ["rbind", MS.BIND | MS.REC],
  ["unbindable", MS.UNBINDABLE],
  ["runbindable", MS.UNBINDABLE | MS.REC],
  ["private", MS.PRIVATE],
  ["rprivate", MS.PRIVATE | MS.REC],
  ["shared", MS.SHARED],
  ["rshared", MS.SHARED | MS.REC],
  ["slave", MS.SLAVE],
  ["rslave", MS.SLAVE | MS.REC],
]);

const CLEARS: ReadonlyMap<string, number> = new Map([
  ["rw", MS.RDONLY],
  ["suid", MS.NOSUID],
  ["dev", MS.NODEV],
  ["exec", MS.NOEXEC],
  ["async", MS.SYNCHRONOUS],
  ["nomand", MS.MANDLOCK],
  ["atime", MS.NOATIME],
  ["diratime", MS.NODIRATIME],
  ["norelatime", MS.RELATIME],
  ["nostrictatime", MS.STRICTATIME],
]);

const PROPAGATION = MS.SHARED | MS.PRIVATE | MS.SLAVE | MS.UNBINDABLE;
