// What links do while a container runs: the others must run, on the default bridge; names in its `hosts` file and
// variables in its environment tell where they are. Whenever one of the others is started, the file is made anew.

import { Failure, Outcome, ProcessCommandRewrite, Rewrite, Subject } from "../../../../build/bindings/types";
import { askProcesses } from "../../ask";
import { internal } from "../../refusal";
import { Task } from "../../task";
import { Container } from "../container";
import { hostsOf, linkedHosts } from "../endpoint/hosts-file";
import { networkOwner } from "../endpoint/shared-network";
import { Status } from "../lifecycle";
import { OTHER_CODE, StartError } from "../start/start-error";
import { containerStore } from "../store";

/** Until one is up that others are linked to, or a port is free that another one is giving back: then it is looked again. */
export const PATIENCE: u64 = 100_000_000;

/** Why its links keep it from running, or null. Who is not on the default bridge has no use for them. */
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

/** One of those it is linked to is about to start by itself. */
export function awaitsLinked(container: Container): bool {
  if (!container.onDefaultBridge) return false;
  for (let i = 0; i < container.links.length; i++) {
    const other = containerStore.find(container.links[i].container);
    if (other === null || other.running) continue;
    if (other.restarting || other.startsAgain || other.status == Status.Starting) return true;
  }
  return false;
}

/** The files of these, who may have other addresses to tell now; who is on their networks has the same files, or a copy. */
export function tellNetworks(owners: Container[]): void {
  if (owners.length == 0) return;
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    if (hasOwnFile(all[i]) && owners.includes(networkOwner(all[i]))) rewriteHosts(all[i]);
  }
}

/** One that an earlier version started on another's network has a copy of that one's, until its run ends. */
function hasOwnFile(container: Container): bool {
  return container.running && container.filesOf.length == 0;
}

/** After a restart of the engine, which may have come between a start and what follows from it. What is as it was told is left alone: the container may have written to the file. */
export function mendLinked(): void {
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    if (hasOwnFile(all[i]) && linkedHosts(networkOwner(all[i])) != all[i].toldLinks) rewriteHosts(all[i]);
  }
}

/** A run that has ended meanwhile needs it no more. */
export function rewriteHosts(container: Container): void {
  const owner = networkOwner(container);
  const file = hostsOf(owner);
  const subject = new Subject(container.id, container.run);
  const told = new Told(container, linkedHosts(owner));
  askProcesses(told, 0, new ProcessCommandRewrite(new Rewrite(subject, file)));
}

/** Put on record only now: what a crash keeps from being told is told at the next start. */
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
