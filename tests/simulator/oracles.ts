// The oracles of every story.

import { Model } from "../model/model.js";
import type { Oracle } from "./oracle.js";

/** Constructors of the oracles, for a story that begins with one image, `busybox:latest`, and an open engine. */
export const ORACLES: Readonly<Record<string, () => Oracle>> = { model: () => new Model() };
