// Parents that are a VLAN of another interface: `eth0.10` is VLAN 10 of `eth0` (IEEE 802.1Q), and made if the machine
// does not have it.

import { decimalOf } from "../../text/decimal";
import { isInterfaceName } from "../bridge-settings";

/** 0 and 4095 have other meanings. */
const LAST_VLAN: i32 = 4094;
/** Of numbers in a name, those from here on count as too large. */
const MOST: i32 = 1_000_000_000;

export class Vlan {
  constructor(
    /** The interface whose VLAN it is. */
    readonly link: string,
    readonly id: u16,
  ) {}
}

/** The VLAN that the name of a parent stands for; null if it stands for none. */
export function vlanOf(parent: string): Vlan | null {
  const parts = parent.split(".");
  if (parts.length != 2 || !isInterfaceName(parent)) return null;
  const id = decimalOf(parts[1], LAST_VLAN);
  return id < 1 ? null : new Vlan(parts[0], <u16>id);
}

/** Docker's words if the machine does not have this parent, and it stands for no VLAN. */
export function missingParentText(parent: string): string {
  if (!parent.includes(".")) return `invalid subinterface vlan name ${parent}, example formatting is eth0.10`;
  const parts = parent.split(".");
  if (parts.length != 2) {
    return `required interface name format is: name.vlan_id, ex. eth0.10 for vlan 10, instead received ${parent}`;
  }
  const id = decimalOf(parts[1], MOST);
  if (id < 0) return `unable to parse a valid vlan id from: ${parts[1]} (ex. eth0.10 for vlan 10)`;
  if (id < 1 || id > LAST_VLAN) return `vlan id must be between 1-4094, received: ${id.toString()}`;
  return missingLinkText(parts[0]);
}

/** Docker's words if the machine does not have the interface whose VLAN is wanted. */
export function missingLinkText(link: string): string {
  return `-o parent interface was not found on the host: ${link}`;
}
