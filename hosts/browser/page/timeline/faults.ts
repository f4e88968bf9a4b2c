// The faults of the simulated world in plain words, and what to look for.

import type { Fault } from "../../../simulated/faults.js";

export interface OfferedFault {
  readonly group: "Registry" | "Disk" | "Containers" | "Engine, later";
  readonly label: string;
  /** What to look for. */
  readonly watch: string;
  readonly fault: Fault;
  /** How often it strikes; for ever if not given. */
  readonly times?: number;
}

export const FAULTS: readonly OfferedFault[] = [
  {
    group: "Registry",
    label: "No registry answers",
    watch: "Pull an image: the error names the address",
    fault: { kind: "registry-down" },
  },
  {
    group: "Registry",
    label: "The registry answers 401",
    watch: "Pull: what does the engine say about logging in?",
    fault: { kind: "registry-unauthorized" },
  },
  {
    group: "Registry",
    label: "The registry answers 429 (30 s)",
    watch: "Pull: it says when to come back",
    fault: { kind: "registry-limited", retryAfter: 30 },
  },
  {
    group: "Registry",
    label: "The link is slow (64 kB/s)",
    watch: "Pull alpine and watch the bars",
    fault: { kind: "registry-slow", bytesPerSecond: 64_000 },
  },
  {
    group: "Registry",
    label: "The connection breaks once, in a layer",
    watch: "Pull: does it go on where it was?",
    fault: { kind: "registry-cut", afterBytes: 20_000 },
    times: 1,
  },
  {
    group: "Registry",
    label: "A layer's bytes are wrong",
    watch: "Pull: the digest gives it away",
    fault: { kind: "registry-corrupt" },
    times: 1,
  },
  {
    group: "Disk",
    label: "The disk is full",
    watch: "Pull, or let a container write a file",
    fault: { kind: "disk-full" },
  },
  {
    group: "Disk",
    label: "Records cannot be kept",
    watch: "Create a container: nothing is promised that is not kept",
    fault: { kind: "records-full" },
  },
  {
    group: "Containers",
    label: "Processes ignore SIGTERM",
    watch: "Stop one: it takes ten seconds, and ends with 137",
    fault: { kind: "ignore-sigterm" },
  },
  {
    group: "Containers",
    label: "The next process dies at once",
    watch: "Start a container: exit code 1",
    fault: { kind: "die-at-once", code: 1 },
    times: 1,
  },
  {
    group: "Containers",
    label: "Running processes run out of memory",
    watch: "137, and OOMKilled in what inspect says",
    fault: { kind: "out-of-memory" },
    times: 1,
  },
  {
    group: "Containers",
    label: "The OCI runtime fails",
    watch: "Start a container: it stays created",
    fault: { kind: "runtime-fails", message: "cannot set up the cgroup" },
    times: 1,
  },
  {
    group: "Containers",
    label: "A supervisor is killed",
    watch: "The exit code goes with it",
    fault: { kind: "supervisor-lost" },
    times: 1,
  },
  {
    group: "Engine, later",
    label: "Kill the engine after three more outputs",
    watch: "Start a container: it is left half started",
    fault: { kind: "engine-crash", afterOutputs: 3 },
    times: 1,
  },
];
