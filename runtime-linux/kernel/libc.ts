// The kernel's calls, made through libc by koffi. Loaded at the first call: an idle engine need not hold it in memory.

import { closeSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";
import type * as Koffi from "koffi";
import type { Device, Kernel, Path } from "../kernel.js";
import { NetworkMaker } from "./network-maker.js";
import { receiver } from "./receive.js";
import { spawner } from "./spawn.js";

const require = createRequire(import.meta.url);

type Call = (...args: (number | bigint | Uint8Array | null)[]) => number;

/** The kernel of this machine. */
export const libc: Kernel = {
  mount(source, target, type, flags, data) {
    call("mount", target, text(source), text(target), text(type), flags, text(data));
  },
  umount(target, flags) {
    call("umount2", target, text(target), flags);
  },
  // Where they fail they are tried again on this thread, which tells why.
  async mountAside(source, target, type, flags, data) {
    await callAside("mount", text(source), text(target), text(type), flags, text(data)).catch(() =>
      this.mount(source, target, type, flags, data),
    );
  },
  async umountAside(target, flags) {
    await callAside("umount2", text(target), flags).catch(() => this.umount(target, flags));
  },
  mknod(path, mode, device) {
    call("mknod", path, text(path), mode, deviceNumber(device));
  },
  lsetxattr(path, name, value) {
    call("lsetxattr", path, text(path), text(name), value, value.length, 0);
  },
  lgetxattr(path, name) {
    return attributeOf("lgetxattr", path, text(path), name);
  },
  fgetxattr(fd, name) {
    return attributeOf("fgetxattr", "", fd, name);
  },
  llistxattr(path) {
    const names = sized((into) => call("llistxattr", path, text(path), into, into.length));
    return Buffer.from(names).toString().split("\0").filter(Boolean);
  },
  lutimens(path, accessed, modified) {
    call("utimensat", path, AT_FDCWD, text(path), timespecs(accessed, modified), AT_SYMLINK_NOFOLLOW);
  },
  openInRoot(directory, path, flags) {
    const how = Buffer.alloc(24); // struct open_how
    how.writeBigUInt64LE(BigInt(flags | O_CLOEXEC), 0);
    how.writeBigUInt64LE(BigInt(RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS), 16);
    return call("syscall", path, SYS_OPENAT2, directory, text(path), how, how.length);
  },
  linkOpen(fd, path) {
    call("linkat", path, AT_FDCWD, text(`/proc/self/fd/${fd}`), AT_FDCWD, text(path), AT_SYMLINK_FOLLOW);
  },
  async syncfs(fd) {
    await callAside("syncfs", fd);
  },
  unshare(flags) {
    call("unshare", "", flags);
  },
  setns(fd, kind) {
    call("setns", "", fd, kind);
  },
  async makeNetwork(file) {
    const failed = await networks.make(file);
    if (failed !== null) throw errnoException(failed.errno, failed.call, file);
  },
  chdir(path) {
    call("chdir", path, text(path));
  },
  kill(pid, signal) {
    call("kill", String(pid), pid, signal);
  },
  spawn(birth) {
    spawn ??= spawner(loaded()[1]);
    const pid = spawn(birth);
    if (pid < 0) throw errnoException(-pid, "posix_spawn", birth.program);
    return pid;
  },
  reap(pid) {
    const status = Buffer.alloc(4);
    const found = attempt("waitpid", pid, status, WNOHANG);
    if (found === 0) return undefined;
    if (found < 0) return { code: null }; // ECHILD: somebody else of this process has been told
    // As the macros of wait(2) take it apart.
    const [signal, code] = [status.readInt32LE() & 0x7f, (status.readInt32LE() >> 8) & 0xff];
    return { code: signal === 0 ? code : null };
  },
  resetOnFork() {
    // struct sched_param: a real-time priority, of which this policy has none.
    call("sched_setscheduler", "", 0, SCHED_OTHER | SCHED_RESET_ON_FORK, Buffer.alloc(4));
  },
  pipe() {
    const ends = Buffer.alloc(8);
    call("pipe2", "", ends, O_CLOEXEC);
    return { read: ends.readInt32LE(0), write: ends.readInt32LE(4) };
  },
  hungUp(fd) {
    // struct pollfd: the descriptor, what is asked for, what is so. A hang-up is told without being asked for.
    const asked = Buffer.alloc(8);
    asked.writeInt32LE(fd, 0);
    // Interrupted, it will be asked again.
    return attempt("poll", asked, 1, 0) > 0 && (asked.readInt16LE(6) & POLLHUP) !== 0;
  },
  peerOf(fd) {
    // struct ucred: process, user, group.
    const found = Buffer.alloc(12);
    call("getsockopt", "SO_PEERCRED", fd, SOL_SOCKET, SO_PEERCRED, found, int(found.length));
    return { pid: found.readUInt32LE(0), uid: found.readUInt32LE(4), gid: found.readUInt32LE(8) };
  },
  shutdown(fd, how) {
    call("shutdown", "", fd, how);
  },
  connectSeqpacket(path) {
    const fd = call("socket", path, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    try {
      const address = unixAddress(path);
      call("connect", path, fd, address, address.length);
    } catch (error) {
      call("close", path, fd);
      throw error;
    }
    return fd;
  },
  receiveDescriptor(fd) {
    receive ??= receiver(...loaded());
    const descriptor = receive(fd);
    if (descriptor === undefined) throw errnoException(koffi!.errno(), "recvmsg", "");
    return descriptor;
  },
  setWindowSize(fd, rows, columns) {
    // struct winsize: rows, columns, two sizes in pixels.
    const size = Buffer.alloc(8);
    size.writeUInt16LE(Math.min(rows, 0xffff), 0);
    size.writeUInt16LE(Math.min(columns, 0xffff), 2);
    call("ioctl", "TIOCSWINSZ", fd, TIOCSWINSZ, size);
  },
  makeRaw(fd) {
    // The kernel's struct termios: flags of input, output, control and local modes, a line discipline, characters.
    const modes = Buffer.alloc(64);
    call("ioctl", "TCGETS", fd, TCGETS, modes);
    for (const [at, flags] of [0, 1, 2, 3].map((index) => [4 * index, COOKED[index]!] as const)) {
      modes.writeUInt32LE((modes.readUInt32LE(at) & ~flags) >>> 0, at);
    }
    call("ioctl", "TCSETS", fd, TCSETS, modes);
  },
  unlockTerminal(fd) {
    const number = Buffer.alloc(4);
    call("ioctl", "TIOCSPTLCK", fd, TIOCSPTLCK, number);
    call("ioctl", "TIOCGPTN", fd, TIOCGPTN, number);
    return number.readInt32LE();
  },
  openPeer(fd) {
    return call("openPeer", "TIOCGPTPEER", fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  },
  setNonBlocking(fd) {
    call("ioctl", "FIONBIO", fd, FIONBIO, int(1));
  },
  readable(fd) {
    const number = Buffer.alloc(4);
    call("ioctl", "FIONREAD", fd, FIONREAD, number);
    return number.readInt32LE();
  },
  hasEntryTypes(directory) {
    const fd = openSync(directory, "r");
    try {
      // The first of getdents64(2) is `.` or `..`: inode, offset, length of the entry, type.
      const entries = Buffer.alloc(4096);
      return call("getdents64", directory, fd, entries, entries.length) > 0 && entries[18] !== DT_UNKNOWN;
    } finally {
      closeSync(fd);
    }
  },
  openNetlink(protocol) {
    return call("socket", "netlink", AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
  },
  async netlink(fd, requests) {
    await callAside("sendto", fd, requests, requests.length, 0, null, 0);
    return [...answers(fd)];
  },
  interfaceIndex(name) {
    return call("if_nametoindex", name, text(name));
  },
  bindPort(protocol, address, port) {
    const fd = call("socket", protocol, AF_INET, (protocol === "tcp" ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
    try {
      // With SO_REUSEADDR, connections of a server that is gone (TIME_WAIT) are no obstacle; it is taken back, so that
      // nobody else can listen there. For UDP it would mean sharing.
      if (protocol === "tcp") call("setsockopt", protocol, fd, SOL_SOCKET, SO_REUSEADDR, int(1), 4);
      call("bind", protocol, fd, inetAddress(address, port), 16);
      if (protocol === "tcp") call("setsockopt", protocol, fd, SOL_SOCKET, SO_REUSEADDR, int(0), 4);
    } catch (error) {
      call("close", protocol, fd);
      throw error;
    }
    return fd;
  },
};

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_SYMLINK_FOLLOW = 0x400;
const O_CLOEXEC = 0o2000000;
/** The same on all architectures. */
const SYS_OPENAT2 = 437;
const RESOLVE_NO_MAGICLINKS = 0x02;
const RESOLVE_IN_ROOT = 0x10;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const SOCK_SEQPACKET = 5;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_PEERCRED = 17;
const DT_UNKNOWN = 0;
const TCGETS = 0x5401;
const TCSETS = 0x5402;
/** What cfmakeraw(3) takes from each of the first four modes: IGNBRK … IXON, OPOST, PARENB, ECHO … IEXTEN. */
const COOKED = [0o2753, 0o1, 0o400, 0o100113];
const TIOCSWINSZ = 0x5414;
const TIOCGPTPEER = 0x5441;
const FIONREAD = 0x541b;
const FIONBIO = 0x5421;
const O_RDWR = 0o2;
const O_NOCTTY = 0o400;
const TIOCGPTN = 0x80045430;
const TIOCSPTLCK = 0x40045431;
const POLLHUP = 0x10;
const WNOHANG = 1;
const SCHED_OTHER = 0;
const SCHED_RESET_ON_FORK = 0x40000000;
const MSG_DONTWAIT = 0x40;

// Pointers are `uint8_t *` throughout: names need not be UTF-8.
const PROTOTYPES: Record<string, string> = {
  mount:
    "int mount(const uint8_t *source, const uint8_t *target, const uint8_t *type, unsigned long flags, const uint8_t *data)",
  umount2: "int umount2(const uint8_t *target, int flags)",
  mknod: "int mknod(const uint8_t *path, unsigned int mode, uint64_t device)",
  lsetxattr: "int lsetxattr(const uint8_t *path, const uint8_t *name, const uint8_t *value, size_t size, int flags)",
  lgetxattr: "int64_t lgetxattr(const uint8_t *path, const uint8_t *name, _Out_ uint8_t *value, size_t size)",
  fgetxattr: "int64_t fgetxattr(int fd, const uint8_t *name, _Out_ uint8_t *value, size_t size)",
  llistxattr: "int64_t llistxattr(const uint8_t *path, _Out_ uint8_t *list, size_t size)",
  utimensat: "int utimensat(int directory, const uint8_t *path, const uint8_t *times, int flags)",
  syscall: "int64_t syscall(int64_t number, int64_t directory, const uint8_t *path, const uint8_t *how, uint64_t size)",
  linkat: "int linkat(int from, const uint8_t *path, int to, const uint8_t *name, int flags)",
  syncfs: "int syncfs(int fd)",
  unshare: "int unshare(int flags)",
  setns: "int setns(int fd, int kind)",
  chdir: "int chdir(const uint8_t *path)",
  kill: "int kill(int pid, int signal)",
  waitpid: "int waitpid(int pid, _Out_ uint8_t *status, int options)",
  sched_setscheduler: "int sched_setscheduler(int pid, int policy, const uint8_t *parameters)",
  pipe2: "int pipe2(_Out_ uint8_t *ends, int flags)",
  poll: "int poll(_Inout_ uint8_t *descriptors, unsigned long count, int timeout)",
  shutdown: "int shutdown(int fd, int how)",
  socket: "int socket(int domain, int type, int protocol)",
  connect: "int connect(int fd, const uint8_t *address, unsigned int length)",
  close: "int close(int fd)",
  getdents64: "int64_t getdents64(int fd, _Out_ uint8_t *entries, size_t length)",
  getsockopt: "int getsockopt(int fd, int level, int name, _Out_ uint8_t *value, _Inout_ uint8_t *length)",
  setsockopt: "int setsockopt(int fd, int level, int name, const uint8_t *value, unsigned int length)",
  bind: "int bind(int fd, const uint8_t *address, unsigned int length)",
  sendto:
    "int64_t sendto(int fd, const uint8_t *bytes, size_t length, int flags, const uint8_t *to, unsigned int size)",
  recv: "int64_t recv(int fd, _Out_ uint8_t *bytes, size_t length, int flags)",
  ioctl: "int ioctl(int fd, unsigned long request, _Inout_ uint8_t *argument)",
  // The same call with a number in the pointer's place.
  openPeer: "int ioctl(int fd, unsigned long request, unsigned long flags)",
  if_nametoindex: "unsigned int if_nametoindex(const uint8_t *name)",
};

const EIO = 5;
const ERANGE = 34;
const ENODATA = 61;
const ENOTSUP = 95;
/** Room for most values of extended attributes. */
const ATTRIBUTE = Buffer.alloc(1024);

const networks = new NetworkMaker();
let koffi: typeof Koffi | undefined;
let library: Koffi.LibraryHandle | undefined;
let receive: ReturnType<typeof receiver> | undefined;
let spawn: ReturnType<typeof spawner> | undefined;
const calls = new Map<string, Call>();

function call(name: string, about: Path, ...args: (number | bigint | Uint8Array)[]): number {
  const result = attempt(name, ...args);
  if (result < 0) throw errnoException(-result, name, about);
  return result;
}

/** Where it fails, its errno below zero. */
function attempt(name: string, ...args: (number | bigint | Uint8Array)[]): number {
  const found = calls.get(name) ?? bind(name);
  const result = found(...args);
  return result < 0 ? -koffi!.errno() : result;
}

/** Arguments of calls on other threads: their bytes must stay where they are. */
const underWay = new Set<unknown>();

/** The same on a thread of koffi's; its errno cannot be had. */
function callAside(name: string, ...args: (number | Uint8Array | null)[]): Promise<number> {
  const found = (calls.get(name) ?? bind(name)) as Koffi.KoffiFunc<Call>;
  return new Promise((resolve, reject) => {
    underWay.add(args);
    found.async(...args, (error: unknown, result: number) => {
      underWay.delete(args);
      if (error !== null || result < 0) reject(error ?? errnoException(EIO, name, ""));
      else resolve(result);
    });
  });
}

function loaded(): [typeof Koffi, Koffi.LibraryHandle] {
  koffi ??= require("koffi") as typeof Koffi;
  library ??= koffi.load(null);
  return [koffi, library];
}

function bind(name: string): Call {
  const made = loaded()[1].func(PROTOTYPES[name]!) as Call;
  calls.set(name, made);
  return made;
}

function errnoException(errno: number, syscall: string, about: Path): NodeJS.ErrnoException {
  const code = getSystemErrorName(-errno);
  const path = typeof about === "string" ? about : Buffer.from(about).toString();
  const error: NodeJS.ErrnoException = new Error(`${code}: ${syscall}${path && ` '${path}'`}`);
  return Object.assign(error, { code, errno: -errno, syscall, path });
}

/** NUL-terminated. */
function text(path: Path): Uint8Array {
  if (typeof path === "string") return Buffer.from(`${path}\0`);
  const ended = Buffer.allocUnsafe(path.length + 1);
  ended.set(path);
  ended[path.length] = 0;
  return ended;
}

/** glibc's dev_t: minor and major interleaved (makedev(3)). */
function deviceNumber({ major, minor }: Device): bigint {
  const [high, low] = [BigInt(major), BigInt(minor)];
  return (low & 0xffn) | ((high & 0xfffn) << 8n) | ((low & ~0xffn) << 12n) | ((high & ~0xfffn) << 32n);
}

/** Two `struct timespec`: seconds rounded down, nanoseconds never negative. */
function timespecs(...times: bigint[]): Uint8Array {
  const made = Buffer.alloc(16 * times.length);
  times.forEach((time, index) => {
    const nanoseconds = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    made.writeBigInt64LE((time - nanoseconds) / 1_000_000_000n, 16 * index);
    made.writeBigInt64LE(nanoseconds, 16 * index + 8);
  });
  return made;
}

function unixAddress(path: string): Uint8Array {
  const address = Buffer.alloc(110);
  address.writeUInt16LE(AF_UNIX);
  if (address.write(path, 2) > 107) throw errnoException(36, "connect", path); // ENAMETOOLONG
  return address;
}

function inetAddress(address: Uint8Array, port: number): Uint8Array {
  const made = Buffer.alloc(16);
  made.writeUInt16LE(AF_INET, 0);
  made.writeUInt16BE(port, 2);
  made.set(address, 4);
  return made;
}

function int(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

/** An extended attribute, of a path or of an open file. */
function attributeOf(name: string, about: Path, of: Uint8Array | number, wanted: string): Uint8Array | undefined {
  const attribute = text(wanted);
  const size = attempt(name, of, attribute, ATTRIBUTE, ATTRIBUTE.length);
  if (size >= 0) return Buffer.from(ATTRIBUTE.subarray(0, size));
  // Most files have none: an error for each of them would cost more than to ask.
  if (size === -ENODATA || size === -ENOTSUP) return undefined;
  if (size !== -ERANGE) throw errnoException(-size, name, about);
  return sized((into) => call(name, about, of, attribute, into, into.length));
}

/** The datagrams that wait on a socket. */
function* answers(fd: number): Generator<Uint8Array> {
  for (;;) {
    const into = Buffer.alloc(8192);
    try {
      yield into.subarray(0, call("recv", "netlink", fd, into, into.length, MSG_DONTWAIT));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return;
      throw error;
    }
  }
}

/** Asks for the size, then for the bytes; again if they have grown in between. */
function sized(ask: (into: Uint8Array) => number): Uint8Array {
  for (;;) {
    const into = new Uint8Array(ask(new Uint8Array(0)));
    if (into.length === 0) return into;
    try {
      return into.subarray(0, ask(into));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERANGE") throw error;
    }
  }
}
