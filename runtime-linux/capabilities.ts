// The capabilities that a container's process starts with (capabilities(7)): those that this machine lets the engine
// pass on. Only root has effective ones.

import { readFileSync } from "node:fs";

// In numeric order.
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

/** The names that the engine holds itself. An OCI runtime fails at any other. */
export function availableOf(names: readonly string[]): string[] {
  own ??= parseBounding(readFileSync("/proc/self/status", "utf8"));
  return names.filter((name) => own!.has(name));
}

/** `CapBnd` of proc_pid_status(5). */
export function parseBounding(status: string): Set<string> {
  const bits = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return new Set(NAMES.filter((_, bit) => (bits >> BigInt(bit)) & 1n));
}

/** A privileged container gets every capability. If the engine lacks some itself, it cannot pass those on. */
export function available(capabilities: Capabilities): Capabilities {
  return Object.fromEntries(Object.entries(capabilities).map(([set, names]) => [set, availableOf(names)]));
}

/**
 * For a user other than root: the sets that execve(2) would leave anyway. The runtime gets them in advance, so that the
 * process never has more, not even for a moment.
 */
export function atStart(uid: number, capabilities: Capabilities): Capabilities {
  if (uid === 0) return capabilities;
  const { bounding = [] } = capabilities;
  return { bounding, permitted: [], effective: [], inheritable: [], ambient: [] };
}
