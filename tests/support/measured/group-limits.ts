// The limits of a container's own cgroup, from its files, with the same names for cgroup v1 and v2.

/** A script that prints them; `limitsShown` parses its output. */
export const SHOW_LIMITS = `
cd /sys/fs/cgroup
test -d memory && files="cpu/cpu.shares cpu/cpu.cfs_period_us cpu/cpu.cfs_quota_us cpuset/cpuset.cpus cpuset/cpuset.mems
  memory/memory.limit_in_bytes memory/memory.memsw.limit_in_bytes memory/memory.soft_limit_in_bytes pids/pids.max"
test -d memory || files="cpu.weight cpu.max cpuset.cpus cpuset.mems memory.max memory.swap.max memory.low pids.max"
for file in $files; do echo "$file $(cat $file)"; done`;

/** Bytes, microseconds and numbers; Infinity if there is no limit. */
export interface GroupLimits {
  /** Shares of v1, or the weight that runtimes compute from them: see `sharesOf`. */
  readonly shares: number;
  readonly period: number;
  readonly quota: number;
  /** In the cgroup's notation: `0-1`. */
  readonly cpus: string;
  readonly nodes: string;
  readonly memory: number;
  /** The sum of memory and swap. */
  readonly both: number;
  /** 0 for none. */
  readonly reservation: number;
  readonly processes: number;
}

export function limitsShown(output: string): GroupLimits {
  const lines = output.trim().split("\n");
  const files = new Map(lines.map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1).trim()]));
  const text = (file: string): string => files.get(file) ?? "";
  const number = (file: string): number => limit(text(file));
  if (!files.has("memory/memory.limit_in_bytes")) return ofV2(text, number);
  const soft = number("memory/memory.soft_limit_in_bytes");
  return {
    shares: number("cpu/cpu.shares"),
    period: number("cpu/cpu.cfs_period_us"),
    quota: number("cpu/cpu.cfs_quota_us"),
    cpus: text("cpuset/cpuset.cpus"),
    nodes: text("cpuset/cpuset.mems"),
    memory: number("memory/memory.limit_in_bytes"),
    both: number("memory/memory.memsw.limit_in_bytes"),
    reservation: soft === Infinity ? 0 : soft,
    processes: number("pids/pids.max"),
  };
}

function ofV2(text: (file: string) => string, number: (file: string) => number): GroupLimits {
  const [quota = "", period = ""] = text("cpu.max").split(" ");
  return {
    shares: number("cpu.weight"),
    period: limit(period),
    quota: limit(quota),
    cpus: text("cpuset.cpus"),
    nodes: text("cpuset.mems"),
    memory: number("memory.max"),
    both: number("memory.max") + number("memory.swap.max"),
    reservation: number("memory.low"),
    processes: number("pids.max"),
  };
}

/** Without a limit, v1 reports the largest multiple of a page. */
function limit(text: string): number {
  const value = text === "max" ? Infinity : Number(text);
  return value < 0 || value >= 2 ** 62 ? Infinity : value;
}

/** The values that a cgroup may show for shares: unchanged, or as a weight (OCI runtimes' conversion). */
export function sharesOf(shares: number): number[] {
  return [shares, 1 + Math.floor(((shares - 2) * 9999) / 262_142)];
}
