// The public parts of this folder: the steps of a run, and the world after each of them.

export { EventList } from "./event-list.js";
export type { EventView } from "./event-view.js";
export { EMPTY_WORLD } from "./fold.js";
export { parsedOrNull, valuesOf } from "./json-values.js";
export type { Rule, Step } from "./step.js";
export { storyLine } from "./story.js";
export { Timeline } from "./timeline.js";
export type { TimelineOptions } from "./timeline.js";
export { shortId } from "./words.js";
export type { Change, ContainerView, ImageView, LayerView, NetworkView, VolumeView, World } from "./world.js";
