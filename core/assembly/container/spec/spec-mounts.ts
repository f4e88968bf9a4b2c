// Mounts in a container's OCI spec: the kernel's file systems, the files made for the container, binds and volumes.

import { Place } from "../../../../build/bindings/types";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { imageStore } from "../../image/store";
import { volumeStore } from "../../volume/store";
import { Container } from "../container";
import { DEFAULT_SHM_SIZE } from "../create/defaults";
import { canBeDeep } from "../mounts/deep-mounts";
import { spreadsAsItCan } from "../mounts/engine-binds";
import { MountKind, MountPoint } from "../mounts/mount-point";
import { tmpfsOptions, tmpfsWords } from "../mounts/tmpfs-options";
import { containerStore } from "../store";
import { hasInit, INIT_PATH } from "./init";
import { memoryOf } from "./namespaces";

export function writeMounts(json: JsonWriter, container: Container, hostConfig: Json): void {
  const mounts = usualMounts(container, hostConfig);
  json.beginArray();
  for (let i = 0; i < mounts.length; i++)
    if (!isTaken(container, hostConfig, mounts[i].destination)) mounts[i].write(json);
  writeOwn(json, container, hostConfig);
  json.endArray();
}

function usualMounts(container: Container, hostConfig: Json): OwnMount[] {
  const access = hostConfig.boolOf("Privileged") ? "rw" : "ro";
  const safe = ["nosuid", "noexec", "nodev"];
  const pts = ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"];
  const mounts = [
    new OwnMount("/proc", "proc", "proc", safe),
    new OwnMount("/dev", "tmpfs", "tmpfs", ["nosuid", "strictatime", "mode=755", "size=65536k"]),
    new OwnMount("/dev/pts", "devpts", "devpts", pts),
    new OwnMount("/sys", "sysfs", "sysfs", safe.concat([access])),
    new OwnMount("/sys/fs/cgroup", "cgroup", "cgroup", [access, "nosuid", "noexec", "nodev"]),
    new OwnMount("/dev/mqueue", "mqueue", "mqueue", safe),
  ];
  addMemory(mounts, container, hostConfig);
  return mounts;
}

/** A client's mount replaces a default one at the same destination. A mount over /dev also replaces those below it. */
function isTaken(container: Container, hostConfig: Json, destination: string): bool {
  const tmpfs = hostConfig.find("Tmpfs");
  const ofDevices = destination.startsWith("/dev/");
  for (let i = 0; i < container.mounts.length; i++) {
    const own = container.mounts[i].destination;
    if (own == destination || (ofDevices && own == "/dev")) return true;
  }
  if (tmpfs === null) return false;
  return tmpfs.find(destination) !== null || (ofDevices && tmpfs.find("/dev") !== null);
}

/** Size of /dev/shm in bytes. */
export function sharedBytes(hostConfig: Json): i64 {
  const given = hostConfig.i64Of("ShmSize");
  return given > 0 ? given : DEFAULT_SHM_SIZE;
}

/** Containers that share an IPC namespace share its memory. In mode `none` there is no mount. */
function addMemory(mounts: OwnMount[], container: Container, hostConfig: Json): void {
  if (hostConfig.stringOf("IpcMode") == "none") return;
  const shared = memoryOf(container);
  const safe = ["nosuid", "noexec", "nodev"];
  if (shared.length == 0) {
    const size = `size=${sharedBytes(hostConfig).toString()}`;
    mounts.push(new OwnMount("/dev/shm", "tmpfs", "shm", safe.concat(["mode=1777", size])));
  } else {
    const bind = ["rbind", "rprivate"];
    mounts.push(new OwnMount("/dev/shm", "bind", shared, shared.startsWith("/") ? bind : bind.concat(safe)));
  }
}

/** The root's propagation that binds need in order to propagate mounts or receive them; empty if no bind does. */
export function rootPropagation(container: Container): string {
  let receives = false;
  for (let i = 0; i < container.mounts.length; i++) {
    const propagation = container.mounts[i].propagation;
    if (propagation.endsWith("shared")) return "shared";
    if (propagation.endsWith("slave")) receives = true;
  }
  return receives ? "rslave" : "";
}

/** Source directories of binds that are created if missing (surface §2.14). */
export function bindSources(container: Container): string[] {
  const sources: string[] = [];
  for (let i = 0; i < container.mounts.length; i++) {
    if (container.mounts[i].makesSource) sources.push(container.mounts[i].source);
  }
  return sources;
}

/** Mounts over the container's own files while it is not running, sorted by depth. */
export function placesOf(container: Container): Place[] {
  const places: Place[] = [];
  for (let i = 0; i < container.mounts.length; i++) {
    const mount = container.mounts[i];
    // What a build lends is only mounted for a run. An image that was removed by force is mounted nowhere.
    if (mount.kind == MountKind.Image && imageStore.find(mount.source) === null) continue;
    if (mount.kind == MountKind.Tmpfs || mount.kind == MountKind.Lent) continue;
    places.push(new Place(mount.destination, sourceOf(mount), mount.readOnly));
  }
  places.sort((a: Place, b: Place) => depthOf(a.destination) - depthOf(b.destination));
  return places;
}

