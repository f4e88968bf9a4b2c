// A container, as the engine knows it. Everything above the line is kept in its record.

import { Call } from "../call";
import { Health } from "../health/health";
import { Json } from "../json/json";
import { Endpoint } from "../network/endpoint";
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

/** What `stopTimeout` is if none was given. */
export const NO_TIMEOUT: i64 = i64.MIN_VALUE;

/** Those whose records are put when the step ends. */
export const changedContainers: Container[] = [];

/** What stands between a run and the next one of its own. */
export interface Backoff {
  /** The run is given back. */
  released(): void;
  cancel(): void;
}

/** Something that waits for a container's run to end: a stop, a kill. */
export interface RunEnd {
  runEnded(container: Container): void;
}

export class Container {
  /** Place in the order of creation. */
  sequence: u64 = 0;
  /** Nanoseconds since 1970. */
  created: i64 = 0;
  /** Without the slash. */
  name: string = "";
  /** As the client gave it. */
  image: string = "";
  imageId: string = "";
  /** ChainID of the image's layers; null for an image without layers. */
  chain: string | null = null;
  platform: string = "linux";
  /** Program, and its arguments. */
  path: string = "";
  args: string[] = [];
  /** `Config` and `HostConfig` in Docker's JSON, all fields there and in order. */
  config: Uint8Array = new Uint8Array(0);
  hostConfig: Uint8Array = new Uint8Array(0);
  /** Of `hostConfig`, for the list; null if there are none. */
  annotations: Json | null = null;
  labelKeys: string[] = [];
  labelValues: string[] = [];
  tty: bool = false;
  openStdin: bool = false;
  stdinOnce: bool = false;
  autoRemove: bool = false;
  networkMode: string = "default";
  policy: RestartPolicy = NO_RESTARTS;
  /** Number; 0 for SIGTERM. */
  stopSignal: u32 = 0;
  /** Seconds; less than 0 for ever; `NO_TIMEOUT` for none given. */
  stopTimeout: i64 = NO_TIMEOUT;
  /** What stands in its file system besides its own files. */
  mounts: MountPoint[] = [];
  endpoint: Endpoint | null = null;
  /** It has nothing but a loopback interface, whatever its mode. */
  networkDisabled: bool = false;
  /** Hardware address that it asked for; empty for one made of its IPv4 address. */
  mac: string = "";
  /** Endpoint settings that inspect shows again, in Docker's JSON; nothing for none. */
  settings: Uint8Array = new Uint8Array(0);
  /** Others by names of its own, in the order that they were asked for. */
  links: Link[] = [];

  status: Status = Status.Created;
  /** Number of the current or last run; 0 before the first. */
  run: u32 = 0;
  /** It has been running at least once. */
  everRan: bool = false;
  pid: u32 = 0;
  exitCode: i32 = 0;
  /** Restarts of its own since somebody started it. */
  restartCount: u32 = 0;
  /** Nanoseconds that were, or are, between the last run and the next one of its own; 0 for none yet. */
  restartDelay: i64 = 0;
  /** Somebody has sent it a signal since somebody started it. */
  manuallyStopped: bool = false;
  /** Its policy does not count for this run any more. */
  disarmed: bool = false;
  outOfMemory: bool = false;
  /** How often clients were told so of its last run. */
  memoryKills: u32 = 0;
  /** What made the last start or the engine fail. */
  error: string = "";
  startedAt: i64 = NO_TIME;
  finishedAt: i64 = NO_TIME;
  /** When the run that goes on began, by the monotonic clock: see `exit/run-length.ts`. */
  begunAt: i64 = NO_TIME;
  /** Bytes of the files it has written, as they were counted last: after a run, or while it went on. */
  written: i64 = 0;
  /** Number of the last run behind which that was done. */
  countedRun: u32 = 0;
  /** A removal that was asked for takes the anonymous volumes along. */
  removeVolumes: bool = false;
  /** Something of a run could not be undone; a removal tries again. */
  unclean: bool = false;
  /** Of which one: none after it has been launched. */
  uncleanRun: u32 = 0;
  /** Null if it has no health checks, or never ran. */
  health: Health | null = null;
  /** New limits of its run are being set. */
  limiting: bool = false;
  /** Whose `hosts`, `hostname` and `resolv.conf` it has since it joined that one's network; empty for its own. */
  filesOf: string = "";
  /** What its hosts file says of those it is linked to. */
  toldLinks: string = "";
  /** Somebody asked for a restart: once its run is over another one follows. */
  startsAgain: bool = false;
  /** Null: it was made by an engine that did not keep that. */
  lastChange: LastChange | null = null;

