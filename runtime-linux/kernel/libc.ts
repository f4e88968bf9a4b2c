// The kernel's calls, made through libc.

import { closeSync, openSync } from "node:fs";
import type { Kernel, Path } from "../kernel.js";
import { attempt, call, callAside, errnoException, isKnown, loaded } from "./calls.js";
import { NetworkMaker } from "./network-maker.js";
import { openNull } from "./null.js";
import {
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  AT_SYMLINK_FOLLOW,
  O_CLOEXEC,
  SYS_OPENAT2,
  SYS_PIDFD_GETFD,
  SYS_PIDFD_OPEN,
  RESOLVE_NO_MAGICLINKS,
  RESOLVE_IN_ROOT,
  AF_UNIX,
  AF_INET,
  AF_INET6,
  AF_NETLINK,
  SOCK_STREAM,
  SOCK_DGRAM,
  SOCK_RAW,
  SOCK_SEQPACKET,
  SOCK_NONBLOCK,
  SOCK_CLOEXEC,
  SOL_SOCKET,
  SO_REUSEADDR,
  SO_PEERCRED,
  SO_SNDBUF,
  SO_RCVBUF,
  SO_SNDBUFFORCE,
  SO_RCVBUFFORCE,
  IPPROTO_IPV6,
  IPV6_V6ONLY,
  DT_UNKNOWN,
  TCGETS,
  TCSETS,
  COOKED,
  TIOCSWINSZ,
  FS_IOC_GETFLAGS,
  FS_IOC_SETFLAGS,
  FS_TOPDIR_FL,
  TIOCGPTPEER,
  FIONREAD,
  FIONBIO,
  F_DUPFD_CLOEXEC,
  O_RDWR,
  O_NOCTTY,
  TIOCGPTN,
  TIOCSPTLCK,
  POLLHUP,
  WNOHANG,
  SCHED_OTHER,
  SCHED_RESET_ON_FORK,
  MSG_DONTWAIT,
  EAGAIN,
  ERANGE,
  ENODATA,
  ENOTSUP,
  ENOSYS,
  ENXIO,
  RENAME_EXCHANGE,
  SEEK_DATA,
  SEEK_HOLE,
} from "./numbers.js";
import { receiver } from "./receive.js";
import { openSealed } from "./sealed.js";
import { slowMount } from "./slow-mount.js";
import { spawner } from "./spawn.js";
import { deviceNumber, inetAddress, int, text, timespecs, unixAddress } from "./structures.js";

