// Where everything is on disk. The data root survives a reboot; the exec root, usually a tmpfs, does not.

import { createHash } from "node:crypto";
import { join } from "node:path";

/** Roots of one engine, as absolute paths. */
export interface Roots {
  /** For what must be kept: `--data-root`. */
  data: string;
  /** For what lasts until the next reboot: `--exec-root`. */
  exec: string;
}

/** The default roots. */
const DEFAULT_DATA_ROOT = "/var/lib/coracle";
const DEFAULT_EXEC_ROOT = "/run/coracle";
/** Bytes of an interface's name (IFNAMSIZ, without the final zero). */
const LONGEST_INTERFACE = 15;

/** Names of all files and directories. This class makes none of them. */
export class Paths {
  constructor(readonly roots: Roots) {}

  // Data root.

  /** Database of the records. */
  records(): string {
    return join(this.roots.data, "records");
  }

  /** Unpacked layers; the content code chooses `name`. */
  layers(...name: string[]): string {
    return join(this.roots.data, "layers", ...name);
  }

  /** Layers' blobs as they were received. */
  blobs(...name: string[]): string {
    return join(this.roots.data, "blobs", ...name);
  }

  /** Archives held for the core; removed at each start. */
  archives(...name: string[]): string {
    return join(this.roots.data, "archives", ...name);
  }

  /** Containers' files on disk, one directory each. */
  containers(): string {
    return join(this.roots.data, "containers");
  }

  container(id: string): string {
    return join(this.containers(), id);
  }

  /** Overlay's upper directory: the files that a container has written. */
  upper(id: string): string {
    return join(this.container(id), "upper");
  }

  /** Overlay's work directory. */
  work(id: string): string {
    return join(this.container(id), "work");
  }

  /** The tar that the container's files are still in. */
  heldTar(id: string): string {
    return join(this.container(id), "held.tar");
  }

  /** The tar of a copy whose files are not in the container yet. */
  copiedTar(id: string): string {
    return join(this.container(id), "copied.tar");
  }

  /** One log for all runs, in conmon's k8s-file format. */
  log(id: string): string {
    return join(this.container(id), "log");
  }

  /** A file made for a container: `hosts`, `hostname` or `resolv.conf`. */
  containerFile(id: string, name: string): string {
    return join(this.container(id), name);
  }

  volumes(): string {
    return join(this.roots.data, "volumes");
  }

  /** The files of a volume. */
  volume(name: string): string {
    return join(this.volumes(), name, "_data");
  }

  /** Directories with files that belong to records and cannot be recreated. */
  owned(): string[] {
    return [this.containers(), this.volumes()];
  }

  // Exec root.

  /** Mounted containers and their runs, one directory each. It is a shared mount, see `launch/hybrid.ts`. */
  live(): string {
    return join(this.roots.exec, "containers");
  }

  liveContainer(id: string): string {
    return join(this.live(), id);
  }

  /** Mount point of a container's file system. */
  rootfs(id: string): string {
    return join(this.liveContainer(id), "rootfs");
  }

  /** Everything that is kept for a container's runs. */
  runs(id: string): string {
    return join(this.liveContainer(id), "runs");
  }

  /** The file of a container that is nothing but a secret. */
  heldSecret(id: string): string {
    return join(this.rootfs(id), "secret");
  }

  /** The socket of a container that is nothing but an ssh agent. */
  agent(id: string): string {
    return join(this.rootfs(id), "agent");
  }

  /** Bundle, pid files and sockets of one run. */
  run(id: string, run: number): string {
    return join(this.runs(id), String(run));
  }

  /** State of the network code, which chooses `name`. */
  networks(...name: string[]): string {
    return join(this.roots.exec, "networks", ...name);
  }

  /** A container's network namespace: a file with the namespace mounted on it. */
  namespace(id: string): string {
    return this.networks("ns", id);
  }

  /** Parent of all containers' control groups, in every hierarchy. Each engine has its own, so it may remove it. */
  cgroupParent(): string {
    const { exec } = this.roots;
    return exec === DEFAULT_EXEC_ROOT ? "/coracle" : `/coracle-${shortHash(exec)}`;
  }

  /**
   * Interface of the default bridge, for an engine that has none yet. Each engine has its own: two that shared a bridge
   * would put their containers on one network. It follows from the data root, since the record of the network is there.
   */
  defaultBridge(): string {
    const { data } = this.roots;
    return data === DEFAULT_DATA_ROOT ? "coracle0" : `coracle-${shortHash(data)}`.slice(0, LONGEST_INTERFACE);
  }

  /** Table of the kernel's packet filter with the rules of all networks. Each engine has its own, as it has a bridge. */
  filterTable(): string {
    const isDefault = this.roots.data === DEFAULT_DATA_ROOT;
    return isDefault ? "coracle" : `coracle-${shortHash(this.roots.data)}`;
  }

  /** Number of a group of network interfaces: that of the engine's bridges. Whoever sets none is in group 0. */
  linkGroup(): number {
    const bits = Number.parseInt(shortHash(this.filterTable()), 16) & 0x3fff_ffff;
    return 0x4000_0000 | bits; // ip(8) takes no number with more than 31 bits
  }

  /** Control group of a container: `linux.cgroupsPath` of its spec. */
  cgroup(id: string): string {
    return `${this.cgroupParent()}/${id}`;
  }

  /** State of an OCI runtime (`--root`). */
  runtime(name: string): string {
    return join(this.roots.exec, "runtime", name);
  }

  /** Name by which supervisors are started if they run from memory. */
  supervisor(): string {
    return join(this.roots.exec, "conmon");
  }

  /** Where supervisors leave exit codes: one file for each run, named by `runName`. */
  exits(): string {
    return join(this.roots.exec, "exits");
  }
}

function shortHash(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 8);
}

/** The name of one run of a container for supervisor and runtime. Unlike the container's id, it is never reused. */
export function runName(id: string, run: number): string {
  return `${id}.${run}`;
}

/** Parses a name from `runName`; undefined for anything else. */
export function parseRunName(name: string): { container: string; run: number } | undefined {
  const match = /^([0-9a-f]{64})\.([1-9][0-9]*)$/.exec(name);
  return match?.[1] && match[2] ? { container: match[1], run: Number(match[2]) } : undefined;
}

/**
 * The run whose exit code was being written. conmon writes a temporary file and renames it (g_file_set_contents(3)).
 */
export function parseUnfinished(name: string): string | undefined {
  const whole = /^(.+)\.[0-9A-Za-z]{6}$/.exec(name)?.[1];
  return whole !== undefined && parseRunName(whole) ? whole : undefined;
}