  // ---------------------------------------------------------------- not in the record
  /** Its record is put before the step ends: see `touch`. */
  changed: bool = false;
  /** Its record is behind: see `touchLater`. */
  behind: bool = false;
  /** Its files wait to be counted. */
  toCount: bool = false;
  /** In which run its health was begun anew. */
  healthRun: u32 = 0;
  /** Those that have links to it, each once. */
  linkedBy: Container[] = [];
  /** How it stood in the last list. */
  listed: ListedItem | null = null;
  /** On whose behalf its run is being ended; null: nobody's. */
  ender: Origin | null = null;
  /** Works that want its run to stand still, or freeze or thaw it. */
  holders: i32 = 0;
  /** Its run is being frozen or thawed for a client or a commit. */
  turning: bool = false;
  /** The last run that was sent SIGKILL. */
  killedRun: u32 = 0;
  /** What it was created with is still being made: whoever asked for it has not been told. */
  creating: bool = false;
  /** Works on its files: its mount stays until the last of them ends. */
  filesWorks: i32 = 0;
  /** Operations that unpack into it. */
  extracts: u64[] = [];
  /** Requests that wait for an in-between status to end. */
  queue: Call[] = [];
  /** It is about to start by itself. */
  backoff: Backoff | null = null;
  /** The start under way is its policy's. */
  automatic: bool = false;
  /** Clients of a restart whose first half is done. */
  restarts: Call[] = [];
  /** Clients of its removal: of one that goes on, or of one that follows the end of its run. */
  removals: RemovalClient[] = [];
  waiters: Waiter[] = [];
  /** Attached clients and followers of the log: they end with the run. */
  attached: Call[] = [];
  /** Samples are taken for those who look at what it uses. */
  watch: Watch | null = null;
  /** Tasks that wait for the run to end. */
  runEnds: RunEnd[] = [];

  constructor(readonly id: string) {}

  /** Moves it on; a cause that no rule foresees here is a defect. */
  advance(cause: Cause): void {
    const to = next(this.status, cause);
    assert(to != ILLEGAL, `no rule for cause ${(<i32>cause).toString()} in status ${(<i32>this.status).toString()}`);
    reasons.push(new Moved(this.id, this.status, cause, to));
    this.status = <Status>to;
    this.change();
  }

  /** Somebody, or something, has made it other than it was: the record says who and why. */
  change(): void {
    this.lastChange = changedNow();
    this.touch();
  }

  /** What its newest run had could not be given back; what an earlier one left stays to be cleared away, too. */
  leaveUnclean(): void {
    if (!this.unclean) this.uncleanRun = this.run;
    this.unclean = true;
  }

  /** Something that the record keeps has changed. */
  touch(): void {
    this.listed = null;
    if (this.changed) return;
    this.changed = true;
    changedContainers.push(this);
  }

  /**
   * The same for what no client has been told of, and nothing that is done now relies upon: the record may wait for the
   * next one that is put, but not longer than until somebody is told.
   */
  touchLater(): void {
    this.behind = true;
  }

  /** A client is told in this step of what the record may be behind with. */
  tell(): void {
    if (this.behind) this.touch();
  }

  can(cause: Cause): bool {
    return next(this.status, cause) != ILLEGAL;
  }

  /** Those of its mounts that are volumes. */
  get volumes(): MountPoint[] {
    return this.mounts.filter((mount: MountPoint) => mount.kind == MountKind.Volume);
  }

  /** Some are to be filled from its file system. */
  get hasUnfilledVolumes(): bool {
    return this.volumes.some((volume: MountPoint) => !volume.populated);
  }

  /** The one of this alias; null if there is none. */
  linkTo(alias: string): Link | null {
    for (let i = 0; i < this.links.length; i++) if (this.links[i].alias == alias) return this.links[i];
    return null;
  }

  /** The network's name, as clients see it. */
  get networkName(): string {
    return this.networkMode == "default" ? "bridge" : this.networkMode;
  }

  /** Links mean something there only. */
  get onDefaultBridge(): bool {
    return !this.networkDisabled && (this.networkMode == "bridge" || this.networkMode == "default");
  }

  /** It has a process. */
  get running(): bool {
    return this.status == Status.Running || this.status == Status.Paused;
  }

  /** It is running, or about to. */
  get goesOn(): bool {
    return this.running || this.status == Status.Starting;
  }

  /** Docker's `State.Restarting`: its run is over, and its policy lets another one follow. */
  get restarting(): bool {
    if (this.status == Status.Starting) return this.automatic;
    return this.status == Status.Recycling || this.status == Status.Restarting;
  }

  /** Docker's `State.Running`: true while paused, and while restarting, too. */
  get up(): bool {
    return this.running || this.restarting;
  }

  /** Something that ends by itself soon. */
  get between(): bool {
    const status = this.status;
    if (this.creating || this.turning || this.limiting) return true;
    if (status == Status.Starting || status == Status.Unwinding) return true;
    return status == Status.Releasing || status == Status.Recycling;
  }

  /** Its run is over, and another one follows at once. */
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
