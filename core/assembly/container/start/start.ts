// POST /containers/{id}/start: mounts and joins in parallel, then launches
// the process. After a failure everything is undone before the answer.

import {
  BodyTag,
  BodyWhole,
  ContentCommandMount,
  ContentCommandUnmount,
  Failure,
  FailureNoSuch,
  FailurePort,
  FailureTag,
  Leave,
  Mount,
  NetworkCommandJoin,
  NetworkCommandLeave,
  NetworkCommandMake,
  Noun,
  Outcome,
  OutcomeLaunched,
  ProcessCommandLaunch,
  ProcessCommandReap,
  RefusedPort,
  Subject,
} from "../../../../build/bindings/types";
import { askContent, askNetworks, askProcesses } from "../../ask";
import { Call } from "../../call";
import { emitStart } from "../../event/emit";
import { hasEnded, lacks } from "../../failure/missing";
import { isInUse } from "../../failure/port";
import { chooseAddress, chooseOtherPorts, choosePorts, freeEndpoint, joinOf, macProblem } from "../../network/join";
import { lookUpMadeNetwork } from "../../network/look-up";
import { tellNames } from "../../network/names/tell-names";
import { Network } from "../../network/network";
import { networkOf } from "../../network/networks-of-container";
import { releasingHolder } from "../../network/releasing-holder";
import { networkStore } from "../../network/store";
import { badParameter, conflict, internal, notModified, Refusal } from "../../refusal";
import { Task } from "../../task";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { settingsProblem } from "../endpoint/endpoint-settings";
import { linkedHosts } from "../endpoint/hosts-file";
import { joinProblem, takeNames } from "../endpoint/shared-network";
import { endAttached } from "../exit/end-attached";
import { Refused, release } from "../exit/release";
import { beginRun } from "../exit/run-length";
import { Cause, Status } from "../lifecycle";
import { linkProblem, rewriteHosts, tellNetworks } from "../links/links-of-run";
import { fillVolumes, makeVolumes, volumesFilled } from "../mounts/own-volumes";
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

/** Docker gives up on a random port after some tries; other programs should not hold that many ports in a row. */
const PORT_TRIES = 16;

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
  const network = networkOf(container);
  if (network !== null && network.creating) {
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
  if (problem === null) problem = runtimeStartProblem(container);
  if (problem === null) problem = sharesStartProblem(container);
  if (problem === null) problem = start.readProfile();
  if (problem === null) start.begin();
  else start.refuse(problem);
}

/** Why the container's network is not available; null if it is. `ended`: as in `refuseJoin`. */
function networkProblem(container: Container, ended: string = ""): StartError | null {
  if (container.networkDisabled) return null;
  if (otherIn(container.networkMode).length > 0) return joinProblem(container, ended);
  const lookup = lookUpMadeNetwork(container.networkName);
  if (lookup.network !== null) return null;
  return new StartError(lookup.refusal!.message, OTHER_CODE, lookup.refusal!);
}

/** Gives the container its addresses and ports; returns why that failed. */
function endpointProblem(container: Container, network: Network): Refusal | null {
  if (network.driver != "bridge") {
    // The hardware address is checked even where it has no effect, as in Docker.
    const problem = macProblem(container);
    return problem === null ? null : internal(problem);
  }
  const refusal = chooseAddress(container, network);
  // An internal network publishes nothing.
  if (refusal !== null || network.internal) return refusal;
  const clash = choosePorts(container);
  return clash === null ? null : internal(clash);
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

class Start extends Task {
  /** Number of commands in flight. */
  private open: i32 = 0;
  private portTries: i32 = 0;
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
    const endpoint = container.endpoint;
    if (endpoint === null) return;
    this.open += 1;
    askNetworks(this, StartStep.CleanUp, new NetworkCommandLeave(new Leave(container.id, endpoint.networkId)));
  }

  private cleanedUp(): void {
    freeEndpoint(this.container);
    this.container.unclean = false;
    this.container.touch();
    this.prepare();
  }

  /** The first round; all of it runs in parallel. */
  private prepare(): void {
    const container = this.container;
    this.open += makeVolumes(container, this, StartStep.MakeVolume) + 1;
    askContent(this, StartStep.Mount, new ContentCommandMount(new Mount(container.id, container.chain)));
    this.connect();
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.open -= 1;
    if (step == StartStep.Launch) volumesFilled(this.container);
    if (failure !== null) this.failed(step, failure);
    else if (this.error === null) this.done(step, outcome!);
    if (this.open > 0) return;
    const error = this.error;
    if (error !== null) this.giveUp(error);
    else if (step == StartStep.CleanUp) this.cleanedUp();
    else if (step != StartStep.Launch) this.proceed();
  }

  private done(step: i32, outcome: Outcome): void {
    if (step == StartStep.MakeNetwork) this.join();
    else if (step == StartStep.Join) this.open += tellNames(this.container, this, StartStep.Name);
    else if (step == StartStep.Launch) this.started(<OutcomeLaunched>outcome);
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
    const lookup = lookUpMadeNetwork(container.networkName);
    const network = lookup.network;
    // It may be gone since the start was accepted, if the last run had to be cleared away first.
    const problem = network === null ? lookup.refusal : endpointProblem(container, network);
    if (problem !== null) {
      this.error = new StartError(problem.message, OTHER_CODE, problem);
      return;
    }
    if (container.endpoint === null) return;
    if (network!.made) return this.join();
    this.open += 1;
    askNetworks(this, StartStep.MakeNetwork, new NetworkCommandMake(network!.asBridge()));
  }

  private join(): void {
    const network = networkStore.find(this.container.endpoint!.networkId)!;
    network.made = true;
    this.open += 1;
    askNetworks(this, StartStep.Join, new NetworkCommandJoin(joinOf(this.container, network)));
  }

  private failed(step: i32, failure: Failure): void {
    if (failure.tag == FailureTag.Port && this.takesOther((<FailurePort>failure).value)) return this.join();
    if (this.error !== null) return;
    if (step == StartStep.Launch) this.error = lostOther(this.container, failure);
    if (this.error === null) this.error = startErrorOf(this.container, failure, step);
  }

  /** Another program may hold a port that the engine chose; the engine then tries another port. */
  private takesOther(refused: RefusedPort): bool {
    if (!isInUse(refused)) return false;
    this.portTries += 1;
    return chooseOtherPorts(this.container, refused, this.portTries < PORT_TRIES);
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
