// Compiles seccomp rules into the kernel's filter (classic BPF) with libseccomp, once for all containers with the same
// rules. Otherwise the OCI runtime would compile them at every start, which takes it longer than all the rest.

import { createRequire } from "node:module";
import { closeSync, fstatSync, readSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import type * as Koffi from "koffi";
import { HostFailure } from "../../hosts/shared/index.js";
import type { Argument, Seccomp } from "./profile.js";

const EPERM = 1;
const ENOSYS = 38;

/**
 * Instructions of the filter, 8 bytes each. Undefined if this machine has no libseccomp: then the runtime must do it.
 */
export function compileFilter(seccomp: Seccomp): Uint8Array | undefined {
  const library = load();
  if (!library) return undefined;
  const fallback = action(seccomp.defaultAction, seccomp.defaultErrnoRet);
  const context = library.init(fallback);
  if (!context) throw new Error(`seccomp_init refuses ${seccomp.defaultAction}`);
  try {
    library.attribute(context, CTL_OPTIMIZE, BINARY_TREE); // if this fails, the filter works anyway
    for (const name of seccomp.architectures) addArchitecture(library, context, name);
    for (const rule of seccomp.syscalls) addRule(library, context, fallback, rule);
    const filter = exported(library, context);
    const newest = seccomp.architectures.map((name) => newestCall(library, seccomp, name));
    return refuses(fallback) ? Buffer.concat([unknownCalls(newest), filter]) : filter;
  } finally {
    library.release(context);
  }
}

interface Library {
  init(action: number): unknown;
  release(context: unknown): void;
  attribute(context: unknown, name: number, value: number): number;
  architecture(name: string): number;
  addArchitecture(context: unknown, token: number): number;
  call(name: string): number;
  callOn(token: number, name: string): number;
  rule(context: unknown, action: number, call: number, count: number, args: Uint8Array): number;
  export(context: unknown, fd: number): number;
  memory(name: string, flags: number): number;
}

const CTL_OPTIMIZE = 8; // SCMP_FLTATR_CTL_OPTIMIZE
const BINARY_TREE = 2;
const MFD_CLOEXEC = 1;
const NO_SUCH_CALL = -1; // __NR_SCMP_ERROR
const EEXIST = 17;
const EDOM = 33;

let library: Library | null | undefined;

function load(): Library | undefined {
  if (library === undefined) library = open();
  return library ?? undefined;
}

function open(): Library | null {
  const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
  try {
    const from = koffi.load("libseccomp.so.2");
    const libc = koffi.load(null);
    return {
      init: from.func("void *seccomp_init(uint32_t action)"),
      release: from.func("void seccomp_release(void *context)"),
      attribute: from.func("int seccomp_attr_set(void *context, int name, uint32_t value)"),
      architecture: from.func("uint32_t seccomp_arch_resolve_name(const char *name)"),
      addArchitecture: from.func("int seccomp_arch_add(void *context, uint32_t token)"),
      call: from.func("int seccomp_syscall_resolve_name(const char *name)"),
      callOn: from.func("int seccomp_syscall_resolve_name_arch(uint32_t token, const char *name)"),
      rule: from.func(
        "int seccomp_rule_add_array(void *context, uint32_t action, int call, unsigned int count, const uint8_t *args)",
      ),
      export: from.func("int seccomp_export_bpf(void *context, int fd)"),
      memory: libc.func("int memfd_create(const char *name, unsigned int flags)"),
    };
  } catch {
    return null;
  }
}

function addArchitecture(library: Library, context: unknown, name: string): void {
  const token = library.architecture(tokenName(name));
  if (token === 0) return; // newer than the library: what comes by way of it is killed
  const result = library.addArchitecture(context, token);
  if (result < 0 && result !== -EEXIST) throw refused("seccomp_arch_add", name, result);
}

function tokenName(name: string): string {
  return name.replace(/^SCMP_ARCH_/, "").toLowerCase();
}

function addRule(library: Library, context: unknown, fallback: number, rule: Seccomp["syscalls"][number]): void {
  const wanted = action(rule.action, rule.errnoRet);
  if (wanted === fallback) return; // libseccomp refuses a rule that changes nothing
  for (const name of rule.names) {
    const call = library.call(name);
    if (call === NO_SUCH_CALL) continue; // a call of another architecture, or newer than the library
    for (const args of alternatives(rule.args ?? [])) {
      const result = library.rule(context, wanted, call, args.length, packed(args));
      // EDOM: the condition cannot be checked on one of the architectures. A rule that exists already (EEXIST) is no
      // error either.
      if (result < 0 && result !== -EDOM && result !== -EEXIST) throw refused("seccomp_rule_add", name, result);
    }
  }
}

/** If two conditions are about the same argument, libseccomp needs a rule for each, so one of them is enough. */
function alternatives(args: readonly Argument[]): (readonly Argument[])[] {
  const isEachOnce = new Set(args.map(({ index }) => index)).size === args.length;
  return isEachOnce ? [args] : args.map((one) => [one]);
}

const ACTIONS: Record<string, number> = {
  SCMP_ACT_KILL: 0,
  SCMP_ACT_KILL_THREAD: 0,
  SCMP_ACT_TRAP: 0x00030000,
  SCMP_ACT_ERRNO: 0x00050000,
  SCMP_ACT_TRACE: 0x7ff00000,
  SCMP_ACT_LOG: 0x7ffc0000,
  SCMP_ACT_ALLOW: 0x7fff0000,
  SCMP_ACT_KILL_PROCESS: 0x80000000,
};

function action(name: string, errno = EPERM): number {
  const found = ACTIONS[name]!;
  return name === "SCMP_ACT_ERRNO" || name === "SCMP_ACT_TRACE" ? found + errno : found;
}

function refuses(fallback: number): boolean {
  return fallback >>> 16 === ACTIONS["SCMP_ACT_ERRNO"]! >>> 16;
}

const OPERATORS = ["", "NE", "LT", "LE", "EQ", "GE", "GT", "MASKED_EQ"];

/** An array of `struct scmp_arg_cmp`. */
function packed(args: readonly Argument[]): Uint8Array {
  const bytes = Buffer.alloc(Math.max(args.length, 1) * 24);
  args.forEach(({ index, op, value, valueTwo }, at) => {
    bytes.writeUInt32LE(index, at * 24);
    bytes.writeUInt32LE(OPERATORS.indexOf(op.replace(/^SCMP_CMP_/, "")), at * 24 + 4);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), at * 24 + 8);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(valueTwo ?? 0)), at * 24 + 16);
  });
  return bytes;
}

