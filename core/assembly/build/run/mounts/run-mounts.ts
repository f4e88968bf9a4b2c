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
  Failure,
  FileCopies,
  GivenFile,
  MissingFiles,
  ModeChange,
  Outcome,
} from "../../../../../build/bindings/types";
import { askContent } from "../../../ask";
import { Lent } from "../../../container/mounts/lent";
import { MountKind, MountPoint } from "../../../container/mounts/mount-point";
import { failureText } from "../../../failure/text";
import { tarLimits } from "../../../image/limits";
import { Task } from "../../../task";
import { encodeUtf8 } from "../../../text/utf8";
import { BuildCache } from "../../caches/build-cache";
import { CacheLease, LeaseClient } from "../../caches/cache-lease";
import { leaveCache } from "../../caches/cache-end";
import { ClientSecrets, lackOf, SecretClient } from "../../client-secrets";
import { Mount, MountType } from "../../evaluation/run-mount";
import { Place } from "../place";
import { OpenWork } from "../work";
import { cacheWish, inOrder } from "./cache-mounts";
import { HeldSecrets } from "./held-secrets";
import { MountSource } from "./mount-sources";
import { tmpfsPoint } from "./tmpfs-mount";

/** Where the copy of a file or directory of the context is in its place. */
const COPY: string = "/copy";

/** Waits for the mounts. */
export interface MountsClient {
  mountsReady(lent: Lent): void;
  mountsFailed(why: string): void;
}

enum Step {
  Mount,
  MountForCopy,
  Copy,
}

export class RunMounts extends Task implements LeaseClient, SecretClient {
  private readonly lent: Lent = new Lent();
  private readonly held: HeldSecrets = new HeldSecrets();
  private readonly places: Place[] = [];
  private readonly caches: BuildCache[] = [];
  private readonly queue: MountSource[];
  private lease: CacheLease | null = null;
  /** The question for a secret or an agent. */
  private asking: OpenWork | null = null;
  private client: MountsClient | null = null;
  private released: bool = false;
  private advancing: bool = false;

  /**
   * `context`: of the build. `hidden`: patterns of its files that the build does not have. `secrets`: of its client, if it
   * can be asked.
   */
  constructor(
    sources: MountSource[],
    private readonly context: Place,
    private readonly hidden: string[],
    private readonly secrets: ClientSecrets | null,
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

  secretHeld(): void {
    this.asking = null;
    const mount = this.queue.shift().mount;
    this.held.add(mount, this.places[this.places.length - 1].id);
    this.lend(mount);
    this.next();
  }

  secretMissing(why: string): void {
    this.asking = null;
    if (this.leaveOut(why)) this.next();
  }

  secretFailed(why: string): void {
    this.asking = null;
    this.fail(why);
  }

  /** The run is over, and so is what it wrote. */
  release(): void {
    if (this.released) return;
    this.released = true;
    const lease = this.lease;
    if (lease !== null) lease.cancel();
    const asking = this.asking;
    if (asking !== null) asking.cancel();
    for (let i = 0; i < this.places.length; i++) this.places[i].drop();
    for (let i = 0; i < this.caches.length; i++) leaveCache(this.caches[i]);
  }

  /** One after the other, so that caches are taken in one order by all builds, and no two wait for each other. */
  private next(): void {
    if (this.advancing) return;
    this.advancing = true;
    while (this.queue.length > 0 && !this.released && this.proceed(this.queue[0])) {}
    this.advancing = false;
    if (this.queue.length == 0 && !this.released) this.client!.mountsReady(this.lent);
  }

  /** False if the mount waits for the host or for a cache. */
  private proceed(source: MountSource): bool {
    const mount = source.mount;
    if (mount.type == MountType.Cache) return this.take(source);
    if (mount.type == MountType.Secret || mount.type == MountType.Ssh) return this.ask(mount);
    const isScript = mount.script.length > 0;
    const isCopied = isScript || !mount.readOnly || this.hidesFiles(source);
    if (mount.type == MountType.Bind && isCopied) return this.makeCopy(source);
    this.queue.shift();
    if (mount.type == MountType.Tmpfs) this.lent.points.push(tmpfsPoint(mount));
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

  /** A step that mounts a secret or an agent twice asks for it once. */
  private ask(mount: Mount): bool {
    if (this.held.has(mount)) {
      this.queue.shift();
      this.lend(mount);
      return true;
    }
    const secrets = this.secrets;
    if (secrets === null || !secrets.offers(mount.type)) return this.leaveOut(lackOf(mount));
    const place = new Place(null);
    this.places.push(place);
    this.asking = secrets.hold(mount, place, this);
    return false;
  }

  private lend(mount: Mount): void {
    this.held.lend(mount, this.lent);
  }

  /** The client does not have it. False if the step cannot do without it. */
  private leaveOut(why: string): bool {
    const mount = this.queue[0].mount;
    if (mount.required) this.fail(why);
    else this.queue.shift();
    return !mount.required;
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
    this.fill(new CopiedFiles(new FileCopies(this.context.view(), [file], missing, false, null, false)), null, []);
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
    this.lent.points.push(point);
  }

  private fail(why: string): void {
    this.release();
    this.client!.mountsFailed(why);
  }
}

function joined(source: string, path: string): string {
  return path.length == 0 ? source : `${source}/${path}`;
}
