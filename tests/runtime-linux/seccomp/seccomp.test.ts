// Seccomp profiles, and the default filter in use.

import { describe, expect, it } from "vitest";
import { DEFAULT_PROFILE } from "../../../runtime-linux/seccomp/default-profile.js";
import { compileFilter } from "../../../runtime-linux/seccomp/filter.js";
import {
  applyProfile,
  parseProfile,
  type Circumstances,
  type Profile,
} from "../../../runtime-linux/seccomp/profile.js";
import { describeUnless } from "../../support/on-engines.js";

const HERE: Circumstances = { capabilities: ["CAP_SYS_CHROOT"], architecture: "amd64", kernel: "6.1.0" };

describe("a profile", () => {
  const names = (profile: Profile, to: Partial<Circumstances> = {}) =>
    applyProfile(profile, { ...HERE, ...to }).syscalls.flatMap((rule) => rule.names);
  const rule = (more: object): Profile => ({
    defaultAction: "SCMP_ACT_ERRNO",
    syscalls: [{ names: ["x"], action: "SCMP_ACT_ALLOW", ...more }],
  });

  it("allows more with a capability", () => {
    const [without, withAdmin] = [names(DEFAULT_PROFILE), names(DEFAULT_PROFILE, { capabilities: ["CAP_SYS_ADMIN"] })];
    expect(without).toContain("chroot");
    expect(without).not.toContain("mount");
    expect(withAdmin).toContain("mount");
    expect(withAdmin).not.toContain("chroot");
  });

  it("knows the architectures that go with one", () => {
    const all = (architecture: string) => applyProfile(DEFAULT_PROFILE, { ...HERE, architecture }).architectures;
    expect(all("amd64")).toEqual(["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]);
    expect(all("arm64")).toEqual(["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"]);
  });

  it.each([
    [{ includes: { minKernel: "6.1" } }, 1],
    [{ includes: { minKernel: "6.2" } }, 0],
    [{ excludes: { minKernel: "4.8" } }, 0],
    [{ includes: { arches: ["arm64"] } }, 0],
    [{ includes: { arches: ["arm64", "amd64"] } }, 1],
    [{ excludes: { arches: ["amd64"] } }, 0],
    [{ includes: { caps: ["CAP_SYS_CHROOT"] } }, 1],
    [{ includes: { caps: ["CAP_SYS_CHROOT", "CAP_BPF"] } }, 0],
    [{ excludes: { caps: ["CAP_SYS_CHROOT"] } }, 0],
  ])("applies %j", (condition, count) => {
    expect(names(rule(condition))).toHaveLength(count);
  });

  it("may be in the old format", () => {
    const old = '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"name":"read","action":"SCMP_ACT_ALLOW","args":[]}]}';
    expect(applyProfile(parseProfile(old), HERE).syscalls).toEqual([{ names: ["read"], action: "SCMP_ACT_ALLOW" }]);
  });
});

const X86_64 = 0xc000003e;
const I386 = 0x40000003;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const [EPERM, ENOSYS] = [ERRNO + 1, ERRNO + 38];

const filter = process.arch === "x64" ? compileFilter(applyProfile(DEFAULT_PROFILE, HERE)) : undefined;
const missing = filter ? null : "the default filter needs x86-64 and libseccomp";

describeUnless(missing, "the default filter", () => {
  it.each([
    ["read", X86_64, 0, [], ALLOW],
    ["chroot, by capability", X86_64, 161, [], ALLOW],
    ["mount, without", X86_64, 165, [], EPERM],
    ["keyctl", X86_64, 250, [], EPERM],
    ["io_uring_setup", X86_64, 425, [], EPERM],
    ["clone of a thread", X86_64, 56, [0x3d0f00], ALLOW],
    ["clone of a user namespace", X86_64, 56, [0x10000000], EPERM],
    ["clone3", X86_64, 435, [], ENOSYS],
    ["socket of the internet", X86_64, 41, [2], ALLOW],
    ["socket to the hypervisor", X86_64, 41, [40], EPERM],
    ["personality, as a query", X86_64, 135, [0xffffffff], ALLOW],
    ["personality without randomized addresses", X86_64, 135, [0x40000], EPERM],
    ["a call of a future kernel", X86_64, 5000, [], ENOSYS],
    ["read by a 32-bit program", I386, 3, [], ALLOW],
    ["mount by a 32-bit program", I386, 21, [], EPERM],
    ["a future call by a 32-bit program", I386, 5000, [], ENOSYS],
    ["read by an x32 program", X86_64, 0x40000000, [], ALLOW],
    ["mount by an x32 program", X86_64, 0x40000000 + 165, [], EPERM],
  ])("%s", (_, architecture, call, args, decision) => {
    expect(decide(filter!, architecture, call, args).toString(16)).toBe(decision.toString(16));
  });

  it("kills calls of another architecture", () => {
    expect(decide(filter!, 0xc00000b7, 63, [])).toBe(0);
  });
});

/** One more than the largest integer up to which numbers are exact, so it would be rounded down. */
const ODD = 2n ** 53n + 1n;

it("compares all 64 bits of arguments", ({ skip }) => {
  if (missing !== null) skip(missing);
  const rule = (names: string[], condition: string) =>
    `{"names":${JSON.stringify(names)},"action":"SCMP_ACT_ERRNO","args":[{"index":1,${condition}}]}`;
  const equal = rule(["ftruncate"], `"value":${ODD},"op":"SCMP_CMP_EQ"`);
  const masked = rule(["truncate"], `"value":${2n ** 64n - 1n},"valueTwo":${ODD},"op":"SCMP_CMP_MASKED_EQ"`);
  const profile = `{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[${equal},${masked}]}`;
  const compiled = compileFilter(applyProfile(parseProfile(profile), HERE))!;
  for (const call of [77, 76]) {
    const decided = [ODD - 1n, ODD, ODD + 1n].map((length) => decide(compiled, X86_64, call, [3, length]));
    expect(decided).toEqual([ALLOW, EPERM, ALLOW]);
  }
});

it("needs only one of the conditions on the same argument, as runc does", ({ skip }) => {
  if (missing !== null) skip(missing);
  const args = [1, 2].map((value) => ({ index: 0, value, op: "SCMP_CMP_EQ" }));
  const syscalls = [{ names: ["socket"], action: "SCMP_ACT_ERRNO", args }];
  const compiled = compileFilter(applyProfile({ defaultAction: "SCMP_ACT_ALLOW", syscalls }, HERE))!;
  expect([1, 2, 3].map((family) => decide(compiled, X86_64, 41, [family]))).toEqual([EPERM, EPERM, ALLOW]);
});

it("leaves out an architecture that libseccomp does not know", ({ skip }) => {
  if (missing !== null) skip(missing);
  const compiled = (architectures: string[]) =>
    compileFilter(applyProfile({ defaultAction: "SCMP_ACT_ALLOW", architectures }, HERE));
  expect(compiled(["SCMP_ARCH_Z80"])).toEqual(compiled([]));
});

/** Runs a filter as the kernel does: classic BPF on `struct seccomp_data`. */
function decide(filter: Uint8Array, architecture: number, call: number, args: readonly (number | bigint)[]): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((value, at) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * at));
  const program = Buffer.from(filter);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program[at * 8 + 2]!, program[at * 8 + 3]!];
    const value = program.readUInt32LE(at * 8 + 4);
    const jump = (is: boolean) => (at += is ? yes : no);
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x05) at += value;
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x25) jump(accumulator > value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`unknown instruction ${code.toString(16)}`);
  }
}
