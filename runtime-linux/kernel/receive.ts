// recvmsg(2) for one descriptor: its argument is a structure with pointers in it, unlike those of the calls in `libc.ts`.

import type * as Koffi from "koffi";

/** Room for one control message of one descriptor (cmsg(3)), and more. */
const CONTROL_BYTES = 64;
/** The byte that comes along, and the name that runtimes send with it. */
const TEXT_BYTES = 4096;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_CMSG_CLOEXEC = 0x40000000;

type Receive = (fd: number, message: object, flags: number) => number | bigint;

/** Made once: types have names in koffi. */
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
