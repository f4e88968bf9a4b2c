// What links do when a container runs. The linked containers must run, on the default
// bridge. Entries in the container's `hosts` file and variables in its environment
// tell where they are. The file is rewritten whenever a linked container starts.

import {
  ContainerFile,
  Failure,
  Outcome,
  ProcessCommandRewrite,
  Rewrite,
  Subject,
} from "../../../../build/bindings/types";
import { askProcesses } from "../../ask";
import { internal } from "../../refusal";
import { Task } from "../../task";
import { Container } from "../container";
import { hostsOf, linkedHosts } from "../endpoint/hosts-file";
import { networkOwner } from "../endpoint/shared-network";
import { Status } from "../lifecycle";
import { documentOf, resolvFile } from "../spec/launch";
import { OTHER_CODE, StartError } from "../start/start-error";
import { containerStore } from "../store";

/**
 * How long a restart waits before it checks again, while a linked container is starting or a port is being released.
 */
export const PATIENCE: u64 = 100_000_000;

/**
 * Why the container's links keep it from starting; null if they do not. Off the default bridge, links have no effect.
 */
export function linkProblem(container: Container): StartError | null {
  if (!container.onDefaultBridge) return null;
  const links = container.links;
  for (let i = 0; i < links.length; i++) {
    const other = containerStore.find(links[i].container);
    if (other === null || other.onDefaultBridge) continue;
    return refused(`Cannot link to /${other.name}, as it does not belong to the default network`);
  }
  for (let i = 0; i < links.length; i++) {
    const other = containerStore.find(links[i].container);
    if (other !== null && other.running) continue;
    return refused(`Cannot link to a non running container: /${links[i].name} AS /${container.name}/${links[i].alias}`);
  }
  return null;
}

function refused(text: string): StartError {
  return new StartError(text, OTHER_CODE, internal(text));
}

/** A linked container is about to start automatically. */
export function awaitsLinked(container: Container): bool {
  if (!container.onDefaultBridge) return false;
  for (let i = 0; i < container.links.length; i++) {
    const other = containerStore.find(container.links[i].container);
    if (other === null || other.running) continue;
    if (other.restarting || other.startsAgain || other.status == Status.Starting) return true;
  }
  return false;
}

/**
 * Rewrites the hosts files of these containers, since addresses may have
 * changed. Containers that share their networks use the same files, or a copy.
 */
export function tellNetworks(owners: Container[]): void {
  if (owners.length == 0) return;
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    if (hasOwnFile(all[i]) && owners.includes(networkOwner(all[i]))) rewriteHosts(all[i]);
  }
}

/** Writes the container's hosts file again; containers that share its networks use the same one. Returns the number of commands. */
export function writeHosts(container: Container, task: Task, step: i32): i32 {
  return hasOwnFile(container) ? writeFile(container, hostsOf(container), task, step) : 0;
}

/** The same for `resolv.conf`: the container has joined its first network with names, so it asks its own resolver. */
export function writeServers(container: Container, task: Task, step: i32): i32 {
  if (!hasOwnFile(container)) return 0;
  const text = resolvFile(container, documentOf(container.hostConfig));
  return writeFile(container, new ContainerFile("resolv.conf", text), task, step);
}

function writeFile(container: Container, file: ContainerFile, task: Task, step: i32): i32 {
  askProcesses(task, step, new ProcessCommandRewrite(new Rewrite(new Subject(container.id, container.run), file)));
  return 1;
}

/**
 * A container that an earlier version of the engine started on another's
 * network has a copy of that container's file until its run ends.
 */
function hasOwnFile(container: Container): bool {
  return container.running && container.filesOf.length == 0;
}

/**
 * Called after a restart of the engine. The engine may have been killed after a start and before it rewrote the files.
 * A file with the right entries stays as it is, because the container may have written to it.
 */
export function mendLinked(): void {
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    if (hasOwnFile(all[i]) && linkedHosts(networkOwner(all[i])) != all[i].toldLinks) rewriteHosts(all[i]);
  }
}

/** If the run has ended meanwhile, it no longer needs the file. */
export function rewriteHosts(container: Container): void {
  const owner = networkOwner(container);
  const file = hostsOf(owner);
  const subject = new Subject(container.id, container.run);
  const told = new Told(container, linkedHosts(owner));
  askProcesses(told, 0, new ProcessCommandRewrite(new Rewrite(subject, file)));
}

/**
 * Updates the record only after the file is written: if a crash
 * prevents this, the next start of the engine rewrites the file.
 */
class Told extends Task {
  private readonly run: u32;

  constructor(
    private readonly container: Container,
    private readonly text: string,
  ) {
    super();
    this.run = container.run;
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const container = this.container;
    if (failure !== null || !container.running || container.run != this.run) return;
    container.toldLinks = this.text;
    container.touch();
  }
}
