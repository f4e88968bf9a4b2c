// The faults of the simulated world in plain words, each with what to look for: the "Break it" menu.

import type { Fault } from "../../simulated/index.js";

export interface FaultText {
  /** The text in the menu. */
  readonly label: string;
  /** What to try, and what happens then. */
  readonly lookFor: string;
  /** The fault that the menu injects. */
  readonly fault: Fault;
  /** How many times it strikes; until it is lifted if not given. */
  readonly times?: number;
}

/** One text for each kind of fault. */
export const FAULT_TEXTS: { readonly [Kind in Fault["kind"]]: FaultText } = {
  "registry-down": {
    label: "The registry is down",
    lookFor:
      "Pull an image: the engine cannot connect, answers 500 and says why. Images that are already here still work.",
    fault: { kind: "registry-down" },
  },
  "registry-unauthorized": {
    label: "The registry refuses everybody (401)",
    lookFor: "Pull an image: the registry denies access, whatever credentials the header holds.",
    fault: { kind: "registry-unauthorized" },
  },
  "registry-limited": {
    label: "The registry answers 429: too many requests",
    lookFor: "Pull an image: the registry says how long to wait. See in the steps what the engine does.",
    fault: { kind: "registry-limited", retryAfter: 5 },
  },
  "registry-fails": {
    label: "The registry answers 503: service unavailable",
    lookFor:
      "Pull an image: the engine asks again, with a pause. Push one: the upload goes on when you lift the fault.",
    fault: { kind: "registry-fails", status: 503 },
  },
  "registry-slow": {
    label: "The registry sends 100 KB per second",
    lookFor: "Pull an image and watch the bars: one for each layer, several at once.",
    fault: { kind: "registry-slow", bytesPerSecond: 100_000 },
  },
  "registry-cut": {
    label: "The connection breaks off in the middle of a layer",
    lookFor: "Pull an image: watch what happens to the half-finished layer.",
    fault: { kind: "registry-cut", afterBytes: 20_000 },
    times: 1,
  },
  "registry-corrupt": {
    label: "The registry sends wrong bytes",
    lookFor: "Pull an image: the digest does not match, so the engine discards the layer.",
    fault: { kind: "registry-corrupt" },
    times: 1,
  },
  "disk-full": {
    label: "The disk is full",
    lookFor: "Pull an image, or let a container write a file: the write fails with “no space left”.",
    fault: { kind: "disk-full" },
  },
  "records-full": {
    label: "The engine cannot write its records",
    lookFor:
      "Create a container: the engine cannot record it, so the answer is 500. Lift the fault, and the engine continues.",
    fault: { kind: "records-full" },
  },
  "ignore-sigterm": {
    label: "Processes ignore SIGTERM",
    lookFor: "Stop a container: the engine waits ten seconds, then sends SIGKILL. The exit code is 137.",
    fault: { kind: "ignore-sigterm" },
  },
  "die-at-once": {
    label: "Processes exit right after their start",
    lookFor: "Start a container: the answer is 204, because it did start. Look at its exit code a moment later.",
    fault: { kind: "die-at-once", code: 3 },
  },
  "out-of-memory": {
    label: "The kernel runs out of memory",
    lookFor: "Inspect a container that was running: the exit code is 137, and OOMKilled is true.",
    fault: { kind: "out-of-memory" },
    times: 1,
  },
  "runtime-fails": {
    label: "The OCI runtime cannot start containers",
    lookFor: "Start a container: the answer has the runtime's message, and the container is in its old state again.",
    fault: { kind: "runtime-fails", message: "unable to apply cgroup configuration" },
  },
  "supervisor-lost": {
    label: "A container's supervisor is killed",
    lookFor: "Inspect the container: it has ended, and its real exit code is lost.",
    fault: { kind: "supervisor-lost" },
    times: 1,
  },
  "network-cut": {
    label: "All network cables are cut",
    lookFor: "Let a container ping another one: nothing comes back. Lift the fault, and answers come again.",
    fault: { kind: "network-cut" },
  },
  "network-loss": {
    label: "Every third packet gets lost",
    lookFor: "Let a container ping another one: some answers are missing. A download takes longer, but arrives whole.",
    fault: { kind: "network-loss", percent: 33 },
  },
  "network-slow": {
    label: "The network is slow: half a second, 10 KB per second",
    lookFor: "Let a container ping another one: two seconds there and back, because each of both has a cable.",
    fault: { kind: "network-slow", delayMs: 500, bytesPerSecond: 10_000 },
  },
  "engine-crash": {
    label: "Kill the engine now",
    lookFor:
      "Containers keep running without it. Send a request: nothing answers. Start the engine again and see what it remembers.",
    fault: { kind: "engine-crash", afterOutputs: 0 },
    times: 1,
  },
};

/** The same crash, but later: between two outputs of the engine's next work. */
export const CRASH_HALFWAY: FaultText = {
  label: "Kill the engine in the middle of its next work",
  lookFor:
    "Start a container: the engine is killed after three of its outputs (records, effects, replies). " +
    "Start the engine again: it finishes or undoes half-done work.",
  fault: { kind: "engine-crash", afterOutputs: 3 },
  times: 1,
};
