// The types of core/wit/engine.wit that enter the core, field by field, in the order of the WIT.

import type { Input, Outcome, engine, failures, records, types } from "../shared/host.js";
import type { Opening } from "../driver/index.js";
import {
  bool,
  bytes,
  enumeration,
  list,
  optional,
  pair,
  record,
  recurring,
  s64,
  text,
  u16,
  u32,
  u32s,
  u64,
  u64s,
  variant,
} from "./codec.js";
import type { Codec } from "./codec.js";
import type { OutputHashes } from "./format.js";

const instantPair = pair(s64, u64);

export const instant: Codec<types.Instant> = {
  write: ({ wall, monotonic }, to) => instantPair.write([wall, monotonic], to),
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
  memoryReservation: bool,
  swappiness: bool,
  oomKillDisable: bool,
  blkioWeight: bool,
  blkioRates: bool,
  cpuRealtime: bool,
  ownProcesses: bool,
  ipv6: bool,
  init: optional(record<engine.InitProgram>({ path: text, version: text, commit: text })),
  pidsLimit: bool,
  cpuCfs: bool,
  cpuShares: bool,
  cpuset: bool,
  cpusetCpus: text,
  cpusetMems: text,
  ipv4Forwarding: bool,
  bridgeNfIptables: bool,
  bridgeNfIp6tables: bool,
  storageDriver: text,
  storageStatus: list(pair(text, text)),
  routes: list(text),
  firewall: text,
  warnings: list(text),
});

const runtimes = list(
  record<engine.OciRuntime>({ name: text, path: text, version: text, commit: text, features: text }),
);

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
  logDriver: text,
  logOptions: list(pair(text, text)),
  runtimes,
  defaultRuntime: text,
  machine,
});

const settings = record<engine.Settings>({
  debug: bool,
  insecureRegistries: list(text),
  labels: list(text),
  runtimes,
  defaultRuntime: text,
});

const exit = record<types.Exit>({ code: u32, outOfMemory: bool, lost: bool, at: s64 });
const launched = record<types.Launched>({ pid: u32, at: s64 });

const subject = record<types.Subject>({ container: text, run: u32 });

const processState = variant<engine.ProcessState>({ running: launched, unstarted: null, exited: exit, lost: null });

const inventory = record<engine.Inventory>({
  processes: list(record<engine.FoundProcess>({ container: text, run: u32, state: processState, memoryKills: u32 })),
  execs: list(record<engine.FoundExec>({ exec: text, subject, running: bool, exit: optional(exit) })),
  mounts: list(text),
  containers: list(text),
  joins: list(record<engine.FoundJoin>({ container: text, network: text, address: text })),
  networks: list(text),
  volumes: list(text),
  chains: list(text),
});

export const opening = record<Opening>({
  options,
  seed: bytes,
  records: list(record<engine.Stored>({ key: text, value: bytes })),
  journal: record<engine.JournalEnd>({ next: u64, at: s64 }),
  inventory,
});

const body = variant<engine.Body>({ none: null, whole: bytes, oversized: null, stream: null });

const request = record<engine.Request>({
  id: u64,
  listener: text,
  peer: optional(record<engine.Peer>({ pid: u32, uid: u32, gid: u32 })),
  method: text,
  target: text,
  headers: recurring(),
  body,
});

const closing = enumeration<engine.Closing>({
  client: true,
  detached: true,
  "input-ended": true,
  "source-ended": true,
  failed: true,
});

const blockCounter = enumeration<engine.BlockCounter>({
  "service-bytes": true,
  serviced: true,
  queued: true,
  "service-time": true,
  "wait-time": true,
  merged: true,
  time: true,
  sectors: true,
});

const traffic = record<engine.Traffic>({ bytes: u64, packets: u64, errors: u64, dropped: u64 });

