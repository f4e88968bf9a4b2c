// The network of these tests, and what they need of the machine.
import type { networks } from "../../../hosts/shared/host.js";
import { findProgram } from "../../support/commands.js";
import { bridge as usual, NETWORK } from "../../support/usual-bridge.js";

export { NETWORK };
export const bridge: networks.Bridge = {
  ...usual,
  interfaceName: "crc0",
  subnet: "172.31.0.0/16",
  gateway: "172.31.0.1",
};

/** Why the tests are skipped; null if they run. */
export const missing = reasonToSkip();

function reasonToSkip(): string | null {
  if (process.getuid?.() !== 0) return "needs root";
  const absent = ["ip", "nft", "iptables", "nsenter", "busybox"].find((program) => findProgram(program) === null);
  return absent === undefined ? null : `${absent} is not installed`;
}
