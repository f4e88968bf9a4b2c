// Devices of the machine that a container may use, and their rates.

import { DeviceRate, HostDevice } from "../../../build/bindings/types";
import { Json } from "../json/json";

export function devicesOf(_hostConfig: Json): HostDevice[] {
  return [];
}

export function ratesOf(_hostConfig: Json): DeviceRate[] {
  return [];
}
