// All questions by name, in the order they are asked: memory first, while the engines are fresh.
import { reasonForNoPages } from "../tests/browser/chromium.js";
import { dockerRegistryMissing } from "../tests/support/docker-registry.js";
import { createContainer, inspectContainer, runContainer } from "./containers.js";
import { coreSize } from "./core-size.js";
import { logs } from "./logs.js";
import { memory } from "./memory.js";
import { page } from "./page.js";
import { ping } from "./ping.js";
import { pull } from "./pull.js";
import type { Answer, Question, Sizes } from "./question.js";
import { simulated } from "./simulated.js";

export const QUESTIONS: Readonly<Record<string, Question>> = {
  memory: ofEngines(memory),
  run: ofEngines(runContainer),
  create: ofEngines(createContainer),
  inspect: ofEngines(inspectContainer),
  ping: ofEngines(ping),
  pull: ofEngines(pull, dockerRegistryMissing),
  logs: ofEngines(logs),
  core: ofItself(coreSize),
  simulated: ofItself(simulated),
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
