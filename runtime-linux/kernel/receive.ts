// recvmsg(2) for one descriptor. Unlike the calls in `libc.ts`, its argument is a structure that contains pointers.

import type * as Koffi from "koffi";

/** More than enough for one control message with one descriptor (cmsg(3)). */
const CONTROL_BYTES = 64;
/** Room for the byte that must accompany it, and for the name that runtimes send. */
const TEXT_BYTES = 4096;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_CMSG_CLOEXEC = 0x40000000;

type Receive = (fd: number, message: object, flags: number) => number | bigint;

/** To be called once, because koffi's types have names. */
export function receiver(koffi: typeof Koffi, library: Koffi.LibraryHandle): (fd: number) => number | undefined {
  koffi.struct("iovec", { base: "uint8_t *", length: "size_t" });
  koffi.struct("msghdr", {
    ...{ name: "void *", namelen: "uint32_t", iov: "iovec *", iovlen: "size_t" },
    ...{ control: "uint8_t *", controllen: "size_t", flags: "int" },
  });
  const recvmsg = library.func("int64_t recvmsg(int fd, _Inout_ msghdr *message, int flags)") as Receive;
  return (fd) => {
    const bytes = Buffer.alloc(CONTROL_BYTES);
    const text = { base: Buffer.alloc(TEXT_BYTES), length: TEXT_BYTES };
    const message = {
      name: null,
      namelen: 0,
      iov: [text],
      iovlen: 1,
      control: bytes,
      controllen: bytes.length,
      flags: 0,
    };
    if (recvmsg(fd, message, MSG_CMSG_CLOEXEC) < 0) return undefined;
    // struct cmsghdr: length, level, type; then the descriptors.
    const isRights = bytes.readInt32LE(8) === SOL_SOCKET && bytes.readInt32LE(12) === SCM_RIGHTS;
    return isRights ? bytes.readInt32LE(16) : -1;
  };
}
