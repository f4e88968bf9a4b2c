// Kernel calls that Node has no function for, behind one interface. `kernel/libc.ts` makes the calls.
// `kernel/recorder.ts` only records them, so that tests can check "which mounts, in which order" without root.

/** A path as text, or as bytes if a file name is not UTF-8. */
export type Path = string | Uint8Array;

/**
 * All calls are synchronous and run on the calling thread, unless noted. They throw an `ErrnoException` like Node's
 * own: `code` is the errno's name, `syscall` the call, `path` its subject.
 */
export interface Kernel {
  mount(source: string, target: string, type: string, flags: number, data: string): void;
  umount(target: string, flags: number): void;
  /**
   * The same off the calling thread, in the mount namespace that the process was started in. A mount of overlayfs tests
   * what its layers can do, and an unmount waits for all concurrent lookups (RCU).
   */
  mountAside(source: string, target: string, type: string, flags: number, data: string): Promise<void>;
  umountAside(target: string, flags: number): Promise<void>;
  /** The same on a thread of its own, also if it fails: it may wait for minutes for a server. */
  mountSlowly(source: string, target: string, type: string, flags: number, data: string): Promise<void>;
  /** `mode` includes the type's bits (`S_IFCHR` …); umask applies. */
  mknod(path: Path, mode: number, device: Device): void;
  lsetxattr(path: Path, name: string, value: Uint8Array): void;
  /** Undefined: the file does not have the attribute, or its file system supports none. */
  lgetxattr(path: Path, name: string): Uint8Array | undefined;
  /** The same for an open file, without another lookup of its path. */
  fgetxattr(fd: number, name: string): Uint8Array | undefined;
  llistxattr(path: Path): string[];
  /** The next range of an open file, from an offset on, that is not a hole; undefined if there is none. */
  dataFrom(fd: number, at: number): { at: number; end: number } | undefined;
  /** Sets both times of a file, in nanoseconds since 1970. A symbolic link is not followed. */
  lutimens(path: Path, accessed: bigint, modified: bigint): void;
  /**
   * Opens a path as if `directory` were the root (openat2(2), RESOLVE_IN_ROOT). No link and no `..` leads out of it,
   * even if the tree changes meanwhile. Links in /proc to open files are refused (ELOOP). Closed on exec. EAGAIN if the
   * kernel could not be sure, because something was moved at that moment.
   */
  openInRoot(directory: number, path: Path, flags: number): number;
  /** Gives a name to an open file that has none (linkat(2)). */
  linkOpen(fd: number, path: Path): void;
  /**
   * Gives two names of one file system to each other's files at once (renameat2(2), RENAME_EXCHANGE). EINVAL or ENOSYS: the
   * file system, the kernel or the C library does not know that.
   */
  exchange(one: Path, other: Path): void;
  /**
   * Says that the directories in this one belong to different trees: ext4 then gives each of them a region of its own
   * (FS_IOC_SETFLAGS, FS_TOPDIR_FL). Fails on file systems that know no flags.
   */
  spreadBelow(directory: number): void;
  /** Flushes the whole file system of `fd` to its disk. Waits off the calling thread. */
  syncfs(fd: number): Promise<void>;
  /** `CLONE_…` flags. Affects only the calling thread. */
  unshare(flags: number): void;
  /** `kind` is the `CLONE_…` flag for the type of namespace that `fd` must be; 0 for any. */
  setns(fd: number, kind: number): void;
  /**
   * Makes a network namespace and mounts it on `file`, which keeps it alive. Another thread does this, because it may
   * have to wait long for the kernel's one lock of all networks.
   */
  makeNetwork(file: string): Promise<void>;
  /** For the calling thread. It differs from `process.chdir` once the thread has a mount namespace of its own. */
  chdir(path: string): void;
  /** Unlike `process.kill`, it takes signal numbers that Node has no name for. */
  kill(pid: number, signal: number): void;
  /** The session that a process is in, by its leader's process id; undefined if there is no such process. */
  sessionOf(pid: number): number | undefined;
  /**
   * Starts a program as our child and returns its process id. All its signals have their default actions. It starts to
   * run before this returns, which blocks the calling thread only for a moment, and it gets that thread's namespaces.
   * Only a call of `reap` learns of its end.
   */
  spawn(birth: Birth): number;
  /** How a child from `spawn` has ended; undefined while it runs. After this, its process id is free again. */
  reap(pid: number): ChildEnd | undefined;
  /** Programs that the calling thread starts from now on get the usual priority, if its own is higher (sched(7)). */
  resetOnFork(): void;
  /** A device like /dev/null that nobody else has, open for reading and writing; closed on exec. */
  openNull(): number;
  /** A file in memory that nobody can change any more, neither these bytes nor its mode; closed on exec. */
  openSealed(name: string, bytes: Uint8Array): number;
  /** A pipe. Both ends are closed on exec. */
  pipe(): { read: number; write: number };
  /** Whether a socket's other end is closed completely, not only for writing (poll(2), POLLHUP). */
  hungUp(fd: number): boolean;
  /**
   * The process that connected at the other end of a unix socket (SO_PEERCRED, unix(7)). Throws if that is not known.
   */
  peerOf(fd: number): Peer;
  /** For a socket; `how`: `SHUT_…`. */
  shutdown(fd: number, how: number): void;
  /** A socket of `AF_UNIX`, `SOCK_SEQPACKET`, connected to the listener at `path`; non-blocking, closed on exec. */
  connectSeqpacket(path: string): number;
  /**
   * Receives a descriptor that a socket's other end has sent (SCM_RIGHTS, unix(7)); closed on exec. -1: none arrived.
   */
  receiveDescriptor(fd: number): number;
  /**
   * Another descriptor of what a process has open under this number (pidfd_getfd(2)); closed on exec. Throws if the
   * process is gone, or is not ours to look into, and on kernels before 5.6.
   */
  descriptorOf(pid: number, fd: number): number;
  /** For a terminal: TIOCSWINSZ, ioctl_tty(2). */
  setWindowSize(fd: number, rows: number, columns: number): void;
  /** For a terminal: it passes bytes unchanged both ways, and echoes nothing (cfmakeraw(3)). */
  makeRaw(fd: number): void;
  /** Lets the other end of a pseudo-terminal be opened, and returns its number (pts(4)). */
  unlockTerminal(fd: number): number;
  /** Opens the other end of a pseudo-terminal, wherever its file system is mounted: TIOCGPTPEER, ioctl_tty(2). */
  openPeer(fd: number): number;
  /** Makes reads and writes of this open file non-blocking: FIONBIO. */
  setNonBlocking(fd: number): void;
  /** Another descriptor of the same open file; closed on exec. */
  duplicate(fd: number): number;
  /** How many bytes can be read at once from a terminal or a pipe's reading end: FIONREAD. */
  readable(fd: number): number;
  /** Whether the directory's entries have types (d_type), as overlayfs needs. */
  hasEntryTypes(directory: string): boolean;
  /**
   * A netlink socket (`NETLINK_…`) of the calling thread's network namespace, to which it stays bound; closed on exec.
   */
  openNetlink(protocol: number): number;
  /**
   * Sends netlink requests and resolves with the answers, one datagram each. Waits off the calling thread: the kernel
   * does all the work within the call, and may wait long for its locks.
   */
  netlink(fd: number, requests: Uint8Array): Promise<Uint8Array[]>;
  /** Index of a network interface in the calling thread's namespace; 0 if there is none of that name. */
  interfaceIndex(name: string): number;
  /**
   * A socket bound to an address and port, so that nobody else can listen there; closed on exec. `address`: 4 bytes for
   * IPv4, 16 for IPv6, which then does not take the port of IPv4 too.
   */
  bindPort(protocol: "tcp" | "udp", address: Uint8Array, port: number): number;
}

