// Arguments of kernel calls as bytes: texts, numbers and structures.

import type { Device, Path } from "../kernel.js";
import { errnoException } from "./calls.js";
import { AF_INET, AF_INET6, AF_UNIX, ENAMETOOLONG } from "./numbers.js";

/** NUL-terminated. */
export function text(path: Path): Uint8Array {
  if (typeof path === "string") return Buffer.from(`${path}\0`);
  const ended = Buffer.allocUnsafe(path.length + 1);
  ended.set(path);
  ended[path.length] = 0;
  return ended;
}

/** glibc's dev_t: minor and major interleaved (makedev(3)). */
export function deviceNumber({ major, minor }: Device): bigint {
  const [high, low] = [BigInt(major), BigInt(minor)];
  return (low & 0xffn) | ((high & 0xfffn) << 8n) | ((low & ~0xffn) << 12n) | ((high & ~0xfffn) << 32n);
}

/** Two `struct timespec`: seconds are rounded down, so nanoseconds are never negative. */
export function timespecs(...times: bigint[]): Uint8Array {
  const made = Buffer.alloc(16 * times.length);
  times.forEach((time, index) => {
    const nanoseconds = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    made.writeBigInt64LE((time - nanoseconds) / 1_000_000_000n, 16 * index);
    made.writeBigInt64LE(nanoseconds, 16 * index + 8);
  });
  return made;
}

export function unixAddress(path: string): Uint8Array {
  const address = Buffer.alloc(110);
  address.writeUInt16LE(AF_UNIX);
  if (address.write(path, 2) > 107) throw errnoException(ENAMETOOLONG, "connect", path);
  return address;
}

/** `sockaddr_in` for an address of 4 bytes, `sockaddr_in6` for one of 16. */
export function inetAddress(address: Uint8Array, port: number): Uint8Array {
  const isIpv6 = address.length > 4;
  const made = Buffer.alloc(isIpv6 ? 28 : 16);
  made.writeUInt16LE(isIpv6 ? AF_INET6 : AF_INET, 0);
  made.writeUInt16BE(port, 2);
  made.set(address, isIpv6 ? 8 : 4);
  return made;
}

export function int(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
