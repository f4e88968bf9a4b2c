// Folds the core's records into the world that a visitor sees.

import type { ContainerRecord, ImageRecord, NetworkRecord, RecordKind } from "../../build/core/record-types.js";
import type { StepOutputs, engine } from "../shared/index.js";
import { EventList } from "./event-list.js";
import { equal } from "./equal.js";
import { RUNNING, containerOf, familiar, ipv4Of, parsed, splitKey } from "./kept-records.js";
import type { ImageConfig } from "./kept-records.js";
import type { EventView } from "./event-view.js";
import type { ContainerView, ImageView, LayerView, NetworkView, VolumeView, World } from "./world.js";

export const EMPTY_WORLD: World = {
  containers: [],
  images: [],
  networks: [],
  volumes: [],
  events: EventList.NONE,
  engine: "down",
};

/** What a step adds to the world. */
export interface Happened {
  records: Readonly<StepOutputs["records"]>;
  moved: readonly engine.Moved[];
  events: readonly EventView[];
}

/** Takes records and events step by step. Each world that it returns never changes. */
export class WorldFold {
  #world = EMPTY_WORLD;
  #containers = new Map<string, ContainerView>();
  #networks = new Map<string, NetworkRecord>();
  #volumes = new Set<string>();
  #images = new Map<string, ImageRecord>();
  #configs = new Map<string, ImageConfig>();
  #references = new Map<string, string>();
  readonly #rules = new Map<string, engine.Rule>();

  get world(): World {
    return this.#world;
  }

  /** Starts again from durable records: outputs of a lost instance that did not leave have not happened. */
  opened(stored: readonly engine.Stored[], happened: Happened): World {
    const before = this.#containers;
    this.#containers = new Map();
    this.#networks = new Map();
    this.#volumes = new Set();
    this.#images = new Map();
    this.#configs = new Map();
    this.#references = new Map();
    for (const { key, value } of stored) this.#put(key, value, new Set());
    for (const [id, view] of this.#containers) this.#containers.set(id, unchangedOr(before.get(id), view));
    this.#world = { ...this.#world, engine: "up" };
    return this.#take(happened, new Set(["container", "image", "network", "volume"]));
  }

  stepped(happened: Happened): World {
    return this.#take(happened, new Set());
  }

  lost(): World {
    this.#world = { ...this.#world, engine: "down" };
    return this.#world;
  }

  #take(happened: Happened, touched: Set<string>): World {
    for (const { container, rule } of happened.moved) this.#move(container, rule, touched);
    for (const command of happened.records) {
      if (command.tag === "put") this.#put(command.val.key, command.val.value, touched);
      else if (command.tag === "delete") this.#delete(command.val, touched);
    }
    if (touched.size > 0 || happened.events.length > 0) this.#world = this.#shown(touched, happened.events);
    return this.#world;
  }

  #shown(touched: Set<string>, events: readonly EventView[]): World {
    const world = { ...this.#world };
    if (touched.has("container")) world.containers = sorted([...this.#containers.values()]);
    if (touched.has("image")) world.images = this.#imageViews();
    if (touched.has("network")) world.networks = this.#networkViews(world.containers);
    if (touched.has("volume")) world.volumes = this.#volumeViews(world.containers);
    if (events.length > 0) world.events = world.events.with(events);
    return world;
  }

  /** A status may be passed within a step, or may not be stored in records. */
  #move(id: string, rule: engine.Rule, touched: Set<string>): void {
    this.#rules.set(id, rule);
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#place(id, { ...container, status: rule.to, rule }, touched);
  }

  #put(key: string, value: Uint8Array, touched: Set<string>): void {
    const [kind, name] = splitKey(key);
    // A new count of a volume's size is not shown.
    if (kind === "volume" && this.#volumes.has(name)) return;
    touched.add(partOf(kind));
    switch (kind) {
      case "container":
        return this.#putContainer(name, value, touched);
      case "network":
        return void this.#networks.set(name, parsed<NetworkRecord>(value));
      case "volume":
        return void this.#volumes.add(name);
      case "image":
        return void this.#images.set(name, parsed<ImageRecord>(value));
      case "config":
        return void this.#configs.set(name, parsed<ImageConfig>(value));
      case "reference":
        return void this.#references.set(name, new TextDecoder().decode(value));
    }
  }

  #delete(key: string, touched: Set<string>): void {
    const [kind, name] = splitKey(key);
    touched.add(partOf(kind));
    switch (kind) {
      case "container":
        this.#rules.delete(name);
        return this.#place(name, undefined, touched);
      case "network":
        return void this.#networks.delete(name);
      case "volume":
        return void this.#volumes.delete(name);
      case "image":
        return void this.#images.delete(name);
      case "config":
        return void this.#configs.delete(name);
      case "reference":
        return void this.#references.delete(name);
    }
  }

