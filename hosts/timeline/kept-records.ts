// Reads the core's records, as far as the world shows them.

import { MOUNT_KINDS, type StatusWord, STATUSES } from "../../build/core/enum-words.js";
import type { ContainerRecord, IpamConfigRecord, NetworkRecord, RecordKind } from "../../build/core/record-types.js";
import type { engine } from "../shared/index.js";
import type { ContainerView } from "./world.js";

/** Statuses in which a container is on its network. */
export const RUNNING = new Set<string>([
  "starting",
  "running",
  "paused",
  "releasing",
  "recycling",
] satisfies StatusWord[]);

export interface ImageConfig {
  created?: string;
  rootfs?: { diff_ids?: string[] };
}

export function containerOf(record: ContainerRecord, rule: engine.Rule | null): ContainerView {
  const { id, name, image, imageId, run, pid, outOfMemory, error, labels, tty, autoRemove } = record;
  return {
    ...{ id, name, image, imageId, run, pid, outOfMemory, error, labels, tty, autoRemove },
    command: [record.path, ...record.args],
    status: STATUSES[record.status] ?? "unknown",
    rule,
    exitCode: record.finishedAt > 0 ? record.exitCode : null,
    created: timeOf(record.created),
    startedAt: timeOf(record.startedAt),
    finishedAt: timeOf(record.finishedAt),
    ports: (record.sandbox?.ports ?? []).map((port) => ({
      container: port.containerPort,
      protocol: port.protocol,
      address: port.hostAddress === "" ? "0.0.0.0" : port.hostAddress,
      host: port.hostPort,
    })),
    networks: record.endpoints.map(({ network, place }) => ({ name: network, address: place?.address ?? "" })),
    volumes: record.mounts
      .filter(({ kind }) => MOUNT_KINDS[kind] === "volume")
      .map(({ name: volume, destination }) => ({ name: volume, destination })),
  };
}

/** The configuration whose addresses containers get, as in the core. A network may list an IPv6 one before it. */
export function ipv4Of({ ipam = [] }: NetworkRecord): IpamConfigRecord | undefined {
  return ipam.find(({ subnet }) => !subnet.includes(":"));
}

/** JSON numbers hold times to within a quarter of a microsecond. A time before 1970 means "never". */
function timeOf(ns: number): bigint {
  return ns > 0 ? BigInt(Math.round(ns)) : 0n;
}

export function splitKey(key: string): [kind: RecordKind, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash) as RecordKind, key.slice(slash + 1)];
}

export function parsed<Form>(bytes: Uint8Array): Form {
  return JSON.parse(new TextDecoder().decode(bytes)) as Form;
}

/** `docker.io/library/busybox:latest` becomes `busybox:latest`. */
export function familiar(canonical: string): string {
  return canonical.replace(/^docker\.io\/(library\/)?/, "");
}
