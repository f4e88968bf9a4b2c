// The public parts of this folder: an engine assembled from a host and options.

export type { PlainDoor } from "./ask.js";
export { AssembledEngine } from "./assembled-engine.js";
export type { EngineParts } from "./assembled-engine.js";
export { coreOptions, settingsOf } from "./core-options.js";
export type { Clients, Entrance } from "./entrance.js";
export { BrokenOff, EngineClosed } from "./failures.js";
export type { Connection } from "./fetch/connection.js";
export type { DryRun } from "./fetch/dry-run.js";
export { offersOf } from "./host-offers.js";
export type { HostOffers } from "./host-offers.js";
export { hostWith } from "./host-with.js";
export { loadImage } from "./load-image.js";
export { within } from "./within.js";