const sample = record<engine.Sample>({
  at: s64,
  cpu: u64,
  cpuUser: u64,
  cpuKernel: u64,
  perCpu: u64s,
  machineCpu: u64,
  onlineCpus: u32,
  periods: u64,
  throttledPeriods: u64,
  throttled: u64,
  memory: u64,
  memoryPeak: optional(u64),
  memoryLimit: optional(u64),
  memoryFailures: u64,
  memoryStat: list(pair(text, u64)),
  blocks: optional(
    list(record<engine.BlockCount>({ counter: blockCounter, major: u64, minor: u64, operation: text, value: u64 })),
  ),
  pids: u64,
  pidsLimit: optional(u64),
  interfaces: list(record<engine.InterfaceCount>({ name: text, received: traffic, sent: traffic })),
});

const changeKind = enumeration<engine.ChangeKind>({ modified: true, added: true, deleted: true });

const outcome = variant<Outcome>({
  done: null,
  launched,
  ps: record<engine.PsOutput>({ text: bytes, pids: u32s }),
  sample,
  "own-process": record<engine.OwnProcess>({ descriptors: u32, tasks: u32 }),
  stat: record<engine.FileStat>({
    name: text,
    size: u64,
    mode: u32,
    modified: s64,
    linkTarget: text,
    place: text,
    readOnly: bool,
  }),
  changed: list(record<engine.Changed>({ path: text, kind: changeKind })),
  resolved: record<engine.Resolved>({ bytes, mediaType: text, digest: text }),
  bytes,
  size: u64,
  names: list(text),
  token: text,
  ingested: list(record<engine.ArchivedFile>({ path: text, size: u64 })),
  committed: record<engine.Committed>({ diffId: text, size: u64, empty: bool }),
  journal: record<engine.JournalPage>({
    entries: list(record<records.JournalEntry>({ position: u64, at: s64, bytes })),
    oldest: u64,
  }),
});

const noun = enumeration<failures.Noun>({
  container: true,
  run: true,
  process: true,
  exec: true,
  "oci-runtime": true,
  "init-program": true,
  tool: true,
  "kernel-file": true,
  user: true,
  group: true,
  "added-group": true,
  "network-interface": true,
  volume: true,
  blob: true,
  answer: true,
  "sparse-map": true,
  holes: true,
  layer: true,
  "layer-tar": true,
  archive: true,
  member: true,
  "container-file": true,
  "file-system": true,
  "machine-file": true,
  device: true,
  "rated-device": true,
});

const thing = record<failures.Thing>({ what: noun, name: text });

const digested = enumeration<failures.Digested>({
  manifest: true,
  blob: true,
  "diff-id": true,
  "kept-tar": true,
});

const damage = enumeration<failures.Damage>({
  cut: true,
  compression: true,
  "tar-header": true,
  "tar-type": true,
  "sparse-missing": true,
  "sparse-untold": true,
  "layer-file": true,
  "tag-list": true,
});

const form = enumeration<failures.Form>({
  "ipv4-address": true,
  subnet: true,
  "mac-address": true,
  "interface-name": true,
  protocol: true,
  "container-id": true,
  "volume-name": true,
  "archive-name": true,
  digest: true,
  "checkable-digest": true,
  path: true,
  "user-id": true,
  "seccomp-profile": true,
  "seccomp-action": true,
  "seccomp-architecture": true,
  "seccomp-operator": true,
});

const nameFault = enumeration<failures.NameFault>({
  outside: true,
  "own-directory": true,
  "too-many-links": true,
  "through-other": true,
  "directory-there": true,
  "other-there": true,
  "hard-link-outside": true,
  "symbolic-link-outside": true,
  "hard-link-to-directory": true,
  "hard-link-to-nothing": true,
  "hard-link-to-other": true,
  whiteout: true,
  "moved-out": true,
});

const refusedCall = record<failures.RefusedCall>({ call: text, path: text, inside: bool, error: text });

const registryAnswer = record<failures.RegistryAnswer>({
  url: text,
  tokenServer: bool,
  status: u16,
  errors: list(record<failures.RegistryError>({ code: text, message: text })),
  details: text,
  lacksScope: bool,
  retryAfter: u32,
});

