// The state of the crash tests' world, and how it is copied.

export interface Process {
  container: string;
  run: number;
  status: "running" | "unstarted" | "exited" | "lost";
  frozen: boolean;
  /** Ignores SIGTERM. */
  stubborn: boolean;
  /** The container whose pid namespace it joined; empty for none. */
  joined: string;
  /** SIGTERM arrived while it was frozen. */
  pending: boolean;
  code: number;
  /** Its memory limit; 0 for none. */
  memory: number;
  /** Its hosts file. */
  hosts: string;
  /** Volumes that it has mounted. */
  volumes: Set<string>;
}

/** An exec of a run. */
export interface Exec {
  exec: string;
  container: string;
  run: number;
  running: boolean;
  /** Set once it has ended. */
  code?: number;
}

export interface Join {
  container: string;
  network: string;
  /** Empty for no address of the family. */
  address: string;
  ipv6Address: string;
  ports: string[];
}

/** The whole state, which can be copied. */
export interface State {
  mounts: Map<string, string | null>;
  /** Containers that were mounted at some time. */
  mountedOnce: Set<string>;
  files: Set<string>;
  /** By container and network. */
  joins: Map<string, Join>;
  /** Containers with a network namespace. */
  sandboxes: Set<string>;
  networks: Set<string>;
  volumes: Set<string>;
  /** ChainID → the one below. */
  chains: Map<string, string | null>;
  /** The same for layers that a crash takes away. */
  unflushed: Map<string, string | null>;
  processes: Map<string, Process>;
  execs: Map<string, Exec>;
  archives: Map<string, Map<string, Uint8Array>>;
  commits: number;
}

export function processOf(container: string, run: number, status: Process["status"]): Process {
  const asked = { joined: "", stubborn: false, memory: 0, hosts: "", volumes: new Set<string>() };
  return { container, run, status, frozen: false, pending: false, code: 0, ...asked };
}

export function copyOf(state: State): State {
  return {
    mounts: new Map(state.mounts),
    mountedOnce: new Set(state.mountedOnce),
    files: new Set(state.files),
    joins: new Map(state.joins),
    sandboxes: new Set(state.sandboxes),
    networks: new Set(state.networks),
    volumes: new Set(state.volumes),
    chains: new Map(state.chains),
    unflushed: new Map(state.unflushed),
    processes: new Map(Array.from(state.processes, ([run, process]) => [run, { ...process }])),
    execs: new Map(Array.from(state.execs, ([id, exec]) => [id, { ...exec }])),
    archives: new Map(state.archives),
    commits: state.commits,
  };
}

export function emptyState(): State {
  return {
    mounts: new Map(),
    mountedOnce: new Set(),
    files: new Set(),
    joins: new Map(),
    sandboxes: new Set(),
    networks: new Set(),
    volumes: new Set(),
    chains: new Map(),
    unflushed: new Map(),
    processes: new Map(),
    execs: new Map(),
    archives: new Map(),
    commits: 0,
  };
}
