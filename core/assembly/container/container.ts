// The container, as the engine knows it. Its record keeps every field above the line "not in the record".

import { HeldVariable } from "../../../build/bindings/types";
import { Call } from "../call";
import { Health } from "../health/health";
import { Json } from "../json/json";
import { Endpoint, Sandbox } from "../network/endpoint/endpoint";
import { PublishedPort } from "../network/endpoint/published-port";
import { Origin } from "../origin";
import { reasons } from "../reason";
import { NO_TIME } from "../text/time";
import { Waiter } from "./exit/waiter";
import { changedNow, LastChange } from "./last-change";
import { Cause, ILLEGAL, next, Status, wordOf } from "./lifecycle";
import { Link } from "./links/link";
import { MountKind, MountPoint } from "./mounts/mount-point";
import { Moved } from "./moved-reason";
import { RemovalClient } from "./remove/removal-client";
import { NO_RESTARTS, RestartPolicy } from "./restart/policy-setting";
import { ListedItem } from "./shown/list-cache";
import { Watch } from "./usage/watch";

/** Value of `stopTimeout` when the client gave none. */
export const NO_TIMEOUT: i64 = i64.MIN_VALUE;

const NO_BYTES = new Uint8Array(0);

/** Containers whose records are written when the step ends. */
export const changedContainers: Container[] = [];

/** The pause between a run and the automatic restart that follows it. */
export interface Backoff {
  /** All resources of the run have been released. */
  released(): void;
  cancel(): void;
}

/** The release of a run, which waits until a network is connected or disconnected. */
export interface AfterRewiring {
  rewired(): void;
}

/** Something that waits until the container's run ends: a stop, a kill. */
export interface RunEnd {
  runEnded(container: Container): void;
}

export class Container {
  /** Position in the order of creation. */
  sequence: u64 = 0;
  /** Nanoseconds since 1970. */
  created: i64 = 0;
  /** Without the leading slash. */
  name: string = "";
  /** As the client gave it. */
  image: string = "";
  imageId: string = "";
  /** ChainID of the image's layers; null for an image without layers. */
  chain: string | null = null;
  platform: string = "linux";
  /** The program; its arguments follow in `args`. */
  path: string = "";
  args: string[] = [];
  /** `Config` and `HostConfig` as Docker's JSON, with all fields and in Docker's order. */
  config: Uint8Array = NO_BYTES;
  hostConfig: Uint8Array = NO_BYTES;
  /** Annotations from `hostConfig`, for the list; null if there are none. */
  annotations: Json | null = null;
  labelKeys: string[] = [];
  labelValues: string[] = [];
  tty: bool = false;
  openStdin: bool = false;
  stdinOnce: bool = false;
  autoRemove: bool = false;
  networkMode: string = "default";
  policy: RestartPolicy = NO_RESTARTS;
  /** Signal number; 0 stands for SIGTERM. */
  stopSignal: u32 = 0;
  /** Seconds; a negative value means no limit, `NO_TIMEOUT` that the client gave none. */
  stopTimeout: i64 = NO_TIMEOUT;
  /** What is mounted in the container besides its own files. */
  mounts: MountPoint[] = [];
  /** Its networks, in the order in which a start joins them. */
  endpoints: Endpoint[] = [];
  /** What its endpoints share; null while it is on no network, or on networks without addresses only. */
  sandbox: Sandbox | null = null;
  /** The container has only a loopback interface, whatever its network mode. */
  networkDisabled: bool = false;
  /** Links to other containers, each under an alias, in the order in which the client gave them. */
  links: Link[] = [];

