// POST /containers/{id}/start: mounts and joins in parallel, then launches
// the process. After a failure everything is undone before the answer.

import {
  BodyTag,
  BodyWhole,
  ContentCommandMount,
  ContentCommandUnmount,
  Failure,
  FailureNoSuch,
  Mount,
  NetworkCommandLeaveAll,
  Noun,
  Outcome,
  OutcomeLaunched,
  ProcessCommandLaunch,
  ProcessCommandReap,
  Subject,
} from "../../../../build/bindings/types";
import { askContent, askNetworks, askProcesses } from "../../ask";
import { Call } from "../../call";
import { emitStart } from "../../event/emit";
import { hasEnded, lacks } from "../../failure/missing";
import { Endpoint } from "../../network/endpoint/endpoint";
import { freeEndpoints } from "../../network/endpoint/join";
import { JoinClient, Joining } from "../../network/endpoint/joining";
import { releasingHolder } from "../../network/endpoint/releasing-holder";
import { tellNames } from "../../network/names/tell-names";
import { badParameter, conflict, notModified, Refusal } from "../../refusal";
import { Task } from "../../task";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { settingsProblem } from "../endpoint/endpoint-settings";
import { linkedHosts } from "../endpoint/hosts-file";
import { takeNames } from "../endpoint/shared-network";
import { creatingNetwork, networkProblem, placeProblem } from "../endpoint/start-networks";
import { endAttached } from "../exit/end-attached";
import { Refused, release } from "../exit/release";
import { beginRun } from "../exit/run-length";
import { Cause, Status } from "../lifecycle";
import { linkProblem, rewriteHosts, tellNetworks } from "../links/links-of-run";
import { fillVolumes, makeVolumes, volumesFilled } from "../mounts/own-volumes";
import { imageMountProblem } from "../mounts/image-mounts";
import { tmpfsProblem } from "../mounts/tmpfs-options";
import { rearm } from "../restart/restart-policy";
import { deviceRequestProblem } from "../spec/device-requests";
import { launchOf } from "../spec/launch";
import { otherIn, refuseJoin } from "../spec/namespaces";
import { ownProfile } from "../spec/own-profile";
import { CheckedProfile } from "../spec/seccomp-profile";
import { containerStore } from "../store";
import { runtimeStartProblem } from "./oci-runtimes";
import { StartCall, StartClient } from "./start-client";
import { OTHER_CODE, StartError } from "./start-error";
import { seccompStartProblem, sharesStartProblem, startErrorOf } from "./start-failure";
import { StartStep } from "./start-step";

/** `{}` and `null` are accepted (surface §2.2). */
const LONGEST_BODY = 7;

export function startContainer(call: Call): Refusal | null {
  if (hasBody(call)) {
    return badParameter(
      "starting container with non-empty request body was deprecated since API v1.22 and removed in v1.24",
    );
  }
  if (call.query.first("checkpoint").length > 0) {
    return badParameter("checkpoint is only supported in experimental mode");
  }
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.restarting) return notModified();
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  if (container.status == Status.Paused) return conflict("cannot start a paused container, try unpause instead");
  if (container.status == Status.Running) return notModified();
  if (!container.can(Cause.Start)) return conflict("container is marked for removal and cannot be started");
  const holder = releasingHolder(container);
  if (holder !== null) {
    // The client has been told that the other container ended, so its port will soon be free.
    holder.queue.push(call);
    return null;
  }
  const network = creatingNetwork(container);
  if (network !== null) {
    network.queue.push(call);
    return null;
  }

  // Accepted from here on: a failure is undone, then answered.
  startNow(container, new StartCall(call));
  return null;
}

/** Starts a container in a status that allows it. */
export function startNow(container: Container, client: StartClient): void {
  const start = new Start(container, client);
  let problem = networkProblem(container);
  if (problem === null) problem = settingsProblem(container);
  if (problem === null) problem = linkProblem(container);
  if (problem === null) problem = deviceRequestProblem(container);
  if (problem === null) problem = refuseJoin(container);
  if (problem === null) problem = tmpfsProblem(container);
  if (problem === null) problem = imageMountProblem(container);
  if (problem === null) problem = runtimeStartProblem(container);
  if (problem === null) problem = sharesStartProblem(container);
  if (problem === null) problem = start.readProfile();
  if (problem === null) start.begin();
  else start.refuse(problem);
}

/** A container whose namespaces this one joins has ended meanwhile, or was removed with its files. */
function lostOther(container: Container, failure: Failure): StartError | null {
  if (lacks(failure, Noun.ContainerFile)) return networkProblem(container);
  if (!hasEnded(failure)) return null;
  const ended = (<FailureNoSuch>failure).value.name;
  const problem = networkProblem(container, ended);
  return problem === null ? refuseJoin(container, ended) : problem;
}

function hasBody(call: Call): bool {
  const body = call.request.body;
  if (body.tag == BodyTag.None) return false;
  return body.tag != BodyTag.Whole || (<BodyWhole>body).value.length > LONGEST_BODY;
}

class Start extends Task implements JoinClient {
  /** Number of commands in flight. */
  private open: i32 = 0;
  /** Number of networks still to be joined. */
  private joins: i32 = 0;
  private populated: bool = false;
  private error: StartError | null = null;
  private profile: CheckedProfile | null = null;
  /** Entries for linked containers in the hosts file, as of the launch. */
  private linked: string = "";

