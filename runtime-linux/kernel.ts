// The calls of the kernel that Node has no function for, behind one interface: `kernel/libc.ts` makes them,
// `kernel/recorder.ts` writes them down, so that "which mounts, in which order" is tested without root.

/** A path as text, or as bytes where a file's name is not UTF-8. */
export type Path = string | Uint8Array;

/**
 * All calls are synchronous and made on the calling thread. They throw an `ErrnoException` as Node's own do: `code` is
 * the errno's name, `syscall` the call, `path` what it was about.
 */
export interface Kernel {
  mount(source: string, target: string, type: string, flags: number, data: string): void;
  umount(target: string, flags: number): void;
  /**
   * The same off the calling thread, in the mount namespace that the process was started in: overlayfs tries out what its
   * layers can do, and who unmounts waits for all who may be looking (RCU).
   */
  mountAside(source: string, target: string, type: string, flags: number, data: string): Promise<void>;
  umountAside(target: string, flags: number): Promise<void>;
  /** `mode` with the type's bits (`S_IFCHR` …); umask applies. */
  mknod(path: Path, mode: number, device: Device): void;
  lsetxattr(path: Path, name: string, value: Uint8Array): void;
  /** Undefined: it does not have it, or no file there can have any. */
  lgetxattr(path: Path, name: string): Uint8Array | undefined;
  /** The same of an open file: nobody looks for its path again. */
  fgetxattr(fd: number, name: string): Uint8Array | undefined;
  llistxattr(path: Path): string[];
  /** The next part of an open file, from a place on, that is no hole; undefined: there is none. */
  dataFrom(fd: number, at: number): { at: number; end: number } | undefined;
  /** Sets both times of a file, in nanoseconds since 1970; of a symbolic link itself. */
  lutimens(path: Path, accessed: bigint, modified: bigint): void;
  /**
   * Opens a path as if `directory` were the root (openat2(2), RESOLVE_IN_ROOT): no link and no `..` leads out of it,
   * whoever changes the tree meanwhile. Links of /proc to open files are refused (ELOOP). Closed on exec. EAGAIN when
   * the kernel could not be sure: something was moved just then.
   */
  openInRoot(directory: number, path: Path, flags: number): number;
  /** Gives an open file that has no name one (linkat(2)). */
  linkOpen(fd: number, path: Path): void;
  /** Writes all of the file system that `fd` is on to its disk. Waits off the calling thread. */
  syncfs(fd: number): Promise<void>;
  /** `CLONE_…` flags. Of the calling thread alone. */
  unshare(flags: number): void;
  /** `kind` is the `CLONE_…` flag of the namespace that `fd` must be of; 0 for any. */
  setns(fd: number, kind: number): void;
  /**
   * Makes a network namespace, and mounts it on `file`, which holds it. The thread that does so is another one: it may
   * have to wait long for the kernel's one lock of all networks.
   */
  makeNetwork(file: string): Promise<void>;
  /** Of the calling thread: it differs from `process.chdir` once the thread has a mount namespace of its own. */
  chdir(path: string): void;
  /** Unlike `process.kill` it knows signal numbers that Node has no name for. */
  kill(pid: number, signal: number): void;
  /**
   * Starts a program and gives its process id: our child, with all signals as they are by default. It begins to run
   * before this returns, with no more than a moment lost to the calling thread, in whatever namespaces that is in. Nobody
   * but who calls `reap` learns of its end.
   */
  spawn(birth: Birth): number;
  /** Of a child from `spawn`: how it ended, and its process id is free again; undefined while it runs. */
  reap(pid: number): ChildEnd | undefined;
  /** What the calling thread starts from now on has the usual priority, if its own is above that (sched(7)). */
  resetOnFork(): void;
  /** A device like /dev/null that is nobody else's, open both ways; closed on exec. */
  openNull(): number;
  /** A pipe; both ends are closed on exec. */
  pipe(): { read: number; write: number };
  /** Of a socket: its other end is closed for good, not only for writing (poll(2), POLLHUP). */
  hungUp(fd: number): boolean;
  /** Who connected at the other end of a unix socket (SO_PEERCRED, unix(7)). Throws where that cannot be known. */
  peerOf(fd: number): Peer;
  /** Of a socket: `SHUT_…`. */
  shutdown(fd: number, how: number): void;
  /** A socket of `AF_UNIX`, `SOCK_SEQPACKET`, connected to what listens at `path`; non-blocking, closed on exec. */
  connectSeqpacket(path: string): number;
  /** Receives a descriptor that the other end of a socket has sent (SCM_RIGHTS, unix(7)); closed on exec. -1: none came. */
  receiveDescriptor(fd: number): number;
  /** Of a terminal: TIOCSWINSZ, ioctl_tty(2). */
  setWindowSize(fd: number, rows: number, columns: number): void;
  /** Of a terminal: bytes pass it as they are, both ways, and nothing is echoed (cfmakeraw(3)). */
  makeRaw(fd: number): void;
  /** Lets the other end of a pseudo-terminal be opened; its number (pts(4)). */
  unlockTerminal(fd: number): number;
  /** Opens the other end of a pseudo-terminal, wherever its file system is mounted: TIOCGPTPEER, ioctl_tty(2). */
  openPeer(fd: number): number;
  /** Whoever has the file open so waits no more for it to take or to give bytes: FIONBIO. */
  setNonBlocking(fd: number): void;
  /** Another descriptor of the same open file; closed on exec. */
  duplicate(fd: number): number;
  /** Bytes that can be read from a terminal, or from a pipe by whoever reads it, at once: FIONREAD. */
  readable(fd: number): number;
  /** Whether the entries of a directory come with their types (d_type), as overlayfs needs. */
  hasEntryTypes(directory: string): boolean;
  /** A netlink socket (`NETLINK_…`) of the calling thread's network namespace, where it stays; closed on exec. */
  openNetlink(protocol: number): number;
  /**
   * Sends netlink requests and resolves with the answers, a datagram each.
   * Waits off the calling thread: the kernel does all the work within the call, and may wait long for its locks.
   */
  netlink(fd: number, requests: Uint8Array): Promise<Uint8Array[]>;
  /** Index of a network interface in the calling thread's namespace; 0 when there is none of that name. */
  interfaceIndex(name: string): number;
  /** A socket bound to that IPv4 address and port so that nobody else can listen there; closed on exec. */
  bindPort(protocol: "tcp" | "udp", address: Uint8Array, port: number): number;
}

/** A process, and on whose behalf it runs. */
export interface Peer {
  pid: number;
  uid: number;
  gid: number;
}

/** What a child begins with. */
export interface Birth {
  /** A path, or a name to be looked for in PATH. */
  program: string;
  /** Without its own name. */
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Its working directory; ours if it has none. */
  directory: string | undefined;
  /** In a session of its own from the first; else in ours. */
  ownSession: boolean;
  /** Our open files that are its 0, 1, 2 and so on; each of them above 2, or the one that it becomes. */
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
/** With O_DIRECTORY, as it must be. */
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