/** A process, and the user and group that it runs as. */
export interface Peer {
  pid: number;
  uid: number;
  gid: number;
}

/** How a child starts. */
export interface Birth {
  /** A path, or a name to look up in PATH. */
  program: string;
  /** Without the program's own name. */
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Its working directory; undefined: ours. */
  directory: string | undefined;
  /** True: it starts in a session of its own; false: in ours. */
  ownSession: boolean;
  /** Our open files that become its 0, 1, 2 and so on. Each of them is above 2, or keeps its own number. */
  files: readonly number[];
}

/** wait(2). */
export interface ChildEnd {
  /** Null if a signal has killed it. */
  code: number | null;
}

/** A device number. */
export interface Device {
  major: number;
  minor: number;
}

// mount(2)
export const MS_RDONLY = 1;
export const MS_NOSUID = 2;
export const MS_NODEV = 4;
export const MS_NOEXEC = 8;
export const MS_REMOUNT = 32;
export const MS_BIND = 4096;
export const MS_REC = 16384;
export const MS_UNBINDABLE = 1 << 17;
export const MS_SLAVE = 1 << 19;
export const MS_SHARED = 1 << 20;

// open(2)
export const O_PATH = 0o10000000;
/** Must be combined with O_DIRECTORY, which this includes. */
export const O_TMPFILE = 0o20200000;

// umount2(2)
export const MNT_DETACH = 2;

// unshare(2), setns(2)
export const CLONE_FS = 0x200;
export const CLONE_NEWNS = 0x20000;
export const CLONE_NEWNET = 0x40000000;

// mknod(2)
export const S_IFIFO = 0o010000;
export const S_IFCHR = 0o020000;
export const S_IFBLK = 0o060000;

// shutdown(2)
export const SHUT_RD = 0;
