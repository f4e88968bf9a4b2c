// ChainIDs: what a stack of layers is called (OCI image spec, config.md "Layer ChainID").

import { sha256HexOfText } from "../../text/sha256";

/** ChainIDs of every stack that the DiffIDs, base first, build up. */
export function chainsOf(diffIds: string[]): string[] {
  const chains: string[] = [];
  for (let i = 0; i < diffIds.length; i++) {
    chains.push(i == 0 ? diffIds[0] : chainOn(chains[i - 1], diffIds[i]));
  }
  return chains;
}

/** ChainID of a layer on top of a stack; on nothing it is the layer's DiffID. */
export function chainOn(below: string | null, diffId: string): string {
  return below === null ? diffId : "sha256:" + sha256HexOfText(below + " " + diffId);
}
