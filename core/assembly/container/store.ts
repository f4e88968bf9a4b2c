// All containers, in the order of their creation: look-up by id, by name, and by prefix of an id (surface §2.4).

import { deleteRecord } from "../ask";
import { CONTAINER_RECORDS } from "../records/kinds";
import { putAndRelease, putRecord } from "../records/put";
import { badParameter, conflict, notFound, Refusal } from "../refusal";
import { changedContainers, Container } from "./container";
import { Status } from "./lifecycle";
import { parseLinkName } from "./links/link";
import { putHeldStill } from "./pause/held-record";
import { writeRecord } from "./record";

/** The container that was found, or the reason why none was. */
export class Lookup {
  constructor(
    readonly container: Container | null,
    readonly refusal: Refusal | null,
  ) {}
}

export class ContainerStore {
  private readonly byId: Map<string, Container> = new Map<string, Container>();
  private readonly idByName: Map<string, string> = new Map<string, string>();
  private sequence: u64 = 0;

  /** Adds a container, new or read from its record. */
  add(container: Container): void {
    if (container.sequence == 0) container.sequence = this.sequence + 1;
    if (container.sequence > this.sequence) this.sequence = container.sequence;
    this.byId.set(container.id, container);
    this.idByName.set(container.name, container.id);
  }

  remove(container: Container): void {
    this.byId.delete(container.id);
    if (this.idOf(container.name) == container.id) this.idByName.delete(container.name);
    deleteRecord(CONTAINER_RECORDS + container.id);
  }

  /** The new name must be free. */
  rename(container: Container, name: string): void {
    this.idByName.delete(container.name);
    container.name = name;
    this.idByName.set(name, container.id);
    container.change();
  }

  find(id: string): Container | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  /** Id of the container with this name, or empty. */
  idOf(name: string): string {
    return this.idByName.has(name) ? this.idByName.get(name) : "";
  }

  /** Newest first. */
  newestFirst(): Container[] {
    return this.byId.values().sort((a: Container, b: Container) => (a.sequence < b.sequence ? 1 : -1));
  }

  all(): Container[] {
    return this.byId.values();
  }

  /** Looks up by full id, then by full name, then by a prefix that only one id has. */
  lookUp(reference: string): Lookup {
    const exact = this.exactly(reference);
    if (exact !== null) return new Lookup(exact, null);
    const hits = this.withPrefix(reference);
    if (hits.length == 1) return new Lookup(hits[0], null);
    if (hits.length > 1) {
      return new Lookup(null, badParameter(`multiple IDs found with provided prefix: ${reference}`));
    }
    return new Lookup(null, notFound(`No such container: ${reference}`));
  }

  /** The container whose id has this prefix, if there is exactly one. */
  onlyWithPrefix(prefix: string): Container | null {
    const hits = this.withPrefix(prefix);
    return hits.length == 1 ? hits[0] : null;
  }

  /** Why a new container cannot have this name; null if it can. */
  refuseName(name: string): Refusal | null {
    const owner = this.idOf(name);
    if (owner.length == 0) return null;
    return conflict(
      `Conflict. The container name "/${name}" is already in use by container "${owner}". ` +
        "You have to remove (or rename) that container to be able to reuse that name.",
    );
  }

  /** Writes the records of all containers that the step has changed. */
  putChanged(): void {
    while (changedContainers.length > 0) {
      const container = changedContainers.pop();
      container.changed = false;
      container.behind = false;
      if (container.status != Status.Removed) {
        putAndRelease(CONTAINER_RECORDS + container.id, writeRecord(container));
      }
    }
  }

  /** Writes all records again. */
  putAll(): void {
    const containers = this.all();
    for (let i = 0; i < containers.length; i++) {
      putRecord(CONTAINER_RECORDS + containers[i].id, writeRecord(containers[i]));
      if (containers[i].holders > 0) putHeldStill(containers[i]);
    }
  }

  private exactly(reference: string): Container | null {
    if (this.byId.has(reference)) return this.byId.get(reference);
    const name = reference.startsWith("/") ? reference.slice(1) : reference;
    const id = this.idOf(name);
    return id.length > 0 ? this.find(id) : this.linked(name);
  }

  private linked(text: string): Container | null {
    const name = parseLinkName(text);
    const parent: Container | null = name === null ? null : this.find(this.idOf(name.parent));
    if (name === null || parent === null) return null;
    const link = parent.linkTo(name.alias);
    return link === null ? null : this.find(link.container);
  }

  private withPrefix(prefix: string): Container[] {
    const hits: Container[] = [];
    if (prefix.length == 0) return hits;
    const ids = this.byId.keys();
    for (let i = 0; i < ids.length; i++) {
      if (ids[i].startsWith(prefix)) hits.push(this.byId.get(ids[i]));
    }
    return hits;
  }
}

export const containerStore: ContainerStore = new ContainerStore();
