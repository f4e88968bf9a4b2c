// GET /system/df (surface §2.23): disk usage of images, containers
// and volumes, from sizes that were counted in advance.

import { strictFlagOf } from "../api/parameters";
import { cachesUsage, writeCaches } from "../build/caches/cache-list";
import { Call } from "../call";
import { Container } from "../container/container";
import { writeListItem } from "../container/shown/list-item";
import { containerStore } from "../container/store";
import { containerSizes } from "../container/usage/sizes";
import { writeImages } from "../image/shown/list";
import { JsonWriter } from "../json/writer";
import { badParameter, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { writeVolume } from "../volume/inspect";
import { volumeStore } from "../volume/store";
import { usersByName } from "../volume/use";
import { containersUsage, imagesUsage, Usage, volumesUsage } from "./reclaimable";

/** The versions from which on kinds can be selected, and each kind has totals. */
const WITH_TYPES = 42;
const WITH_SUMS = 52;
const KINDS: string[] = ["container", "image", "volume", "build-cache"];

export function diskUsage(call: Call): Refusal | null {
  const kinds: string[] = call.version >= WITH_TYPES ? call.query.all("type") : [];
  for (let i = 0; i < kinds.length; i++) {
    if (!KINDS.includes(kinds[i])) return badParameter(`unknown object type: ${kinds[i]}`);
  }
  const verbose = strictFlagOf(call.query, "verbose");
  if (call.version >= WITH_SUMS && verbose.error.length > 0) {
    return badParameter(`invalid value for verbose: ${call.query.first("verbose")}`);
  }
  if (wants(kinds, "container") || wants(kinds, "volume")) containerSizes.told();
  sendJson(call, 200, new Report(call, kinds, verbose.value).write());
  return null;
}

/** `kinds`: empty for all. */
function wants(kinds: string[], kind: string): bool {
  return kinds.length == 0 || kinds.includes(kind);
}

class Report {
  private readonly json: JsonWriter = new JsonWriter();
  private readonly version: i32;
  /** Whether to include the lists that all versions know; a client that sends `verbose` does not want them. */
  private readonly lists: bool;
  private readonly verbose: bool;

  constructor(
    call: Call,
    private readonly kinds: string[],
    verbose: bool,
  ) {
    this.version = call.version;
    this.lists = call.version < WITH_SUMS || call.query.first("verbose").length == 0;
    this.verbose = !this.lists && verbose;
  }

  write(): Uint8Array {
    const json = this.json.beginObject();
    if (this.lists) this.writeLists();
    if (this.version >= WITH_SUMS) this.writeSums();
    json.endObject();
    return line(json);
  }

  private wants(kind: string): bool {
    return wants(this.kinds, kind);
  }

  private writeLists(): void {
    const json = this.json;
    if (this.wants("image")) {
      json.i64Field("LayersSize", imagesUsage().size);
      json.key("Images");
      writeImages(json, this.version);
    }
    if (this.wants("container")) {
      json.key("Containers");
      this.writeContainers();
    }
    if (this.wants("volume")) {
      json.key("Volumes");
      this.writeVolumes();
    }
    if (this.wants("build-cache")) writeCaches(json.key("BuildCache"));
    if (this.version < WITH_TYPES) json.i64Field("BuilderSize", cachesUsage().size);
  }

  private writeSums(): void {
    if (this.wants("image")) {
      this.beginSums("ImageUsage", imagesUsage());
      if (this.verbose) writeImages(this.json.key("Items"), this.version);
      this.json.endObject();
    }
    if (this.wants("container")) {
      this.beginSums("ContainerUsage", containersUsage());
      if (this.verbose) this.writeItems("container");
      this.json.endObject();
    }
    if (this.wants("volume")) {
      this.beginSums("VolumeUsage", volumesUsage());
      if (this.verbose) this.writeItems("volume");
      this.json.endObject();
    }
    if (!this.wants("build-cache")) return;
    this.beginSums("BuildCacheUsage", cachesUsage());
    if (this.verbose) writeCaches(this.json.key("Items"));
    this.json.endObject();
  }

  private writeItems(kind: string): void {
    this.json.key("Items");
    if (kind == "volume") this.writeVolumes();
    else this.writeContainers();
  }

  private beginSums(name: string, usage: Usage): void {
    const json = this.json.key(name).beginObject();
    json.i64Field("ActiveCount", usage.active);
    json.i64Field("TotalCount", usage.count);
    json.i64Field("TotalSize", usage.size);
    json.i64Field("Reclaimable", usage.reclaimable);
  }

  private writeContainers(): void {
    const containers: Container[] = containerStore.newestFirst();
    this.json.beginArray();
    for (let i = 0; i < containers.length; i++) {
      writeListItem(this.json, containers[i], this.version, containers[i].written);
    }
    this.json.endArray();
  }

  private writeVolumes(): void {
    const volumes = volumeStore.all();
    const users = usersByName();
    this.json.beginArray();
    for (let i = 0; i < volumes.length; i++) {
      // As in Docker: their files may be elsewhere.
      if (volumes[i].hasOptions) continue;
      const name = volumes[i].name;
      writeVolume(this.json, volumes[i], users.has(name) ? users.get(name) : 0);
    }
    this.json.endArray();
  }
}
