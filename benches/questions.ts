// All questions by name, in the order they are asked: memory first, while the engines are fresh.
import { createContainer, inspectContainer, runContainer } from "./containers.js";
import { coreSize } from "./core-size.js";
import { logs } from "./logs.js";
import { memory } from "./memory.js";
import { ping } from "./ping.js";
import { pull } from "./pull.js";
import type { Question } from "./question.js";

export const QUESTIONS: Readonly<Record<string, Question>> = {
  memory,
  run: runContainer,
  create: createContainer,
  inspect: inspectContainer,
  ping,
  pull,
  logs,
  core: coreSize,
};
