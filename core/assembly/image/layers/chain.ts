// ChainIDs, which identify a stack of layers (OCI image spec, config.md "Layer ChainID").

import { sha256HexOfText } from "../../text/sha256";

/** ChainIDs of all stacks that the DiffIDs form, base first. */
export function chainsOf(diffIds: string[]): string[] {
  const chains: string[] = [];
  for (let i = 0; i < diffIds.length; i++) {
    chains.push(i == 0 ? diffIds[0] : chainOn(chains[i - 1], diffIds[i]));
  }
  return chains;
}

/** ChainID of a layer on top of a stack; for a base layer it is the DiffID. */
export function chainOn(below: string | null, diffId: string): string {
  return below === null ? diffId : "sha256:" + sha256HexOfText(below + " " + diffId);
}
