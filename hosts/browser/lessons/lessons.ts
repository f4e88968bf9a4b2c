// All lessons, in the order in which to take them. Each begins in its own session.

import { BUILD } from "./build.js";
import { BACKGROUND, LIST_AND_STOP, LOGS_OF_ONE, RUN } from "./containers.js";
import { CRASH, VERSIONS } from "./engine.js";
import { COMMIT, LIST_IMAGES, PULL_IMAGE, PULL_WITH_CREDENTIALS } from "./images.js";
import type { Lesson } from "./lesson.js";
import { NAMES, VOLUME } from "./networks.js";

export const LESSONS: readonly Lesson[] = [
  RUN,
  BACKGROUND,
  LIST_AND_STOP,
  LOGS_OF_ONE,
  LIST_IMAGES,
  PULL_IMAGE,
  PULL_WITH_CREDENTIALS,
  COMMIT,
  BUILD,
  NAMES,
  VOLUME,
  VERSIONS,
  CRASH,
];