/** The kernel of this machine. */
export const libc: Kernel = {
  mount(source, target, type, flags, data) {
    call("mount", target, text(source), text(target), text(type), flags, text(data));
  },
  umount(target, flags) {
    call("umount2", target, text(target), flags);
  },
  // If the call fails, it is repeated on this thread, which has the errno.
  async mountAside(source, target, type, flags, data) {
    await callAside("mount", text(source), text(target), text(type), flags, text(data)).catch(() =>
      this.mount(source, target, type, flags, data),
    );
  },
  async umountAside(target, flags) {
    await callAside("umount2", text(target), flags).catch(() => this.umount(target, flags));
  },
  async mountSlowly(...mount) {
    const errno = await slowMount(mount);
    if (errno !== 0) throw errnoException(errno, "mount", mount[1]);
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
  dataFrom(fd, from) {
    const at = attempt("lseek", fd, from, SEEK_DATA);
    if (at === -ENXIO) return undefined;
    if (at < 0) throw errnoException(-at, "lseek", "");
    return { at, end: call("lseek", "", fd, at, SEEK_HOLE) };
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
  exchange(one, other) {
    if (!isKnown("renameat2")) throw errnoException(ENOSYS, "renameat2", one);
    call("renameat2", one, AT_FDCWD, text(one), AT_FDCWD, text(other), RENAME_EXCHANGE);
  },
  spreadBelow(directory) {
    const flags = Buffer.alloc(8);
    call("ioctl", "FS_IOC_GETFLAGS", directory, FS_IOC_GETFLAGS, flags);
    flags.writeUInt32LE((flags.readUInt32LE() | FS_TOPDIR_FL) >>> 0);
    call("ioctl", "FS_IOC_SETFLAGS", directory, FS_IOC_SETFLAGS, flags);
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
  sessionOf(pid) {
    const session = attempt("getsid", pid);
    return session < 0 ? undefined : session; // ESRCH
  },
  spawn(birth) {
    spawn ??= spawner(loaded()[1]);
    const pid = spawn(birth);
    if (pid < 0) throw errnoException(-pid, "fork/exec", birth.program);
    return pid;
  },
  reap(pid) {
    const status = Buffer.alloc(4);
    const found = attempt("waitpid", pid, status, WNOHANG);
    if (found === 0) return undefined;
    if (found < 0) return { code: null }; // ECHILD: another part of this process has collected it
    // As the macros of wait(2) decode it.
    const [signal, code] = [status.readInt32LE() & 0x7f, (status.readInt32LE() >> 8) & 0xff];
    return { code: signal === 0 ? code : null };
  },
  resetOnFork() {
    // struct sched_param: a real-time priority; this policy has none.
    call("sched_setscheduler", "", 0, SCHED_OTHER | SCHED_RESET_ON_FORK, Buffer.alloc(4));
  },
  openNull,
  openSealed,
  pipe() {
    const ends = Buffer.alloc(8);
    call("pipe2", "", ends, O_CLOEXEC);
    return { read: ends.readInt32LE(0), write: ends.readInt32LE(4) };
  },
  hungUp(fd) {
    // struct pollfd: descriptor, requested events, returned events. A hang-up is reported without being requested.
    const asked = Buffer.alloc(8);
    asked.writeInt32LE(fd, 0);
    // If it is interrupted, the caller will ask again.
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
  descriptorOf(pid, fd) {
    const process = call("pidfd_open", `/proc/${pid}`, SYS_PIDFD_OPEN, pid, 0);
    try {
      return call("pidfd_getfd", `/proc/${pid}/fd/${fd}`, SYS_PIDFD_GETFD, process, fd, 0);
    } finally {
      closeSync(process);
    }
  },
  receiveDescriptor(fd) {
    receive ??= receiver(...loaded());
    const descriptor = receive(fd);
    if (descriptor === undefined) throw errnoException(loaded()[0].errno(), "recvmsg", "");
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
  duplicate(fd) {
    return call("fcntl", "F_DUPFD_CLOEXEC", fd, F_DUPFD_CLOEXEC, 0);
  },
  readable(fd) {
    const number = Buffer.alloc(4);
    call("ioctl", "FIONREAD", fd, FIONREAD, number);
    return number.readInt32LE();
  },
  hasEntryTypes(directory) {
    const fd = openSync(directory, "r");
    try {
      // The first entry of getdents64(2) is `.` or `..`: inode, offset, length of the entry, type.
      const entries = Buffer.alloc(4096);
      return call("getdents64", directory, fd, entries, entries.length) > 0 && entries[18] !== DT_UNKNOWN;
    } finally {
      closeSync(fd);
    }
  },
  openNetlink(protocol) {
    const fd = call("socket", "netlink", AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (protocol === NETLINK_NETFILTER) raiseBuffers(fd);
    return fd;
  },
  async netlink(fd, requests) {
    await callAside("sendto", fd, requests, requests.length, 0, null, 0);
    return answers(fd);
  },
  interfaceIndex(name) {
    return call("if_nametoindex", name, text(name));
  },
  bindPort(protocol, address, port) {
    const type = (protocol === "tcp" ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC;
    const isIpv6 = address.length > 4;
    const fd = call("socket", protocol, isIpv6 ? AF_INET6 : AF_INET, type, 0);
    try {
      // With SO_REUSEADDR, old connections of a stopped server (TIME_WAIT) do not block the port. The option is then
      // cleared, so that nobody else can listen there. For UDP it would mean sharing the port.
      if (protocol === "tcp") call("setsockopt", protocol, fd, SOL_SOCKET, SO_REUSEADDR, int(1), 4);
      if (isIpv6) call("setsockopt", protocol, fd, IPPROTO_IPV6, IPV6_V6ONLY, int(1), 4);
      const name = inetAddress(address, port);
      call("bind", protocol, fd, name, name.length);
      if (protocol === "tcp") call("setsockopt", protocol, fd, SOL_SOCKET, SO_REUSEADDR, int(0), 4);
    } catch (error) {
      call("close", protocol, fd);
      throw error;
    }
    return fd;
  },
};

/**
 * A transaction of netfilter is one message, which the usual buffer of 200 KB would limit to some 3000 ports. Without the
 * right over the machine's limits, the buffers become as large as those allow. They are bounds: nothing is allocated.
 */
function raiseBuffers(fd: number): void {
  const bytes = int(NETFILTER_BUFFER);
  for (const [forced, usual] of [
    [SO_SNDBUFFORCE, SO_SNDBUF],
    [SO_RCVBUFFORCE, SO_RCVBUF],
  ] as const) {
    if (attempt("setsockopt", fd, SOL_SOCKET, forced, bytes, 4) < 0)
      attempt("setsockopt", fd, SOL_SOCKET, usual, bytes, 4);
  }
}

/** Room for some 100,000 elements of IPv6. */
const NETFILTER_BUFFER = 8 << 20;
const NETLINK_NETFILTER = 12;

/** Large enough for most values of extended attributes. */
const ATTRIBUTE = Buffer.alloc(1024);

const networks = new NetworkMaker();
let receive: ReturnType<typeof receiver> | undefined;
let spawn: ReturnType<typeof spawner> | undefined;

/** An extended attribute of a path or an open file. */
function attributeOf(name: string, about: Path, of: Uint8Array | number, wanted: string): Uint8Array | undefined {
  const attribute = text(wanted);
  const size = attempt(name, of, attribute, ATTRIBUTE, ATTRIBUTE.length);
  if (size >= 0) return Buffer.from(ATTRIBUTE.subarray(0, size));
  // Most files have none, and an error object for each would cost more than the call.
  if (size === -ENODATA || size === -ENOTSUP) return undefined;
  if (size !== -ERANGE) throw errnoException(-size, name, about);
  return sized((into) => call(name, about, of, attribute, into, into.length));
}

/** The kernel's answers are no longer (NLMSG_GOODSIZE of the usual pages, twice). */
const ANSWER = Buffer.alloc(8192);

/** The datagrams waiting on a socket. */
function answers(fd: number): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (;;) {
    const length = attempt("recv", fd, ANSWER, ANSWER.length, MSG_DONTWAIT);
    if (length === -EAGAIN) return all;
    if (length < 0) throw errnoException(-length, "recv", "netlink");
    all.push(Buffer.from(ANSWER.subarray(0, length)));
  }
}

/** Asks for the size, then for the bytes; again if the size has grown in between. */
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
