// The platform of the machine: what is meant where a client names none.

import { engine } from "../state";
import { Platform } from "./platform";

export function hostPlatform(): Platform {
  const machine = engine.options.machine;
  return new Platform(machine.os, machine.architecture, machine.variant);
}
