// The types of core/wit/engine.wit that enter the core, field by field, in the order of the WIT.

import type { Input, Outcome, engine, types } from "../host.js";
import type { Opening } from "../observer.js";
import { bool, bytes, enumeration, list, optional, pair, record, s64, text, u16, u32, u64, variant } from "./codec.js";
import type { Codec } from "./codec.js";

const instantPair = pair(s64, u64);

export const instant: Codec<types.Instant> = {
  encode: ({ wall, monotonic }) => instantPair.encode([wall, monotonic]),
  decode(json, at) {
    const [wall, monotonic] = instantPair.decode(json, at);
    return { wall, monotonic };
  },
};

const machine = record<engine.Machine>({
  name: text,
  os: text,
  architecture: text,
  variant: text,
  kernelArchitecture: text,
  kernelVersion: text,
  operatingSystem: text,
  osVersion: text,
  cpus: u32,
  memory: u64,
  cgroupVersion: text,
  cgroupDriver: text,
  securityOptions: list(text),
  memoryLimit: bool,
  swapLimit: bool,
  pidsLimit: bool,
  cpuCfs: bool,
  cpuShares: bool,
  cpuset: bool,
  ipv4Forwarding: bool,
  bridgeNfIptables: bool,
  bridgeNfIp6tables: bool,
  storageDriver: text,
  storageStatus: list(pair(text, text)),
  routes: list(text),
  firewall: text,
  warnings: list(text),
});

const options = record<engine.Options>({
  epoch: u32,
  version: text,
  commit: text,
  built: text,
  platform: text,
  dataRoot: text,
  execRoot: text,
  bodyLimit: u32,
  debug: bool,
  insecureRegistries: list(text),
  labels: list(text),
  runtimes: list(record<engine.OciRuntime>({ name: text, path: text, version: text, commit: text })),
  defaultRuntime: text,
  machine,
});

const exit = record<types.Exit>({ code: u32, outOfMemory: bool, lost: bool, at: s64 });
const launched = record<types.Launched>({ pid: u32, at: s64 });

const processState = variant<engine.ProcessState>({ running: launched, unstarted: null, exited: exit, lost: null });

const inventory = record<engine.Inventory>({
  processes: list(record<engine.FoundProcess>({ container: text, run: u32, state: processState })),
  mounts: list(text),
  containers: list(text),
  joins: list(record<engine.FoundJoin>({ container: text, network: text })),
  networks: list(text),
  volumes: list(text),
  chains: list(text),
});

export const opening = record<Opening>({
  options,
  seed: bytes,
  records: list(record<engine.Stored>({ key: text, value: bytes })),
  inventory,
});

const body = variant<engine.Body>({ none: null, whole: bytes, oversized: null, stream: null });

const request = record<engine.Request>({
  id: u64,
  listener: text,
  peer: optional(record<engine.Peer>({ pid: u32, uid: u32, gid: u32 })),
  method: text,
  target: text,
  headers: text,
  body,
});

const closing = enumeration<engine.Closing>({
  client: true,
  detached: true,
  "input-ended": true,
  "source-ended": true,
  slow: true,
  failed: true,
});

const outcome = variant<Outcome>({
  done: null,
  launched,
  resolved: record<engine.Resolved>({ bytes, mediaType: text, digest: text }),
  bytes,
  size: u64,
  names: list(text),
  token: text,
  ingested: list(record<engine.ArchivedFile>({ path: text, size: u64 })),
  committed: record<engine.Committed>({ diffId: text, size: u64, empty: bool }),
});

const failureKind = enumeration<types.FailureKind>({
  "not-found": true,
  exists: true,
  busy: true,
  denied: true,
  exhausted: true,
  invalid: true,
  corrupt: true,
  unreachable: true,
  unauthorized: true,
  limited: true,
  registry: true,
  "command-not-found": true,
  "command-not-executable": true,
  interrupted: true,
  unsupported: true,
  internal: true,
});

const failure = record<types.Failure>({ kind: failureKind, message: text, status: u16, code: text, retryAfter: u32 });

const phase = enumeration<engine.Phase>({ downloading: true, verifying: true, downloaded: true, extracting: true });

export const input = variant<Input>({
  request,
  closed: record<engine.Closed>({ request: u64, why: closing }),
  completed: record<engine.Completed>({
    op: u64,
    outcome: variant<engine.Completed["outcome"]>({ ok: outcome, err: failure }),
  }),
  progress: record<engine.Progress>({ op: u64, phase, current: u64, total: u64 }),
  exited: record<engine.Exited>({ container: text, run: u32, exit }),
  elapsed: u64,
  drained: record<engine.Drained>({ request: u64, bytes: u32 }),
});
