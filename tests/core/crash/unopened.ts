// Instances that were never opened, or are as if: to restore a used one takes a twentieth of what it takes to make one.

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

/** Whoever gives it does not use it any more; one that has trapped is not given. */
export function giveBack(instance: Instance): void {
  used.push(instance);
}
