// What a test file must know about a borrowed engine, and the state that it must restore.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { takeCensus, type Census } from "../measured/census.js";
import type { DaemonProcess, Directories } from "../daemon-process.js";
import { EngineClient } from "../engine-client.js";
import type { Engine, EngineKind } from "../engines.js";
import type { Netns } from "../netns.js";
import { past } from "../past-events.js";

export interface Loan {
  readonly id: string;
  readonly kind: EngineKind;
  readonly pid: number;
  readonly directories: Directories;
  /** Null: the test's own network namespace. */
  readonly netns: Omit<Netns, "inside" | "close"> | null;
  /** The state after its first container. */
  readonly state: State;
}

/** The state of an engine that has only `busybox:latest`. */
export interface State {
  readonly containers: readonly string[];
  /** Id and names of each image. */
  readonly images: readonly string[];
  readonly volumes: readonly string[];
  readonly networks: readonly string[];
  /** Files of our engine below its data root, which may be in memory. */
  readonly kept: readonly string[];
  /** Null if the machine is not compared. */
  readonly machine: Omit<Census, "openFiles"> | null;
}

export async function describeLoan({ kind }: Engine, daemon: DaemonProcess): Promise<Loan> {
  const { name, path, hostAddress, address, isOwn } = daemon.netns;
  // The first container creates directories that stay.
  await new EngineClient(daemon.socketPath).run({ Cmd: ["true"] });
  return {
    id: daemon.directories.root.slice(daemon.directories.root.lastIndexOf("-") + 1),
    kind,
    pid: daemon.pid(),
    directories: daemon.directories,
    netns: isOwn ? { name, path, hostAddress, address, isOwn } : null,
    state: await stateOf(kind, daemon),
  };
}

/** `made`: containers created since, whose cgroups are checked. */
export async function stateOf(kind: EngineKind, daemon: DaemonProcess, made: readonly string[] = []): Promise<State> {
  const client = new EngineClient(daemon.socketPath);
  const { Containers, Images, Volumes } = await client.read<Usage>("/system/df");
  return {
    containers: (Containers ?? []).map(({ Id }) => Id),
    images: (Images ?? []).map(({ Id, RepoTags }) => [Id, ...(RepoTags ?? [])].join(" ")).sort(),
    volumes: (Volumes ?? []).map(({ Name }) => Name),
    networks: (await client.read<{ Name: string }[]>("/networks")).map(({ Name }) => Name).sort(),
    kept: kind === "linux" ? keptBy(daemon) : [],
    machine: kind === "linux" ? await machineOf(daemon, made) : null,
  };
}

/**
 * The entries of `owned()`, `blobs` and `archives` of runtime-linux/paths.ts. The directories themselves appear with
 * their first entry.
 */
function keptBy({ directories }: DaemonProcess): string[] {
  const below = (place: string): string[] => {
    const path = join(directories.dataRoot, place);
    return existsSync(path) ? readdirSync(path).map((name) => `${place}/${name}`) : [];
  };
  const all = ["containers", "volumes", "layers", "layers/tmp", "blobs/sha256", "archives"].flatMap(below);
  return all.filter((path) => path !== "layers/tmp").sort();
}

/** Ids of all containers that an engine reports as created since a time of its own clock. */
export async function madeSince(client: EngineClient, since: string): Promise<string[]> {
  const made = await past(client, since, { type: ["container"], event: ["create"] });
  return made.map(({ Actor }) => Actor.ID);
}

interface Usage {
  readonly Containers: { Id: string }[] | null;
  readonly Images: { Id: string; RepoTags: string[] | null }[] | null;
  readonly Volumes: { Name: string }[] | null;
}

/**
 * Without open files: they grow with the engine's work, and separate tests check them. A runtime's directory appears
 * with its first container.
 */
async function machineOf(daemon: DaemonProcess, made: readonly string[]): Promise<Omit<Census, "openFiles">> {
  const { openFiles: _, execRoot, ...machine } = await takeCensus(daemon, made);
  return { ...machine, execRoot: execRoot.filter((path) => !/^runtime\/[^/]+$/.test(path)) };
}
