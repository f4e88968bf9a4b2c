// All Dockerfiles that every builder must treat alike.

import { CONFIGS } from "./configs.js";
import { FILES } from "./files.js";
import { IGNORED, IGNORED_SOURCES } from "./ignored.js";
import { ARCHIVES, LAYERS } from "./layers.js";
import type { Recipe } from "./recipe.js";
import { TEXTS } from "./texts.js";
import { VARIABLES } from "./variables.js";

export const DOCKERFILES: readonly (string | Recipe)[] = [
  ...FILES,
  ...LAYERS,
  ...ARCHIVES,
  ...CONFIGS,
  ...VARIABLES,
  ...TEXTS,
  ...IGNORED,
  ...IGNORED_SOURCES,
];
