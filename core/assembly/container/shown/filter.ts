// `filters` of GET /containers/json (surface §2.5).

import { FilterFlag, Filters, parseFilters } from "../../api/filters";
import { HEALTHY, NO_HEALTH, STARTING, UNHEALTHY } from "../../health/health";
import { imageStore } from "../../image/store";
import { networkOf } from "../../network/endpoint/endpoints-of-container";
import { badParameter, Refusal } from "../../refusal";
import { Container } from "../container";
import { STATUS_WORDS } from "../lifecycle";
import { MountKind } from "../mounts/mount-point";
import { containerStore } from "../store";
import { PortFilter } from "./port-filter";

/** `isolation` is accepted but has no effect: only Windows has more than one isolation mode. */
const KEYS: string[] = [
  "ancestor",
  "before",
  "exited",
  "expose",
  "health",
  "id",
  "is-task",
  "isolation",
  "label",
  "name",
  "network",
  "publish",
  "since",
  "status",
  "volume",
];
const HEALTH_WORDS: string[] = [NO_HEALTH, STARTING, HEALTHY, UNHEALTHY];

export class ContainerFilter {
  private filters: Filters = new Filters();
  private readonly ports: PortFilter = new PortFilter();
  /** Full ids for those prefixes in `id` that only one container has. */
  private ids: string[] = [];
  /** Ids of the images that `ancestor` names. */
  private ancestors: string[] = [];
  private before: u64 = u64.MAX_VALUE;
  private since: u64 = 0;

  /** Why the parameter is invalid; null if it is valid. */
  read(text: string): Refusal | null {
    this.filters = parseFilters(text, KEYS);
    if (this.filters.error.length > 0) return badParameter(this.filters.error);
    const problem = this.refuseWords();
    if (problem !== null) return problem;
    const ports = this.ports.read(this.filters);
    if (ports !== null) return ports;
    this.readIds();
    this.readAncestors();
    return this.readNeighbours();
  }

  /** The filters ask for stopped containers, too. */
  get impliesAll(): bool {
    return this.filters.values("status").length > 0;
  }

  matches(container: Container): bool {
    const filters = this.filters;
    if (filters.keys.length == 0) return true;
    return (
      this.idMatches(container) &&
      this.nameMatches(container) &&
      filters.labels("label", container.labelKeys, container.labelValues) &&
      filters.exact("status", container.word) &&
      filters.exact("health", healthOf(container)) &&
      this.exitedMatches(container) &&
      (!filters.has("ancestor") || this.ancestors.includes(container.imageId)) &&
      container.sequence < this.before &&
      container.sequence > this.since &&
      this.volumeMatches(container) &&
      this.networkMatches(container) &&
      this.ports.matches(container) &&
      filters.flag("is-task") != FilterFlag.True
    );
  }

  private refuseWords(): Refusal | null {
    const filters = this.filters;
    const status = firstUnknown(filters.values("status"), STATUS_WORDS);
    if (status !== null) return badParameter(`invalid filter 'status=${status}'`);
    const health = firstUnknown(filters.values("health"), HEALTH_WORDS);
    if (health !== null) return badParameter(`unrecognised filter value for health: ${health}`);
    if (filters.flag("is-task") == FilterFlag.Bad) return badParameter(filters.flagError("is-task"));
    const exited = filters.values("exited");
    for (let i = 0; i < exited.length; i++) {
      if (!isNumber(exited[i])) return badParameter(`strconv.Atoi: parsing "${exited[i]}": invalid syntax`);
    }
    return null;
  }

  private readIds(): void {
    const wanted = this.filters.values("id");
    for (let i = 0; i < wanted.length; i++) {
      const container = containerStore.onlyWithPrefix(wanted[i]);
      if (container !== null) this.ids.push(container.id);
    }
  }

  private readAncestors(): void {
    const wanted = this.filters.values("ancestor");
    for (let i = 0; i < wanted.length; i++) {
      const image = imageStore.lookUp(wanted[i]).image;
      if (image === null) continue;
      const family = imageStore.descendants(image);
      for (let j = 0; j < family.length; j++) this.ancestors.push(family[j]);
    }
  }

  /** Reads `before` and `since`, which name containers. */
  private readNeighbours(): Refusal | null {
    const before = this.filters.values("before");
    for (let i = 0; i < before.length; i++) {
      const container = containerStore.lookUp(before[i]).container;
      if (container === null) return containerStore.lookUp(before[i]).refusal;
      if (container.sequence < this.before) this.before = container.sequence;
    }
    const since = this.filters.values("since");
    for (let i = 0; i < since.length; i++) {
      const container = containerStore.lookUp(since[i]).container;
      if (container === null) return containerStore.lookUp(since[i]).refusal;
      if (container.sequence > this.since) this.since = container.sequence;
    }
    return null;
  }

  private idMatches(container: Container): bool {
    return this.filters.values("id").length == 0 || this.ids.includes(container.id);
  }

  /** Matches the name with or without the leading slash. */
  private nameMatches(container: Container): bool {
    return this.filters.regex("name", container.name) || this.filters.regex("name", `/${container.name}`);
  }

  private exitedMatches(container: Container): bool {
    if (this.filters.values("exited").length == 0) return true;
    return container.everRan && !container.up && this.filters.exact("exited", container.exitCode.toString());
  }

  /** Matches by name or destination; a bind's name is its source. */
  private volumeMatches(container: Container): bool {
    if (!this.filters.has("volume")) return true;
    for (let i = 0; i < container.mounts.length; i++) {
      const mount = container.mounts[i];
      const name = mount.kind == MountKind.Bind ? mount.source : mount.name;
      if (this.filters.exact("volume", name) || this.filters.exact("volume", mount.destination)) return true;
    }
    return false;
  }

  private networkMatches(container: Container): bool {
    if (!this.filters.has("network")) return true;
    if (container.endpoints.length == 0) return this.filters.exact("network", container.networkName);
    for (let i = 0; i < container.endpoints.length; i++) {
      const network = networkOf(container.endpoints[i]);
      if (this.filters.exact("network", container.endpoints[i].network)) return true;
      if (network === null) continue;
      if (this.filters.exact("network", network.name) || this.filters.prefix("network", network.id)) return true;
    }
    return false;
  }
}

function healthOf(container: Container): string {
  const health = container.health;
  return health === null ? NO_HEALTH : health.status;
}

function firstUnknown(values: string[], known: string[]): string | null {
  for (let i = 0; i < values.length; i++) if (!known.includes(values[i])) return values[i];
  return null;
}

function isNumber(text: string): bool {
  const from = text.startsWith("-") ? 1 : 0;
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return false;
  }
  return text.length > from;
}