/** The source in the form of `processes.launch`. */
function sourceOf(mount: MountPoint): string {
  if (mount.kind == MountKind.Bind || mount.kind == MountKind.Lent) return mount.source;
  const whole = mount.kind == MountKind.Volume ? `volume:${mount.name}` : `chain:${chainOf(mount)}`;
  return mount.subpath.length > 0 ? `${whole}/${mount.subpath}` : whole;
}

/** Empty for an image without layers. */
function chainOf(mount: MountPoint): string {
  const image = imageStore.find(mount.source);
  const chain: string | null = image === null ? null : image.chain;
  return chain === null ? "" : chain;
}

class OwnMount {
  constructor(
    readonly destination: string,
    readonly type: string,
    readonly source: string,
    readonly options: string[],
  ) {}

  write(json: JsonWriter): void {
    json.beginObject();
    json.stringField("destination", this.destination);
    json.stringField("type", this.type);
    json.stringField("source", this.source);
    json.stringArrayField("options", this.options);
    json.endObject();
  }
}

/** Sorted by depth, so that no mount hides an earlier one. */
function writeOwn(json: JsonWriter, container: Container, hostConfig: Json): void {
  const mounts: OwnMount[] = [];
  const destinations: string[] = [];
  const tmpfs = hostConfig.find("Tmpfs");
  for (let i = 0; i < container.mounts.length; i++) {
    const mount = container.mounts[i];
    // The container's own tmpfs replaces a mount of another container.
    if (tmpfs !== null && tmpfs.find(mount.destination) !== null) continue;
    destinations.push(mount.destination);
    mounts.push(ownMount(mount));
  }
  addTmpfs(mounts, tmpfs, destinations);
  const readOnly = hostConfig.boolOf("ReadonlyRootfs");
  if (hasInit(hostConfig)) mounts.push(new OwnMount(INIT_PATH, "bind", "init:", ["bind", "ro"]));
  addFiles(mounts, container, destinations, readOnly);
  mounts.sort((a: OwnMount, b: OwnMount) => depthOf(a.destination) - depthOf(b.destination));
  for (let i = 0; i < mounts.length; i++) mounts[i].write(json);
}

/**
 * A client's bind over one of these files replaces it. Files of another container are removed with that container: a
 * container that still joins its network then has the image's files, as in Docker.
 */
function addFiles(mounts: OwnMount[], container: Container, taken: string[], readOnly: bool): void {
  const owner = container.filesOf;
  if (owner.length > 0 && containerStore.find(owner) === null) return;
  const options = ["rbind", "rprivate"];
  if (readOnly) options.push("ro");
  const names = ["resolv.conf", "hostname", "hosts"];
  for (let i = 0; i < names.length; i++) {
    const destination = `/etc/${names[i]}`;
    if (taken.includes(destination)) continue;
    const source = owner.length > 0 ? `file:${owner}/${names[i]}` : `file:${names[i]}`;
    mounts.push(new OwnMount(destination, "bind", source, options));
  }
}

function addTmpfs(mounts: OwnMount[], tmpfs: Json | null, destinations: string[]): void {
  if (tmpfs === null) return;
  for (let i = 0; i < tmpfs.keys.length; i++) {
    destinations.push(tmpfs.keys[i]);
    const options = tmpfsOptions(tmpfsWords(tmpfs.items[i].text));
    mounts.push(new OwnMount(tmpfs.keys[i], "tmpfs", "tmpfs", options));
  }
}

/** A volume that is mounted read-only. */
function isFixed(mount: MountPoint): bool {
  const volume = mount.kind == MountKind.Volume ? volumeStore.find(mount.name) : null;
  return volume !== null && volume.readOnly;
}

function ownMount(mount: MountPoint): OwnMount {
  const tmpfs = mount.kind == MountKind.Tmpfs;
  if (tmpfs) return new OwnMount(mount.destination, "tmpfs", "tmpfs", tmpfsOptions(mount.options));
  const options = [mount.alone ? "bind" : "rbind"];
  if (!spreadsAsItCan(mount)) options.push(mount.propagation.length > 0 ? mount.propagation : "rprivate");
  // Some runtimes do not take this over from the volume's own mount.
  if (mount.readOnly || isFixed(mount)) options.push("ro");
  if (mount.readOnly && mount.deeplyReadOnly && canBeDeep()) options.push("rro");
  if (mount.kind == MountKind.Lent)
    return new OwnMount(mount.destination, "bind", mount.source, options.concat(mount.options));
  return new OwnMount(mount.destination, "bind", sourceOf(mount), options);
}

function depthOf(path: string): i32 {
  let depth = 0;
  for (let i = 0; i < path.length; i++) if (path.charCodeAt(i) == 0x2f) depth += 1;
  return depth;
}
