// Programs with which the kernel chooses what a socket receives (classic BPF: Documentation/networking/filter.rst).

import { call, loaded } from "./calls.js";
import { SO_ATTACH_FILTER, SOL_SOCKET } from "./numbers.js";

/** An instruction: its code, how many to skip if it is so and if it is not, and a number. */
type Instruction = readonly [code: number, whereSo: number, whereNot: number, value: number];

const LOAD_LENGTH = 0x80;
const IS_GREATER = 0x25;
const RETURN = 0x06;
const ALL = 0xffff_ffff;
const UDP_HEADER_BYTES = 8;
const INSTRUCTION_BYTES = 8;

/** Lets the kernel drop datagrams of UDP with more bytes than these. */
export function receiveAtMost(fd: number, bytes: number): void {
  attach(fd, [
    [LOAD_LENGTH, 0, 0, 0],
    [IS_GREATER, 0, 1, UDP_HEADER_BYTES + bytes],
    [RETURN, 0, 0, 0],
    [RETURN, 0, 0, ALL],
  ]);
}

/** The kernel copies the program. */
function attach(fd: number, instructions: readonly Instruction[]): void {
  const program = Buffer.alloc(INSTRUCTION_BYTES * instructions.length);
  for (const [at, [code, whereSo, whereNot, value]] of instructions.entries()) {
    const start = INSTRUCTION_BYTES * at;
    program.writeUInt16LE(code, start);
    program.writeUInt8(whereSo, start + 2);
    program.writeUInt8(whereNot, start + 3);
    program.writeUInt32LE(value, start + 4);
  }
  // struct sock_fprog: how many, and where they are.
  const head = Buffer.alloc(16);
  head.writeUInt16LE(instructions.length, 0);
  head.writeBigUInt64LE(loaded()[0].address(program), 8);
  call("setsockopt", "filter", fd, SOL_SOCKET, SO_ATTACH_FILTER, head, head.length);
}
