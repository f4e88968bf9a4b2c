// Messages for ports of the machine that are not available (surface §2.24).

import { RefusedPort } from "../../../build/bindings/types";
import { errnoText } from "./call";

const IN_USE = "EADDRINUSE";

/** Another program holds the port. */
export function isInUse(refused: RefusedPort): bool {
  return refused.error == IN_USE;
}

/** `ADDRESS:PORT`. */
export function placeOfPort(address: string, port: u32): string {
  return `${address}:${port.toString()}`;
}

export function allocatedText(place: string): string {
  return `Bind for ${place} failed: port is already allocated`;
}

export function portText(refused: RefusedPort): string {
  if (isInUse(refused)) return allocatedText(placeOfPort(refused.address, refused.port));
  const where = refused.address.includes(":") ? `6 [${refused.address}]` : `4 ${refused.address}`;
  return `listen ${refused.protocol}${where}:${refused.port.toString()}: bind: ${errnoText(refused.error)}`;
}