  status: Status = Status.Created;
  /** Number of the current or last run; 0 before the first run. */
  run: u32 = 0;
  /** The container has been running at least once. */
  everRan: bool = false;
  pid: u32 = 0;
  exitCode: i32 = 0;
  /** Automatic restarts since the last start by a client. */
  restartCount: u32 = 0;
  /** Nanoseconds of the current or last restart delay; 0 if there was none yet. */
  restartDelay: i64 = 0;
  /** A client has sent the container a signal since the last start by a client. */
  manuallyStopped: bool = false;
  /** The restart policy no longer applies to this run. */
  disarmed: bool = false;
  outOfMemory: bool = false;
  /** How many OOM kills of the last run clients have been told about. */
  memoryKills: u32 = 0;
  /** Why the last start failed, or what went wrong in the engine. */
  error: string = "";
  startedAt: i64 = NO_TIME;
  finishedAt: i64 = NO_TIME;
  /** Start of the current run on the monotonic clock: see `exit/run-length.ts`. */
  begunAt: i64 = NO_TIME;
  /** Size in bytes of the files that the container has written, as last counted: after a run, or during one. */
  written: i64 = 0;
  /** Number of the last run after which the files were counted. */
  countedRun: u32 = 0;
  /** A pending removal also removes the anonymous volumes. */
  removeVolumes: bool = false;
  /** Some resource of a run could not be released; a removal tries again. */
  unclean: bool = false;
  /** That run. No later run has been launched, since a start cleans up first. */
  uncleanRun: u32 = 0;
  /** Null if the container has no health checks or has never run. */
  health: Health | null = null;
  /** New limits are being applied to the run. */
  limiting: bool = false;
  /** A network is being connected or disconnected while the container is running: see network/endpoint/rewiring.ts. */
  rewiring: bool = false;
  /**
   * The container whose `hosts`, `hostname` and `resolv.conf` this
   * one uses since it joined that network; empty for its own.
   */
  filesOf: string = "";
  /** What the container's hosts file says about linked containers. */
  toldLinks: string = "";
  /** A client asked for a restart: another run follows when the current one is over. */
  startsAgain: bool = false;
  /** Null for a container made by an engine that did not yet record this. */
  lastChange: LastChange | null = null;
  /** Its volumes and directories are still being made; the client of create has no answer yet. */
  creating: bool = false;
  /** It runs a step of a build: if the engine ends meanwhile, the next one removes it. */
  forBuild: bool = false;

  // ---------------------------------------------------------------- not in the record
  /** What a build lends besides mounts, for one run: no build outlasts the engine. */
  lentVariables: HeldVariable[] = [];
  /** The record is written before the step ends: see `touch`. */
  changed: bool = false;
  /** The record is out of date: see `touchLater`. */
  behind: bool = false;
  /** The container's files wait to be counted. */
  toCount: bool = false;
  /** The run in which the health state was last reset. */
  healthRun: u32 = 0;
  /** Containers that link to this one, each once. */
  linkedBy: Container[] = [];
  /** This container's entry in the last list. */
  listed: ListedItem | null = null;
  /** Who asked for the end of the run; null if nobody did. */
  ender: Origin | null = null;
  /** Number of operations that keep the run frozen, or are freezing or thawing it. */
  holders: i32 = 0;
  /** The run is being frozen or thawed for a client or a commit. */
  turning: bool = false;
  /** The last run that was sent SIGKILL. */
  killedRun: u32 = 0;
  /** Operations on the container's files: the mount stays until the last of them ends. */
  filesWorks: i32 = 0;
  /** Operations that unpack archives into the container. */
  extracts: u64[] = [];
  /** Requests that wait until the container leaves a transitional state. */
  queue: Call[] = [];
  /** The pause before the next automatic restart; null if there is none. */
  backoff: Backoff | null = null;
  /** The restart policy caused the start in progress. */
  automatic: bool = false;
  /** Clients of restart, once the old run has ended. */
  restarts: Call[] = [];
  /** Clients of the container's removal, in progress or about to follow the end of the run. */
  removals: RemovalClient[] = [];
  waiters: Waiter[] = [];
  /** Attached clients and clients that follow the log; their streams end with the run. */
  attached: Call[] = [];
  /** Takes usage samples for clients of stats. */
  watch: Watch | null = null;
  /** Waits until no network is being connected or disconnected; null if nothing does. */
  afterRewiring: AfterRewiring | null = null;
  /** Tasks that wait until the run ends. */
  runEnds: RunEnd[] = [];

  constructor(readonly id: string) {}

  /** Changes the status. A cause that no rule allows in the current status is a bug. */
  advance(cause: Cause): void {
    const to = next(this.status, cause);
    assert(to != ILLEGAL, `no rule for cause ${(<i32>cause).toString()} in status ${(<i32>this.status).toString()}`);
    reasons.push(new Moved(this.id, this.status, cause, to));
    this.status = <Status>to;
    this.change();
  }

  /** The container has changed: the record says who did it and why. */
  change(): void {
    this.lastChange = changedNow();
    this.touch();
  }

