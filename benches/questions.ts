// All questions by name, in the order in which they run: memory first, while the engines are fresh.
import { reasonForNoPages } from "../tests/browser/chromium.js";
import { COMPOSE_MISSING } from "../tests/clients/compose/compose.js";
import { dockerRegistryMissing } from "../tests/support/registry/docker-registry.js";
import { bareRuntime } from "./runs/bare-runtime.js";
import { bursts } from "./runs/bursts.js";
import { createContainer, inspectContainer, refusedCreate, runContainer, stats } from "./containers.js";
import { copy } from "./copy.js";
import { core } from "./core.js";
import { durableCreates, recordBytes } from "./durable.js";
import { dryRun } from "./dry-run.js";
import { events } from "./events.js";
import { exec } from "./exec.js";
import { follow } from "./follow.js";
import { builds } from "./images/builds.js";
import { commit } from "./images/commit.js";
import { kitBuilds } from "./images/kit-builds.js";
import { manyImages } from "./images/many.js";
import { imageMoves } from "./images/moves.js";
import { largeCreates } from "./large-creates.js";
import { list } from "./list.js";
import { logs } from "./logs.js";
import { memory } from "./memory.js";
import { composeStack } from "./networks/compose-stack.js";
import { networkChanges, runOnNetworks } from "./networks/changes.js";
import { lookUps } from "./networks/look-ups.js";
import { manyNetworks } from "./networks/many-networks.js";
import { trafficMissing } from "./networks/traffic-client.js";
import { traffic } from "./networks/traffic.js";
import { page } from "./page.js";
import { ping } from "./ping.js";
import { pingUnderLoad } from "./ping-under-load.js";
import type { Answer, Question, Sizes } from "./question.js";
import { recorder } from "./recorder.js";
import { restart, restartMissing } from "./restart.js";
import { sleepers, stop } from "./sleepers.js";
import { simulated } from "./simulated.js";
import { simulator } from "./simulator.js";
import { unread } from "./unread.js";

export const QUESTIONS: Readonly<Record<string, Question>> = {
  memory: ofEngines(memory),
  bursts: ofEngines(bursts),
  run: ofEngines(runContainer),
  "bare-runtime": ofEngines(bareRuntime, restartMissing),
  create: ofEngines(createContainer),
  creates: ofEngines(durableCreates),
  "large-creates": ofEngines(largeCreates),
  records: ofEngines(recordBytes),
  exec: ofEngines(exec),
  stop: ofEngines(stop),
  sleepers: ofEngines(sleepers),
  list: ofEngines(list),
  stats: ofEngines(stats),
  cp: ofEngines(copy),
  inspect: ofEngines(inspectContainer),
  ping: ofEngines(ping),
  post: ofEngines(refusedCreate),
  "ping-under-load": ofEngines(pingUnderLoad),
  images: ofEngines(imageMoves, dockerRegistryMissing),
  commit: ofEngines(commit),
  builds: ofEngines(builds),
  "kit-builds": ofEngines(kitBuilds),
  "many-images": ofEngines(manyImages),
  follow: ofEngines(follow),
  events: ofEngines(events),
  unread: ofEngines(unread),
  logs: ofEngines(logs),
  "network-changes": ofEngines(networkChanges),
  "run-on-networks": ofEngines(runOnNetworks),
  "look-ups": ofEngines(lookUps, trafficMissing),
  traffic: ofEngines(traffic, trafficMissing),
  compose: ofEngines(composeStack, () => COMPOSE_MISSING),
  "many-networks": ofEngines(manyNetworks, trafficMissing),
  restart: ofItself(restart, restartMissing),
  core: ofItself(core),
  recorder: ofItself(recorder),
  "dry-run": ofItself(dryRun),
  simulated: ofItself(simulated),
  simulator: ofItself(simulator),
  page: ofItself(page, reasonForNoPages),
};

function ofEngines(ask: Question["ask"], missing: Question["missing"] = nothing): Question {
  return { needsEngines: true, missing, ask };
}

function ofItself(ask: (sizes: Sizes) => Promise<Answer[]>, missing: Question["missing"] = nothing): Question {
  return { needsEngines: false, missing, ask: (_, sizes) => ask(sizes) };
}

function nothing(): null {
  return null;
}
