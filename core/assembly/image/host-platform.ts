// The platform of the machine: the default when a client names none.

import { engine } from "../state";
import { Platform } from "./platform";

export function hostPlatform(): Platform {
  const machine = engine.options.machine;
  return new Platform(machine.os, machine.architecture, machine.variant);
}
