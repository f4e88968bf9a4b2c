// Mounts of a container: the kernel's file systems, the files made for it, its binds and volumes.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { Bind, readBind } from "./binds";
import { Container } from "./container";
import { DEFAULT_SHM_SIZE } from "./defaults";

export function writeMounts(json: JsonWriter, container: Container, hostConfig: Json): void {
  const given = hostConfig.i64Of("ShmSize");
  const shm = given > 0 ? given : DEFAULT_SHM_SIZE;
  json.beginArray();
  writeMount(json, "/proc", "proc", "proc", ["nosuid", "noexec", "nodev"]);
  writeMount(json, "/dev", "tmpfs", "tmpfs", ["nosuid", "strictatime", "mode=755", "size=65536k"]);
  const pts = ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"];
  writeMount(json, "/dev/pts", "devpts", "devpts", pts);
  writeMount(json, "/sys", "sysfs", "sysfs", ["nosuid", "noexec", "nodev", "ro"]);
  writeMount(json, "/sys/fs/cgroup", "cgroup", "cgroup", ["ro", "nosuid", "noexec", "nodev"]);
  writeMount(json, "/dev/mqueue", "mqueue", "mqueue", ["nosuid", "noexec", "nodev"]);
  const shmOptions = ["nosuid", "noexec", "nodev", "mode=1777", `size=${shm.toString()}`];
  writeMount(json, "/dev/shm", "tmpfs", "shm", shmOptions);
  writeOwn(json, container, hostConfig);
  json.endArray();
}

/** Directories of the machine that binds need: missing ones are made (surface §2.14). */
export function bindSources(hostConfig: Json): string[] {
  const sources: string[] = [];
  const texts = hostConfig.stringsOf("Binds");
  for (let i = 0; i < texts.length; i++) sources.push(readBind(texts[i]).source);
  return sources;
}

class OwnMount {
  constructor(
    readonly destination: string,
    readonly type: string,
    readonly source: string,
    readonly options: string[],
  ) {}
}

/** Shallow destinations first, so that none hides one that came before. */
function writeOwn(json: JsonWriter, container: Container, hostConfig: Json): void {
  const mounts: OwnMount[] = [];
  const binds = hostConfig.stringsOf("Binds");
  const destinations: string[] = [];
  for (let i = 0; i < binds.length; i++) {
    const bind = readBind(binds[i]);
    destinations.push(bind.destination);
    mounts.push(new OwnMount(bind.destination, "bind", bind.source, bindOptions(bind)));
  }
  for (let i = 0; i < container.volumes.length; i++) {
    const volume = container.volumes[i];
    destinations.push(volume.destination);
    mounts.push(new OwnMount(volume.destination, "bind", `volume:${volume.name}`, ["rbind", "rprivate"]));
  }
  addTmpfs(mounts, hostConfig.find("Tmpfs"), destinations);
  const readOnly = hostConfig.boolOf("ReadonlyRootfs");
  addFile(mounts, "resolv.conf", destinations, readOnly);
  addFile(mounts, "hostname", destinations, readOnly);
  addFile(mounts, "hosts", destinations, readOnly);
  mounts.sort((a: OwnMount, b: OwnMount) => depthOf(a.destination) - depthOf(b.destination));
  for (let i = 0; i < mounts.length; i++) {
    writeMount(json, mounts[i].destination, mounts[i].type, mounts[i].source, mounts[i].options);
  }
}

/** A bind of the client's own over one of these files takes its place. */
function addFile(mounts: OwnMount[], name: string, taken: string[], readOnly: bool): void {
  const destination = `/etc/${name}`;
  if (taken.includes(destination)) return;
  const options = ["rbind", "rprivate"];
  if (readOnly) options.push("ro");
  mounts.push(new OwnMount(destination, "bind", `file:${name}`, options));
}

function addTmpfs(mounts: OwnMount[], tmpfs: Json | null, destinations: string[]): void {
  if (tmpfs === null) return;
  for (let i = 0; i < tmpfs.keys.length; i++) {
    const options = ["noexec", "nosuid", "nodev", "rprivate"];
    const given = tmpfs.items[i].text;
    if (given.length > 0) {
      const words = given.split(",");
      for (let j = 0; j < words.length; j++) options.push(words[j]);
    }
    destinations.push(tmpfs.keys[i]);
    mounts.push(new OwnMount(tmpfs.keys[i], "tmpfs", "tmpfs", options));
  }
}

function bindOptions(bind: Bind): string[] {
  const options = ["rbind", bind.propagation.length > 0 ? bind.propagation : "rprivate"];
  if (bind.readOnly) options.push("ro");
  return options;
}

function writeMount(json: JsonWriter, destination: string, type: string, source: string, options: string[]): void {
  json.beginObject();
  json.stringField("destination", destination);
  json.stringField("type", type);
  json.stringField("source", source);
  json.stringArrayField("options", options);
  json.endObject();
}

function depthOf(path: string): i32 {
  let depth = 0;
  for (let i = 0; i < path.length; i++) if (path.charCodeAt(i) == 0x2f) depth += 1;
  return depth;
}