const failedExchange = record<failures.FailedExchange>({
  method: text,
  url: text,
  why: variant<failures.ExchangeFailure>({
    call: refusedCall,
    closed: null,
    timeout: null,
    "no-tls": null,
    "unknown-authority": null,
    "certificate-names": list(text),
    "certificate-dates": null,
    other: text,
    "no-credentials": null,
    "plain-credentials": null,
    "no-realm": null,
    "no-token": null,
    "bad-redirect": null,
    "insecure-redirect": text,
    "form-redirect": null,
    redirects: u32,
  }),
});
const startBreak = enumeration<failures.StartBreak>({
  "supervisor-ended": true,
  "no-terminal": true,
  "process-ended": true,
});

const compulsion = enumeration<failures.Compulsion>({ end: true, freeze: true, thaw: true });

const failure = variant<failures.Failure>({
  interrupted: enumeration<failures.Interruption>({
    "given-up": true,
    "client-gone": true,
    "engine-gone": true,
    answered: true,
  }),
  "body-broke": text,
  "no-such": thing,
  exists: thing,
  "wrong-kind": thing,
  "too-large": record<failures.Oversize>({ what: noun, name: text, limit: u64 }),
  mismatch: record<failures.Mismatch>({ what: digested, wanted: text, found: text }),
  damaged: record<failures.Damaged>({ what: damage, said: text }),
  malformed: record<failures.Malformed>({ what: form, text }),
  call: refusedCall,
  port: record<failures.RefusedPort>({ protocol: text, address: text, port: u16, error: text }),
  "faulty-name": record<failures.FaultyName>({ what: nameFault, name: text, other: text }),
  "place-in-volume": record<failures.PlaceInVolume>({ volume: text, path: text, error: text }),
  unshared: record<failures.UnsharedMount>({ path: text, point: text, receives: bool }),
  misplaced: record<failures.Misplaced>({ place: text, destination: text }),
  "registry-answer": registryAnswer,
  exchange: failedExchange,
  "cut-short": thing,
  program: record<failures.RefusedProgram>({ program: text, error: text }),
  directory: record<failures.RefusedDirectory>({ path: text, error: text }),
  runtime: record<failures.RuntimeRefusal>({ said: text, program: text, directory: text }),
  "start-broke": record<failures.BrokenStart>({ how: startBreak, said: text }),
  silent: record<failures.Silence>({ what: noun, limit: u32 }),
  unmoved: record<failures.Unmoved>({ what: compulsion, pids: u32s }),
  setting: record<failures.RefusedSetting>({ file: text, value: text, error: text }),
  tool: record<failures.FailedTool>({ name: text, exit: optional(u32), said: text }),
  imagined: thing,
  internal: text,
});

const phase = enumeration<engine.Phase>({ downloading: true, verifying: true, downloaded: true, extracting: true });

const logForm = record<engine.LogForm>({ framed: bool, objects: bool, separated: bool });

export const input = variant<Input>({
  request,
  closed: record<engine.Closed>({ request: u64, why: closing }),
  "source-failed": record<engine.SourceFailure>({ request: u64, why: failure, begun: optional(logForm) }),
  completed: record<engine.Completed>({
    op: u64,
    outcome: variant<engine.Completed["outcome"]>({ ok: outcome, err: failure }),
  }),
  progress: record<engine.Progress>({ op: u64, phase, current: u64, total: u64 }),
  exited: record<engine.Exited>({ container: text, run: u32, exit }),
  "exec-exited": record<engine.ExecExited>({ exec: text, exit, output: bytes, truncated: bool }),
  "out-of-memory": record<engine.MemoryKill>({ container: text, run: u32, kills: u32 }),
  elapsed: u64,
  drained: record<engine.Drained>({ request: u64, bytes: u32 }),
  reloaded: settings,
});

/** What came of a step, which is no value of the WIT's. */
export const hashes = record<OutputHashes>({
  records: optional(text),
  effects: optional(text),
  replies: optional(text),
});
