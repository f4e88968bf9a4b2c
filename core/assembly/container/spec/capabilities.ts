// The capabilities of a container's processes.

// Docker's default set.
const DEFAULTS: string[] = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_FSETID",
  "CAP_FOWNER",
  "CAP_MKNOD",
  "CAP_NET_RAW",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_SETFCAP",
  "CAP_SETPCAP",
  "CAP_NET_BIND_SERVICE",
  "CAP_SYS_CHROOT",
  "CAP_KILL",
  "CAP_AUDIT_WRITE",
];

// All capabilities from capabilities(7), in the order of their numbers.
const KNOWN: string[] = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_DAC_READ_SEARCH",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_SETPCAP",
  "CAP_LINUX_IMMUTABLE",
  "CAP_NET_BIND_SERVICE",
  "CAP_NET_BROADCAST",
  "CAP_NET_ADMIN",
  "CAP_NET_RAW",
  "CAP_IPC_LOCK",
  "CAP_IPC_OWNER",
  "CAP_SYS_MODULE",
  "CAP_SYS_RAWIO",
  "CAP_SYS_CHROOT",
  "CAP_SYS_PTRACE",
  "CAP_SYS_PACCT",
  "CAP_SYS_ADMIN",
  "CAP_SYS_BOOT",
  "CAP_SYS_NICE",
  "CAP_SYS_RESOURCE",
  "CAP_SYS_TIME",
  "CAP_SYS_TTY_CONFIG",
  "CAP_MKNOD",
  "CAP_LEASE",
  "CAP_AUDIT_WRITE",
  "CAP_AUDIT_CONTROL",
  "CAP_SETFCAP",
  "CAP_MAC_OVERRIDE",
  "CAP_MAC_ADMIN",
  "CAP_SYSLOG",
  "CAP_WAKE_ALARM",
  "CAP_BLOCK_SUSPEND",
  "CAP_AUDIT_READ",
  "CAP_PERFMON",
  "CAP_BPF",
  "CAP_CHECKPOINT_RESTORE",
];

/** `net_admin` → `CAP_NET_ADMIN`; `ALL` stays as it is. */
export function capabilityName(text: string): string {
  const name = text.toUpperCase();
  return name == "ALL" || name.startsWith("CAP_") ? name : "CAP_" + name;
}

/** The first unknown name, or empty. */
export function unknownCapability(names: string[]): string {
  for (let i = 0; i < names.length; i++) {
    const name = capabilityName(names[i]);
    if (name != "ALL" && !KNOWN.includes(name)) return name;
  }
  return "";
}

/** All capabilities, as a privileged container has them. */
export function allCapabilities(): string[] {
  return KNOWN;
}

/**
 * Begins with the default set, or with all if `ALL` is added,
 * or none if `ALL` is dropped; then applies the other names.
 */
export function capabilitiesOf(add: string[], drop: string[]): string[] {
  const added = namesOf(add);
  const dropped = namesOf(drop);
  const base = added.includes("ALL") ? KNOWN : dropped.includes("ALL") ? [] : DEFAULTS;
  const result: string[] = [];
  for (let i = 0; i < KNOWN.length; i++) {
    const name = KNOWN[i];
    const wanted = added.includes(name) || (base.includes(name) && !dropped.includes(name));
    if (wanted && !(added.includes("ALL") && dropped.includes(name))) result.push(name);
  }
  return result;
}

function namesOf(texts: string[]): string[] {
  const names: string[] = [];
  for (let i = 0; i < texts.length; i++) names.push(capabilityName(texts[i]));
  return names;
}
