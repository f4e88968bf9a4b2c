// Prepares the mounts of a RUN for its container, and takes them back afterwards. Files that are mounted to be written to
// are a copy, which is dropped then.

import {
  ContentCommandCopy,
  Copied,
  CopiedFile,
  CopiedFiles,
  CopiedGiven,
  Copy,
  CopyPlace,
  DirectoryOwner,
  Failure,
  FileCopies,
  GivenFile,
  MissingFiles,
  ModeChange,
  Outcome,
} from "../../../../../build/bindings/types";
import { askContent } from "../../../ask";
import { MountKind, MountPoint } from "../../../container/mounts/mount-point";
import { failureText } from "../../../failure/text";
import { tarLimits } from "../../../image/limits";
import { Task } from "../../../task";
import { encodeUtf8 } from "../../../text/utf8";
import { BuildCache } from "../../caches/build-cache";
import { CacheLease, CacheWish, LeaseClient } from "../../caches/cache-lease";
import { leaveCache } from "../../caches/cache-end";
import { Mount, MountType } from "../../evaluation/run-mount";
import { Place } from "../place";
import { MountSource } from "./mount-sources";
import { octalOf } from "./octal";
import { tmpfsPoint } from "./tmpfs-mount";

/** Where the copy of a file or directory of the context is in its place. */
const COPY: string = "/copy";

/** Waits for the mounts. */
export interface MountsClient {
  mountsReady(points: MountPoint[]): void;
  mountsFailed(why: string): void;
}

enum Step {
  Mount,
  MountForCopy,
  Copy,
}

export class RunMounts extends Task implements LeaseClient {
  private readonly points: MountPoint[] = [];
  private readonly places: Place[] = [];
  private readonly caches: BuildCache[] = [];
  private readonly queue: MountSource[];
  private lease: CacheLease | null = null;
  private client: MountsClient | null = null;
  private released: bool = false;
  private advancing: bool = false;

  /** `context`: of the build. `hidden`: patterns of its files that the build does not have. */
  constructor(
    sources: MountSource[],
    private readonly context: Place,
    private readonly hidden: string[],
  ) {
    super();
    this.queue = inOrder(sources);
  }

  prepare(client: MountsClient): void {
    this.client = client;
    this.next();
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (this.released) return;
    if (failure !== null) return this.fail(failureText(failure));
    if (step == Step.MountForCopy) return this.copy();
    const source = this.queue.shift();
    const place = this.places[this.places.length - 1];
    const script = source.mount.script.length > 0;
    const path = script ? "" : step == Step.Copy ? COPY.slice(1) : source.path;
    this.add(source.mount, joined(`files:${place.id}`, path));
    this.next();
  }

  leased(cache: BuildCache): void {
    this.lease = null;
    this.caches.push(cache);
    this.add(this.queue.shift().mount, `volume:${cache.id}`);
    this.next();
  }

  notLeased(why: string): void {
    this.lease = null;
    this.fail(why);
  }

  /** The run is over, and so is what it wrote. */
  release(): void {
    if (this.released) return;
    this.released = true;
    const lease = this.lease;
    if (lease !== null) lease.cancel();
    for (let i = 0; i < this.places.length; i++) this.places[i].drop();
    for (let i = 0; i < this.caches.length; i++) leaveCache(this.caches[i]);
  }

  /** One after the other, so that caches are taken in one order by all builds, and no two wait for each other. */
  private next(): void {
    if (this.advancing) return;
    this.advancing = true;
    while (this.queue.length > 0 && !this.released && this.proceed(this.queue[0])) {}
    this.advancing = false;
    if (this.queue.length == 0 && !this.released) this.client!.mountsReady(this.points);
  }

  /** False if the mount waits for the host or for a cache. */
  private proceed(source: MountSource): bool {
    const mount = source.mount;
    if (mount.type == MountType.Cache) return this.take(source);
    const isScript = mount.script.length > 0;
    const isCopied = isScript || !mount.readOnly || this.hidesFiles(source);
    if (mount.type == MountType.Bind && isCopied) return this.makeCopy(source);
    this.queue.shift();
    if (mount.type == MountType.Tmpfs) this.points.push(tmpfsPoint(mount));
    else this.add(mount, this.fixedSource(source));
    return true;
  }