  constructor(
    private readonly container: Container,
    private readonly client: StartClient,
  ) {
    super();
  }

  begin(): void {
    const container = this.container;
    this.enter();
    container.error = "";
    container.outOfMemory = false;
    container.memoryKills = 0;
    if (container.unclean) this.cleanUp();
    else this.prepare();
  }

  /** Reads the client's own seccomp profile, for the check and for the launch. Returns why it cannot be used. */
  readProfile(): StartError | null {
    const profile = ownProfile(this.container);
    this.profile = profile;
    return profile === null ? null : seccompStartProblem(profile);
  }

  /** Fails without asking the host for anything. */
  refuse(error: StartError): void {
    this.enter();
    this.giveUp(error);
  }

  private enter(): void {
    const container = this.container;
    container.automatic = container.status == Status.Restarting;
    if (!container.automatic) rearm(container);
    container.advance(container.automatic ? Cause.Elapsed : Cause.Start);
    container.run += 1;
  }

  /** Resources that the last release left behind would block the start. */
  private cleanUp(): void {
    const container = this.container;
    this.open = 1;
    askProcesses(this, StartStep.CleanUp, new ProcessCommandReap(new Subject(container.id, container.uncleanRun)));
    // Operations on the container's files have it mounted, and share the mount.
    if (container.filesWorks == 0) {
      this.open += 1;
      askContent(this, StartStep.CleanUp, new ContentCommandUnmount(container.id));
    }
    if (container.sandbox === null) return;
    this.open += 1;
    askNetworks(this, StartStep.CleanUp, new NetworkCommandLeaveAll(container.id));
  }

  private cleanedUp(): void {
    freeEndpoints(this.container);
    this.container.unclean = false;
    this.container.touch();
    this.prepare();
  }

  /** The first round; all of it runs in parallel. */
  private prepare(): void {
    const container = this.container;
    this.open += makeVolumes(container, this, StartStep.MakeVolume) + 1;
    askContent(this, StartStep.Mount, new ContentCommandMount(new Mount(container.id, container.chain, false)));
    this.connect();
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.open -= 1;
    if (step == StartStep.Launch) volumesFilled(this.container);
    if (failure !== null) this.failed(step, failure);
    else if (this.error === null) this.done(step, outcome);
    if (this.open > 0) return;
    const error = this.error;
    if (error !== null) this.giveUp(error);
    else if (step == StartStep.CleanUp) this.cleanedUp();
    else if (step != StartStep.Launch) this.proceed();
  }

  private done(step: i32, outcome: Outcome | null): void {
    if (step == StartStep.Launch) this.started(<OutcomeLaunched>outcome!);
  }

  /** The first round is done. Fills volumes from the mounted file system, then launches the process. */
  private proceed(): void {
    if (!this.populated) this.populate();
    if (this.open > 0) return;
    const container = this.container;
    this.open += 1;
    this.linked = linkedHosts(container);
    askProcesses(this, StartStep.Launch, new ProcessCommandLaunch(launchOf(container, this.profile)));
  }

  private populate(): void {
    this.populated = true;
    this.open += fillVolumes(this.container, this, StartStep.Populate);
  }

  private connect(): void {
    const container = this.container;
    if (container.networkDisabled) return;
    if (otherIn(container.networkMode).length > 0) return takeNames(container);
    // Networks may be gone since the start was accepted, if the last run had to be cleared away first.
    this.error = placeProblem(container);
    if (this.error !== null) return;
    const all = container.endpoints;
    for (let i = 0; i < all.length; i++) {
      if (all[i].place === null) continue;
      this.open += 1;
      this.joins += 1;
      new Joining(container, all[i], this).begin();
    }
  }

  joined(_endpoint: Endpoint): void {
    this.joins -= 1;
    if (this.joins == 0 && this.error === null) this.open += tellNames(this.container, this, StartStep.Name);
    this.ended(StartStep.Join, null, null);
  }

  notJoined(_endpoint: Endpoint, failure: Failure): void {
    this.ended(StartStep.Join, null, failure);
  }

  private failed(step: i32, failure: Failure): void {
    if (this.error !== null) return;
    if (step == StartStep.Launch) this.error = lostOther(this.container, failure);
    if (this.error === null) this.error = startErrorOf(this.container, failure, step);
  }

  private started(outcome: OutcomeLaunched): void {
    const container = this.container;
    container.advance(Cause.Started);
    container.everRan = true;
    container.pid = outcome.value.pid;
    container.startedAt = outcome.value.at;
    beginRun(container);
    container.exitCode = 0;
    container.startsAgain = false;
    container.automatic = false;
    container.toldLinks = this.linked;
    emitStart(container);
    if (linkedHosts(container) != this.linked) rewriteHosts(container);
    tellNetworks(container.linkedBy);
    this.client.started();
    resumeCalls(container.queue);
  }

  private giveUp(error: StartError): void {
    const container = this.container;
    container.advance(Cause.StartFailed);
    container.error = error.text;
    // After a failed automatic start, the exit code of the last run stays (surface §2.17). So does a nonzero code if
    // this failure only has the general one: the code of a program that ran tells more.
    const says = error.exitCode != OTHER_CODE || container.exitCode == 0;
    if (!container.automatic && says) container.exitCode = error.exitCode;
    container.startsAgain = false;
    container.automatic = false;
    endAttached(container);
    release(container, new Refused(this.client, error.refusal));
  }
}
