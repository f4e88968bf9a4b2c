// The capabilities that a process in a container begins with (capabilities(7)): those that this machine lets the engine hand
// on, and none that are effective but for root.

import { readFileSync } from "node:fs";

// In the order of their numbers.
const NAMES = (
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE " +
  "NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN " +
  "SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE " +
  "MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE"
)
  .split(" ")
  .map((name) => `CAP_${name}`);

export type Capabilities = Partial<
  Record<"bounding" | "permitted" | "effective" | "inheritable" | "ambient", string[]>
>;

let own: ReadonlySet<string> | undefined;

/** Those of `names` that the engine has itself: a runtime fails at any other. */
export function availableOf(names: readonly string[]): string[] {
  own ??= parseBounding(readFileSync("/proc/self/status", "utf8"));
  return names.filter((name) => own!.has(name));
}

/** `CapBnd` of proc_pid_status(5). */
export function parseBounding(status: string): Set<string> {
  const bits = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return new Set(NAMES.filter((_, bit) => (bits >> BigInt(bit)) & 1n));
}

/** A privileged container has all that there are; an engine that lacks some itself cannot hand those on. */
export function available(capabilities: Capabilities): Capabilities {
  return Object.fromEntries(Object.entries(capabilities).map(([set, names]) => [set, availableOf(names)]));
}

/**
 * Of a user but root: what execve(2) would leave anyway; said to the runtime so that there is no moment before it with more.
 */
export function atStart(uid: number, capabilities: Capabilities): Capabilities {
  if (uid === 0) return capabilities;
  const { bounding = [] } = capabilities;
  return { bounding, permitted: [], effective: [], inheritable: [], ambient: [] };
}