  /**
   * Resources of the newest run could not be released. If an
   * earlier run already left some, `uncleanRun` stays at that run.
   */
  leaveUnclean(): void {
    if (!this.unclean) this.uncleanRun = this.run;
    this.unclean = true;
  }

  /** Something in the record has changed. */
  touch(): void {
    this.listed = null;
    if (this.changed) return;
    this.changed = true;
    changedContainers.push(this);
  }

  /**
   * Like `touch`, for a change that no client has been told about and that no current operation relies on. The record
   * may be written later, with the next `touch`, but at the latest when a client is told.
   */
  touchLater(): void {
    this.behind = true;
  }

  /** A client is told in this step about changes that the record may not have yet. */
  tell(): void {
    if (this.behind) this.touch();
  }

  can(cause: Cause): bool {
    return next(this.status, cause) != ILLEGAL;
  }

  /** The volumes among the mounts. */
  get volumes(): MountPoint[] {
    return this.mounts.filter((mount: MountPoint) => mount.kind == MountKind.Volume);
  }

  mountsImage(id: string): bool {
    for (let i = 0; i < this.mounts.length; i++) {
      if (this.mounts[i].kind == MountKind.Image && this.mounts[i].source == id) return true;
    }
    return false;
  }

  /** Forgets what a build has lent to it. */
  giveBack(): void {
    this.lentVariables = [];
    const kept = this.mounts.filter((mount: MountPoint) => mount.kind != MountKind.Lent);
    if (kept.length == this.mounts.length) return;
    this.mounts = kept;
    this.touch();
  }

  /** Some volumes still have to be filled from the container's file system. */
  get hasUnfilledVolumes(): bool {
    return this.volumes.some((volume: MountPoint) => !volume.populated);
  }

  /** The link with this alias; null if there is none. */
  linkTo(alias: string): Link | null {
    for (let i = 0; i < this.links.length; i++) if (this.links[i].alias == alias) return this.links[i];
    return null;
  }

  /** The network of its mode, as clients see it. */
  get networkName(): string {
    return this.networkMode == "default" ? "bridge" : this.networkMode;
  }

  /** Links only have an effect on the default bridge. */
  get onDefaultBridge(): bool {
    return !this.networkDisabled && this.bridgeEndpoint !== null;
  }

  /** The endpoint on the default bridge; null if it has none. */
  get bridgeEndpoint(): Endpoint | null {
    for (let i = 0; i < this.endpoints.length; i++) if (this.endpoints[i].network == "bridge") return this.endpoints[i];
    return null;
  }

  /** Whether it is on the network now. `network`: its id. */
  isOn(network: string): bool {
    for (let i = 0; i < this.endpoints.length; i++) {
      if (this.endpoints[i].place !== null && this.endpoints[i].networkId == network) return true;
    }
    return false;
  }

  /** The ports that it publishes now. */
  get ports(): PublishedPort[] {
    const sandbox = this.sandbox;
    return sandbox === null ? [] : sandbox.ports;
  }

  /** The address on the default bridge; empty while the container is not there. */
  get bridgeAddress(): string {
    const endpoint = this.bridgeEndpoint;
    return endpoint === null || endpoint.place === null ? "" : endpoint.place!.address;
  }

  /** The container has a process. */
  get running(): bool {
    return this.status == Status.Running || this.status == Status.Paused;
  }

  /** The container is running or starting. */
  get goesOn(): bool {
    return this.running || this.status == Status.Starting;
  }

  /** Docker's `State.Restarting`: the run is over, and the restart policy starts another one. */
  get restarting(): bool {
    if (this.status == Status.Starting) return this.automatic;
    return this.status == Status.Recycling || this.status == Status.Restarting;
  }

  /** Docker's `State.Running`: also true while the container is paused or restarting. */
  get up(): bool {
    return this.running || this.restarting;
  }

  /** The container is in a transitional state that ends soon by itself. */
  get between(): bool {
    const status = this.status;
    if (this.creating || this.turning || this.limiting || this.rewiring) return true;
    if (status == Status.Starting || status == Status.Unwinding) return true;
    return status == Status.Releasing || status == Status.Recycling;
  }

  /** The run is over, and another one follows at once. */
  get comesBack(): bool {
    return this.startsAgain && this.status == Status.Releasing;
  }

  get word(): string {
    return this.restarting ? "restarting" : wordOf(this.status, this.everRan);
  }

  get shortId(): string {
    return this.id.slice(0, 12);
  }
}