function exported(library: Library, context: unknown): Uint8Array {
  const file = library.memory("seccomp", MFD_CLOEXEC);
  try {
    const result = library.export(context, file);
    if (result < 0) throw refused("seccomp_export_bpf", "", result);
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** `result`: a negative errno from libseccomp. */
function refused(call: string, path: string, result: number): HostFailure {
  return new HostFailure({ tag: "call", val: { call, path, inside: false, error: getSystemErrorName(result) } });
}

/** An architecture, and the highest call number that the rules name on it. */
interface Newest {
  architecture: string;
  number: number;
}

function newestCall(library: Library, seccomp: Seccomp, architecture: string): Newest {
  const token = library.architecture(tokenName(architecture));
  const names = seccomp.syscalls.flatMap((rule) => rule.names);
  return { architecture, number: Math.max(-1, ...names.map((name) => library.callOn(token, name))) };
}

const AUDIT_ARCH: Record<string, number> = {
  SCMP_ARCH_X86_64: 0xc000003e,
  SCMP_ARCH_X86: 0x40000003,
  SCMP_ARCH_AARCH64: 0xc00000b7,
  SCMP_ARCH_ARM: 0x40000028,
};
const X32_CALL = 0x40000000;

/**
 * Instructions to put before the filter. A call newer than any in the profile gets ENOSYS instead of the refusal, as
 * with runc, so that programs fall back to an older call.
 */
function unknownCalls(newest: readonly Newest[]): Uint8Array {
  const known = newest.filter(({ architecture, number }) => AUDIT_ARCH[architecture] && number >= 0);
  return Buffer.concat(
    known.map(({ architecture, number }) =>
      Buffer.concat([
        instruction(LOAD, 0, 0, OFFSET_ARCH),
        instruction(JUMP_EQUAL, 0, 4, AUDIT_ARCH[architecture]!),
        instruction(LOAD, 0, 0, OFFSET_NUMBER),
        instruction(JUMP_AT_LEAST, 2, 0, X32_CALL), // x32 numbers its calls from here
        instruction(JUMP_GREATER, 0, 1, number),
        instruction(RETURN, 0, 0, ACTIONS["SCMP_ACT_ERRNO"]! + ENOSYS),
      ]),
    ),
  );
}

// Classic BPF on `struct seccomp_data` (linux/filter.h, linux/seccomp.h).
const OFFSET_NUMBER = 0;
const OFFSET_ARCH = 4;
const LOAD = 0x20;
const RETURN = 0x06;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_AT_LEAST = 0x35;

function instruction(code: number, yes: number, no: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
