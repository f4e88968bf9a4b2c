// All mounts of a new container: those of other containers, binds, mounts, and volumes for those paths in `Volumes` of
// the request and its image that nothing else covers (surface §2.14).

import { Json } from "../../json/json";
import { badParameter, Refusal } from "../../refusal";
import { cleanPath } from "../../text/path";
import { readBind } from "./binds";
import { refuseHolding } from "./engine-binds";
import { anonymousVolume, MountKind, MountPoint } from "./mount-point";
import { readMount, refuseDriver } from "./mounts";
import { readVolumesFrom } from "./volumes-from";

/** The limit, since each volume is made before create answers, and again at every start. */
const MAX_VOLUMES: i32 = 1000;

export class MountList {
  points: MountPoint[] = [];
  refusal: Refusal | null = null;
  /** Destinations used by Binds and Mounts. */
  private taken: Set<string> = new Set<string>();
  /** Index in the list by destination. */
  private places: Map<string, i32> = new Map<string, i32>();

  /** `version`: minor API version of the request. `config`: merged with the image's config. */
  constructor(
    private readonly config: Json,
    private readonly hostConfig: Json,
    private readonly version: i32,
  ) {
    this.borrow();
    if (this.refusal === null) this.bind();
    if (this.refusal === null) this.mount();
    if (this.refusal === null) this.addVolumes();
    if (this.refusal === null) this.refusal = this.refuseNumber();
  }

  private borrow(): void {
    const texts = this.hostConfig.stringsOf("VolumesFrom");
    for (let i = 0; i < texts.length && this.refusal === null; i++) {
      const borrowed = readVolumesFrom(texts[i]);
      this.refusal = borrowed.refusal;
      for (let j = 0; j < borrowed.points.length; j++) this.put(borrowed.points[j]);
    }
  }

  private bind(): void {
    const texts = this.hostConfig.stringsOf("Binds");
    const tmpfs = this.tmpfs();
    for (let i = 0; i < texts.length && this.refusal === null; i++) {
      const bind = readBind(texts[i], this.version);
      const destination = bind.point.destination;
      if (bind.problem.length > 0) this.refusal = badParameter(bind.problem);
      else if (tmpfs.has(destination)) this.refuseTwice(destination);
      else {
        if (bind.point.kind == MountKind.Volume) this.refusal = this.refuseMaking(bind.point.name);
        else this.refusal = refuseHolding(bind.point);
        this.take(bind.point, destination);
      }
    }
  }

  private mount(): void {
    const mounts = this.hostConfig.entry("Mounts");
    if (mounts === null) return;
    for (let i = 0; i < mounts.items.length && this.refusal === null; i++) {
      const asked = readMount(mounts.items[i], this.version);
      this.refusal = asked.refusal === null ? refuseHolding(asked.point) : asked.refusal;
      if (this.refusal === null) this.take(asked.point, mounts.items[i].stringOf("Target"));
    }
  }

  private addVolumes(): void {
    const volumes = this.config.entry("Volumes");
    if (volumes === null) return;
    const tmpfs = this.tmpfs();
    for (let i = 0; i < volumes.keys.length; i++) {
      // `VOLUME data` in a Dockerfile means a path below the root.
      const destination = cleanPath(`/${volumes.keys[i]}`);
      if (this.places.has(destination) || tmpfs.has(destination)) continue;
      this.refusal = this.refuseMaking("");
      this.put(anonymousVolume(destination));
    }
  }

  /** Checks the volume driver that the container asks for; it does not apply to Mounts. */
  private refuseMaking(name: string): Refusal | null {
    if (this.refusal !== null) return this.refusal;
    return refuseDriver(this.hostConfig.stringOf("VolumeDriver"), name);
  }

  /** `target`: the destination as the client wrote it. */
  private take(point: MountPoint, target: string): void {
    if (this.taken.has(point.destination)) return this.refuseTwice(target);
    this.taken.add(point.destination);
    this.put(point);
  }

  private refuseTwice(target: string): void {
    this.refusal = badParameter(`Duplicate mount point: ${target}`);
  }

  /**
   * Replaces an earlier mount at the same destination. Among other containers'
   * mounts the last one wins, and the container's own win over them.
   */
  private put(point: MountPoint): void {
    const destination = point.destination;
    if (this.places.has(destination)) {
      this.points[this.places.get(destination)] = point;
    } else {
      this.places.set(destination, this.points.length);
      this.points.push(point);
    }
  }

  private tmpfs(): Set<string> {
    const tmpfs = this.hostConfig.entry("Tmpfs");
    const destinations = new Set<string>();
    if (tmpfs !== null) for (let i = 0; i < tmpfs.keys.length; i++) destinations.add(cleanPath(tmpfs.keys[i]));
    return destinations;
  }

  private refuseNumber(): Refusal | null {
    let count = 0;
    for (let i = 0; i < this.points.length; i++) if (this.points[i].kind == MountKind.Volume) count += 1;
    if (count <= MAX_VOLUMES) return null;
    return badParameter(`Volumes: ${count.toString()} volumes are too many: at most ${MAX_VOLUMES.toString()}`);
  }
}
