// Instances that were never opened, or have been reset: restoring a used one takes a twentieth of the time of making
// one.

import { packageCore } from "../../../hosts/embedding/core.js";
import { Instance } from "../../../hosts/driver/instance.js";

const core = packageCore();
const UNOPENED = new Instance(core).snapshot();
const used: Instance[] = [];

export function unopened(): Instance {
  const instance = used.pop();
  if (instance === undefined) return new Instance(core);
  instance.restore(UNOPENED);
  return instance;
}

/** The caller no longer uses it; an instance that has trapped is not returned. */
export function giveBack(instance: Instance): void {
  used.push(instance);
}