  private hidesFiles(source: MountSource): bool {
    return source.inContext && this.hidden.length > 0;
  }

  /** A step that mounts a cache twice has it once: it would wait for itself. */
  private take(source: MountSource): bool {
    const wish = cacheWish(source);
    for (let i = 0; i < this.caches.length; i++) {
      if (this.caches[i].key != wish.key) continue;
      this.add(this.queue.shift().mount, `volume:${this.caches[i].id}`);
      return true;
    }
    const lease = new CacheLease(wish, this);
    this.lease = lease;
    lease.begin();
    return this.lease === null;
  }

  private makeCopy(source: MountSource): bool {
    const place = new Place(source.chain);
    this.places.push(place);
    place.mount(this, source.inContext || source.mount.script.length > 0 ? Step.MountForCopy : Step.Mount);
    return false;
  }

  private copy(): void {
    const mount = this.queue[0].mount;
    if (mount.script.length > 0) return this.write(`/${mount.source}`, encodeUtf8(mount.script));
    const file = new CopiedFile(`/${this.queue[0].path}`, new CopyPlace(COPY, null), true);
    const missing = new MissingFiles(this.hidden, [], true);
    this.fill(new CopiedFiles(new FileCopies(this.context.view(), [file], missing, false, null)), null, []);
  }

  /** A script that all users may run. */
  private write(path: string, script: Uint8Array): void {
    const executable = new ModeChange(0, 0, 0o755, 0, null, 0);
    this.fill(new CopiedGiven([new GivenFile(new CopyPlace(path, null), script)]), "0:0", [executable]);
  }

  private fill(what: Copied, owner: string | null, modes: ModeChange[]): void {
    const place = this.places[this.places.length - 1];
    askContent(this, Step.Copy, new ContentCommandCopy(new Copy(place.view(), what, owner, modes, tarLimits())));
  }

  private fixedSource(source: MountSource): string {
    if (source.inContext) return joined(`files:${this.context.id}`, source.path);
    const chain = source.chain;
    return joined(`chain:${chain === null ? "" : chain}`, source.path);
  }

  private add(mount: Mount, source: string): void {
    const point = new MountPoint(MountKind.Lent, mount.target);
    point.source = source;
    point.readOnly = mount.readOnly;
    this.points.push(point);
  }

  private fail(why: string): void {
    this.release();
    this.client!.mountsFailed(why);
  }
}

function joined(source: string, path: string): string {
  return path.length == 0 ? source : `${source}/${path}`;
}

/** Caches last, by their keys, those that share the least first. */
function inOrder(sources: MountSource[]): MountSource[] {
  const caches = sources.filter((source) => source.mount.type == MountType.Cache);
  caches.sort((a: MountSource, b: MountSource) => {
    const one = mountKey(a);
    const other = mountKey(b);
    if (one == other) return sharesLess(a.mount) - sharesLess(b.mount);
    return one < other ? -1 : 1;
  });
  return sources.filter((source) => source.mount.type != MountType.Cache).concat(caches);
}

function sharesLess(mount: Mount): i32 {
  return mount.sharing == "locked" ? 0 : mount.sharing == "private" ? 1 : 2;
}

/** What makes two mounts use one cache: their id, and what a new one begins with. */
function mountKey(source: MountSource): string {
  const mount = source.mount;
  const chain = source.chain;
  const from = `${chain === null ? "" : chain}/${source.path}`;
  const owner = `${mount.mode} ${mount.owner.toString()} ${mount.group.toString()}`;
  return mount.from.length == 0 ? `${owner} ${mount.id}` : `${owner} ${from} ${mount.id}`;
}

function cacheWish(source: MountSource): CacheWish {
  const mount = source.mount;
  const seeds = mount.from.length > 0;
  const isOwned = !seeds || mount.mode.length > 0 || mount.owner != 0 || mount.group != 0;
  const mode = mount.mode.length > 0 ? <u32>octalOf(mount.mode) : 0o755;
  const owner: DirectoryOwner | null = isOwned ? new DirectoryOwner(mount.owner, mount.group, mode) : null;
  const path = seeds ? `/${source.path}` : "/";
  return new CacheWish(mountKey(source), mount.id, mount.sharing, source.chain, path, owner);
}
