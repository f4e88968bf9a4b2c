// Seccomp profiles in Docker's JSON format, and the part of one that applies to a container: the spec's
// `linux.seccomp`.

/** Condition on an argument of a system call. */
export interface Argument {
  index: number;
  value: Operand;
  valueTwo?: Operand;
  op: string;
}

/** An unsigned integer of 64 bits: a BigInt if a number might not be exact. */
export type Operand = number | bigint;

/** When a rule applies: every given condition must hold (for architectures, any of them). */
export interface Condition {
  caps?: string[];
  arches?: string[];
  /** `4.8` */
  minKernel?: string;
}

export interface Rule {
  names?: string[];
  /** Old form of `names`. */
  name?: string;
  action: string;
  errnoRet?: number;
  args?: Argument[] | null;
  includes?: Condition;
  excludes?: Condition;
}

export interface Profile {
  defaultAction: string;
  defaultErrnoRet?: number;
  archMap?: { architecture: string; subArchitectures?: string[] | null }[];
  architectures?: string[];
  flags?: string[];
  syscalls?: Rule[] | null;
}

/** `linux.seccomp` of the OCI runtime spec. */
export interface Seccomp {
  defaultAction: string;
  defaultErrnoRet?: number;
  architectures: string[];
  flags?: string[];
  syscalls: { names: string[]; action: string; errnoRet?: number; args?: Argument[] }[];
}

/** The circumstances in which a profile is applied. */
export interface Circumstances {
  /** The container's bounding set: `CAP_CHOWN` … */
  capabilities: readonly string[];
  /** Go's name: `amd64`. */
  architecture: string;
  /** Kernel release: `6.18.44`. */
  kernel: string;
}

/** Parses a profile. It was checked by the core. */
export function parseProfile(text: string): Profile {
  // JSON.parse would round long operands, so it gets them as strings. No checked profile has strings there.
  const quoted = text.replaceAll(/("value(?:Two)?":)(\d{16,})/g, '$1"$2"');
  return JSON.parse(quoted, (key, value: unknown) => (isLongOperand(key, value) ? BigInt(value) : value)) as Profile;
}

function isLongOperand(key: string, value: unknown): value is string {
  return (key === "value" || key === "valueTwo") && typeof value === "string";
}

/** The part of a profile that applies. */
export function applyProfile(profile: Profile, to: Circumstances): Seccomp {
  const rules = (profile.syscalls ?? []).filter((rule) => applies(rule, to));
  return {
    defaultAction: profile.defaultAction,
    ...(profile.defaultErrnoRet !== undefined && { defaultErrnoRet: profile.defaultErrnoRet }),
    architectures: architectures(profile, to.architecture),
    ...(profile.flags?.length && { flags: profile.flags }),
    syscalls: rules.map(({ names, name, action, errnoRet, args }) => ({
      names: names?.length ? names : name ? [name] : [],
      action,
      ...(errnoRet !== undefined && { errnoRet }),
      ...(args?.length && { args }),
    })),
  };
}

/** libseccomp's names for Go's architectures. */
const NATIVE: Record<string, string> = {
  "386": "SCMP_ARCH_X86",
  amd64: "SCMP_ARCH_X86_64",
  arm: "SCMP_ARCH_ARM",
  arm64: "SCMP_ARCH_AARCH64",
  ppc64le: "SCMP_ARCH_PPC64LE",
  riscv64: "SCMP_ARCH_RISCV64",
  s390x: "SCMP_ARCH_S390X",
};

function architectures(profile: Profile, architecture: string): string[] {
  const native = NATIVE[architecture];
  const mapped = profile.archMap?.find((entry) => entry.architecture === native);
  return mapped ? [mapped.architecture, ...(mapped.subArchitectures ?? [])] : (profile.architectures ?? []);
}

function applies({ includes, excludes }: Rule, to: Circumstances): boolean {
  const has = (capability: string) => to.capabilities.includes(capability);
  if (excludes?.arches?.includes(to.architecture) || excludes?.caps?.some(has)) return false;
  if (excludes?.minKernel && isAtLeast(to.kernel, excludes.minKernel)) return false;
  if (includes?.arches?.length && !includes.arches.includes(to.architecture)) return false;
  if (includes?.caps && !includes.caps.every(has)) return false;
  return !includes?.minKernel || isAtLeast(to.kernel, includes.minKernel);
}

/** Compares `major.minor`. */
function isAtLeast(kernel: string, least: string): boolean {
  const [[major = 0, minor = 0], [leastMajor = 0, leastMinor = 0]] = [kernel, least].map((text) =>
    text.split(/[.-]/).map(Number),
  ) as [number[], number[]];
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
