// The table of names as files: one for each endpoint, and one for each container's resolver.

import type { networks } from "../../hosts/shared/index.js";
import { FollowedFiles } from "../followers/followed-files.js";

export type EndpointNames = networks.EndpointNames;

/** A resolver, and where it listens: the port is one of 127.0.0.11 in the namespace. */
export interface PlacedResolver extends networks.Resolver {
  namespace: string;
  port: number;
}

/** Both kinds of files by their names. */
export interface TableFile {
  endpoints: EndpointNames;
  resolvers: PlacedResolver;
}

export type TableKind = keyof TableFile;
export const KINDS: readonly TableKind[] = ["endpoints", "resolvers"];

export class TableFiles extends FollowedFiles<TableFile> {
  constructor(directory: string) {
    super(directory, KINDS);
  }
}

/** Name of the file with a container's names on a network. */
export function endpointFile(network: string, container: string): string {
  return `${network}.${container}`;
}
