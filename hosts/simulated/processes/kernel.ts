// What a container's processes need from the world, and what limits them.

import type { Clock } from "../../shared/index.js";
import type { EngineSocket } from "../engine-socket.js";
import type { FileSystem } from "../files/file-system.js";
import type { Program } from "../program.js";
import type { KernelNetwork } from "../traffic/traffic.js";

/** The user who accesses files. */
export interface Credentials {
  pid: number;
  uid: number;
  gid: number;
  groups: readonly number[];
}

/** Facts that programs report about the machine. Sizes in bytes. */
export interface MachineFacts {
  release: string;
  architecture: string;
  cpus: number;
  memory: number;
  disk: number;
}

/** What the processes need from the world. */
export interface Kernel {
  machine: MachineFacts;
  time: Clock;
  random(): number;
  /** A program by the name of its file; undefined if there is none. */
  program(name: string): Program | undefined;
  network: KernelNetwork;
  /** The engine that runs the container. */
  engine: EngineSocket;
  /** The files that a process sees. */
  files(who: Credentials): FileSystem;
  /** Whether a fault keeps the signal from having any effect. */
  swallows(signal: number): boolean;
}

export interface Limits {
  /** Bytes; Infinity for no limit. */
  memory: number;
  /**
   * The requested limit, if any. The limit in force can be lower, because this world has less memory than a machine.
   */
  memoryAsked?: number;
  /** Number of processes; Infinity for no limit. */
  pids: number;
  /** Resource limits of a process, by the names of the OCI spec: `RLIMIT_NOFILE`. */
  resources: ReadonlyMap<string, ResourceLimit>;
}

export interface ResourceLimit {
  soft: number;
  hard: number;
}
