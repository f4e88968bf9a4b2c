// Devices of the machine that a container may use, and their rates. The host knows their numbers.

import { DeviceRate, HostDevice } from "../../../../build/bindings/types";
import { Json } from "../../json/json";

/** Without a path in the container a device has the same path as on the machine. */
export function devicesOf(hostConfig: Json): HostDevice[] {
  const devices: HostDevice[] = [];
  const given = itemsOf(hostConfig, "Devices");
  for (let i = 0; i < given.length; i++) {
    const path = given[i].stringOf("PathOnHost");
    const destination = given[i].stringOf("PathInContainer");
    const access = given[i].stringOf("CgroupPermissions");
    const place = destination.length > 0 ? destination : path;
    devices.push(new HostDevice(path, place, access.length > 0 ? access : "rwm"));
  }
  return devices;
}

export function ratesOf(hostConfig: Json): DeviceRate[] {
  const rates: DeviceRate[] = [];
  addRates(rates, hostConfig, "BlkioWeightDevice", "Weight", "weightDevice");
  addRates(rates, hostConfig, "BlkioDeviceReadBps", "Rate", "throttleReadBpsDevice");
  addRates(rates, hostConfig, "BlkioDeviceWriteBps", "Rate", "throttleWriteBpsDevice");
  addRates(rates, hostConfig, "BlkioDeviceReadIOps", "Rate", "throttleReadIOPSDevice");
  addRates(rates, hostConfig, "BlkioDeviceWriteIOps", "Rate", "throttleWriteIOPSDevice");
  return rates;
}

function addRates(rates: DeviceRate[], hostConfig: Json, name: string, number: string, member: string): void {
  const given = itemsOf(hostConfig, name);
  for (let i = 0; i < given.length; i++) {
    const rate = given[i].find(number);
    rates.push(new DeviceRate(given[i].stringOf("Path"), member, rate === null ? 0 : U64.parseInt(rate.text, 10)));
  }
}

function itemsOf(hostConfig: Json, name: string): Json[] {
  const list = hostConfig.find(name);
  return list === null ? [] : list.items;
}
