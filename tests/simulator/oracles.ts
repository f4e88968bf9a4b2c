// Those who are asked about every story.

import { Model } from "../model/model.js";
import type { Oracle } from "./oracle.js";

/** Makes one of each, for a story that begins with one image, `busybox:latest`, and an engine that is open. */
export const ORACLES: Readonly<Record<string, () => Oracle>> = { model: () => new Model() };
