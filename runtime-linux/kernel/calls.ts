// Calls libc functions by name, through koffi. koffi is loaded at the first call, so that an idle engine need not hold
// it in memory.

import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";
import type * as Koffi from "koffi";
import type { Path } from "../kernel.js";
import { EIO } from "./numbers.js";

const require = createRequire(import.meta.url);

type Call = (...args: (number | bigint | Uint8Array | null)[]) => number;

// Pointers are always `uint8_t *`, because names need not be UTF-8.
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
  // Pointers that are always null are declared as numbers.
  fsopen: "int64_t syscall(int64_t number, const uint8_t *type, uint64_t flags)",
  fsconfig:
    "int64_t syscall(int64_t number, int64_t fd, uint64_t command, uint64_t key, uint64_t value, uint64_t auxiliary)",
  fsmount: "int64_t syscall(int64_t number, int64_t fd, uint64_t flags, uint64_t attributes)",
  pidfd_open: "int64_t syscall(int64_t number, int64_t pid, uint64_t flags)",
  pidfd_getfd: "int64_t syscall(int64_t number, int64_t process, int64_t fd, uint64_t flags)",
  flock: "int flock(int fd, int operation)",
  linkat: "int linkat(int from, const uint8_t *path, int to, const uint8_t *name, int flags)",
  renameat2: "int renameat2(int from, const uint8_t *path, int to, const uint8_t *name, unsigned int flags)",
  syncfs: "int syncfs(int fd)",
  lseek: "int64_t lseek(int fd, int64_t offset, int whence)",
  unshare: "int unshare(int flags)",
  setns: "int setns(int fd, int kind)",
  chdir: "int chdir(const uint8_t *path)",
  kill: "int kill(int pid, int signal)",
  getsid: "int getsid(int pid)",
  waitpid: "int waitpid(int pid, _Out_ uint8_t *status, int options)",
  sched_setscheduler: "int sched_setscheduler(int pid, int policy, const uint8_t *parameters)",
  pipe2: "int pipe2(_Out_ uint8_t *ends, int flags)",
  poll: "int poll(_Inout_ uint8_t *descriptors, unsigned long count, int timeout)",
  shutdown: "int shutdown(int fd, int how)",
  socket: "int socket(int domain, int type, int protocol)",
  connect: "int connect(int fd, const uint8_t *address, unsigned int length)",
  close: "int close(int fd)",
  getdents64: "int64_t getdents64(int fd, _Out_ uint8_t *entries, size_t length)",
  getsockname: "int getsockname(int fd, _Out_ uint8_t *address, _Inout_ uint8_t *length)",
  getsockopt: "int getsockopt(int fd, int level, int name, _Out_ uint8_t *value, _Inout_ uint8_t *length)",
  setsockopt: "int setsockopt(int fd, int level, int name, const uint8_t *value, unsigned int length)",
  bind: "int bind(int fd, const uint8_t *address, unsigned int length)",
  sendto:
    "int64_t sendto(int fd, const uint8_t *bytes, size_t length, int flags, const uint8_t *to, unsigned int size)",
  // Without a time limit.
  recvmmsg: "int recvmmsg(int fd, _Inout_ uint8_t *messages, unsigned int count, int flags, uint64_t limit)",
  sendmmsg: "int sendmmsg(int fd, _Inout_ uint8_t *messages, unsigned int count, int flags)",
  recv: "int64_t recv(int fd, _Out_ uint8_t *bytes, size_t length, int flags)",
  ioctl: "int ioctl(int fd, unsigned long request, _Inout_ uint8_t *argument)",
  fcntl: "int fcntl(int fd, int command, int argument)",
  // ioctl with a number in place of the pointer.
  openPeer: "int ioctl(int fd, unsigned long request, unsigned long flags)",
  madvise: "int madvise(uint8_t *memory, size_t length, int advice)",
  // The same for memory that is no buffer's.
  adviseAt: "int madvise(uintptr_t memory, size_t length, int advice)",
  memfd_create: "int memfd_create(const uint8_t *name, unsigned int flags)",
  getpagesize: "int getpagesize()",
  mallopt: "int mallopt(int parameter, int value)",
  malloc_trim: "int malloc_trim(size_t pad)",
  if_nametoindex: "unsigned int if_nametoindex(const uint8_t *name)",
};

let koffi: typeof Koffi | undefined;
let library: Koffi.LibraryHandle | undefined;
const calls = new Map<string, Call>();

/** Whether the C library has this function. */
export function isKnown(name: string): boolean {
  try {
    if (!calls.has(name)) bind(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the function's result. Throws its errors as Node does for its own calls. `about`: the path or other subject
 * for the error.
 */
export function call(name: string, about: Path, ...args: (number | bigint | Uint8Array)[]): number {
  const result = attempt(name, ...args);
  if (result < 0) throw errnoException(-result, name, about);
  return result;
}

/** If the function fails, returns its errno as a negative number. */
export function attempt(name: string, ...args: (number | bigint | Uint8Array)[]): number {
  const found = calls.get(name) ?? bind(name);
  const result = found(...args);
  return result < 0 ? -koffi!.errno() : result;
}

/** Arguments of calls on other threads, kept here so that their bytes are not moved or freed. */
const underWay = new Set<unknown>();

/** The same on one of koffi's threads. The errno is not available. */
export function callAside(name: string, ...args: (number | Uint8Array | null)[]): Promise<number> {
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

export function loaded(): [typeof Koffi, Koffi.LibraryHandle] {
  koffi ??= require("koffi") as typeof Koffi;
  library ??= koffi.load(null);
  return [koffi, library];
}

function bind(name: string): Call {
  const made = loaded()[1].func(PROTOTYPES[name]!) as Call;
  calls.set(name, made);
  return made;
}

/** An error like those of Node's own calls. */
export function errnoException(errno: number, syscall: string, about: Path): NodeJS.ErrnoException {
  const code = getSystemErrorName(-errno);
  const path = typeof about === "string" ? about : Buffer.from(about).toString();
  const error: NodeJS.ErrnoException = new Error(`${code}: ${syscall}${path && ` '${path}'`}`);
  return Object.assign(error, { code, errno: -errno, syscall, path });
}