  #putContainer(id: string, value: Uint8Array, touched: Set<string>): void {
    const view = containerOf(parsed<ContainerRecord>(value), this.#rules.get(id) ?? null);
    this.#place(id, unchangedOr(this.#containers.get(id), view), touched);
  }

  /**
   * `view`: undefined if the container is gone. Most of a container's steps do not change the lists of networks and
   * volumes.
   */
  #place(id: string, view: ContainerView | undefined, touched: Set<string>): void {
    const before = this.#containers.get(id);
    if (view === undefined) this.#containers.delete(id);
    else this.#containers.set(id, view);
    touched.add("container");
    if (!equal(networksOf(before), networksOf(view))) touched.add("network");
    if (!equal(before?.volumes, view?.volumes)) touched.add("volume");
  }

  #imageViews(): ImageView[] {
    const users = new Map<string, number>();
    const stacks = new Map<string, readonly string[]>();
    for (const id of this.#images.keys()) {
      const diffIds = this.#configs.get(id)?.rootfs?.diff_ids ?? [];
      const chains = diffIds.map((_, top) => diffIds.slice(0, top + 1).join(" "));
      stacks.set(id, chains);
      for (const chain of chains) users.set(chain, (users.get(chain) ?? 0) + 1);
    }
    const layersOf = (id: string): LayerView[] =>
      (stacks.get(id) ?? []).map((chain) => ({
        chain,
        diffId: chain.slice(chain.lastIndexOf(" ") + 1),
        sharedBy: users.get(chain) ?? 1,
      }));
    const before = new Map(this.#world.images.map((image) => [image.id, image]));
    return [...this.#images].map(([id, record]) =>
      unchangedOr(before.get(id), this.#imageView(id, record, layersOf(id))),
    );
  }

  #imageView(id: string, record: ImageRecord, layers: LayerView[]): ImageView {
    const names = [...this.#references].filter(([, image]) => image === id).map(([name]) => familiar(name));
    return {
      id,
      tags: names.filter((name) => !name.includes("@")).sort(),
      digests: names.filter((name) => name.includes("@")).sort(),
      layers,
      created: this.#configs.get(id)?.created ?? "",
      parent: record.parent ?? "",
    };
  }

  #networkViews(containers: readonly ContainerView[]): NetworkView[] {
    const before = new Map(this.#world.networks.map((network) => [network.id, network]));
    const networks = [...this.#networks.values()];
    const users = new Map<string, string[]>(networks.map(({ name }) => [name, []]));
    for (const one of containers) for (const name of networksOf(one)) users.get(name)?.push(one.id);
    return networks.map((record) => {
      const { id, name, driver } = record;
      const { subnet = "", gateway = "" } = ipv4Of(record) ?? {};
      return unchangedOr(before.get(id), { id, name, driver, subnet, gateway, containers: users.get(name) ?? [] });
    });
  }

  #volumeViews(containers: readonly ContainerView[]): VolumeView[] {
    const before = new Map(this.#world.volumes.map((volume) => [volume.name, volume]));
    const users = new Map<string, Set<string>>([...this.#volumes].map((name) => [name, new Set()]));
    for (const { id, volumes } of containers) for (const { name } of volumes) users.get(name)?.add(id);
    return [...users].map(([name, ids]) => unchangedOr(before.get(name), { name, containers: [...ids] }));
  }
}

/** The part of the world that a record belongs to. */
function partOf(kind: RecordKind): string {
  return kind === "config" || kind === "reference" ? "image" : kind;
}

/** Names of the networks that a container is on now. */
function networksOf(container: ContainerView | undefined): string[] {
  return container !== undefined && RUNNING.has(container.status) ? container.networks.map(({ name }) => name) : [];
}

/** The old object if nothing in it has changed, so that a comparison by identity notices that. */
function unchangedOr<Value>(before: Value | undefined, now: Value): Value {
  return before !== undefined && equal(before, now) ? before : now;
}

function sorted(containers: ContainerView[]): ContainerView[] {
  return containers.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.id < b.id ? -1 : 1));
}
