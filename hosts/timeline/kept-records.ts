// Formats and keys of the core's records, as far as the world shows them.

import { type StatusWord, STATUSES } from "../../build/core/statuses.js";
import type { engine } from "../shared/host.js";
import type { ContainerView } from "./world.js";

/** Statuses in which a container is on its network. */
export const RUNNING = new Set<string>([
  "starting",
  "running",
  "paused",
  "releasing",
  "recycling",
] satisfies StatusWord[]);

export interface ContainerRecord {
  id: string;
  created: number;
  name: string;
  image: string;
  imageId: string;
  path: string;
  args: string[];
  tty: boolean;
  autoRemove: boolean;
  networkMode: string;
  mounts: { kind: number; name: string; destination: string }[];
  endpoint?: {
    networkName: string;
    address: string;
    ports: { containerPort: number; protocol: string; hostAddress: string; hostPort: number }[];
  };
  labels: Record<string, string>;
  status: number;
  run: number;
  pid: number;
  exitCode: number;
  outOfMemory: boolean;
  error: string;
  startedAt: number;
  finishedAt: number;
}

export interface NetworkRecord {
  id: string;
  name: string;
  driver: string;
  subnet: string;
  gateway: string;
}

export interface ImageRecord {
  parent?: string;
}

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
    ports: (record.endpoint?.ports ?? []).map((port) => ({
      container: port.containerPort,
      protocol: port.protocol,
      address: port.hostAddress === "" ? "0.0.0.0" : port.hostAddress,
      host: port.hostPort,
    })),
    network: record.endpoint?.networkName ?? (record.networkMode === "default" ? "bridge" : record.networkMode),
    address: record.endpoint?.address ?? "",
    volumes: record.mounts
      .filter(({ kind }) => kind === VOLUME)
      .map(({ name: volume, destination }) => ({ name: volume, destination })),
  };
}

/** `MountKind` of core/assembly/container/mounts/mount-point.ts. */
const VOLUME = 1;

/** JSON numbers hold times to within a quarter of a microsecond. A time before 1970 means "never". */
function timeOf(ns: number): bigint {
  return ns > 0 ? BigInt(Math.round(ns)) : 0n;
}

export function splitKey(key: string): [folder: string, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

export function parsed<Form>(bytes: Uint8Array): Form {
  return JSON.parse(new TextDecoder().decode(bytes)) as Form;
}

/** `docker.io/library/busybox:latest` becomes `busybox:latest`. */
export function familiar(canonical: string): string {
  return canonical.replace(/^docker\.io\/(library\/)?/, "");
}
