// The public parts of this folder: the driver, which runs the core and releases its outputs.

export { CompiledComponent } from "./component.js";
export type { ComponentInstance, Immediate, Instantiate } from "./component.js";
export { CutOff, Driver } from "./driver.js";
export type { DriverOptions } from "./driver.js";
export type { Ended } from "./effects.js";
export { Instance, Trap } from "./instance.js";
export type { CompiledCore } from "./instance.js";
export type { Fork } from "./life.js";
export { together } from "./observer.js";
export type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "./observer.js";
export { LONGEST_CLOSE_NS } from "./succession.js";
