// The table of names as files: one for each endpoint, and one for each container's resolver. The engine writes them, and
// the resolver process reads them, also when it starts anew while no engine runs. A file is always replaced as a whole.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { networks } from "../../hosts/shared/index.js";
import { makePrivate } from "../directories.js";

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

export class TableFiles {
  constructor(readonly directory: string) {}

  /** Makes the directories. */
  make(): void {
    makePrivate(this.directory);
    for (const kind of KINDS) makePrivate(join(this.directory, kind));
  }

  names(kind: TableKind): string[] {
    const all = readdirSync(join(this.directory, kind));
    return all.filter((file) => file.endsWith(END)).map((file) => file.slice(0, -END.length));
  }

  /** Undefined if there is no such file. A damaged one is the same: it was never complete. */
  read<K extends TableKind>(kind: K, name: string): TableFile[K] | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(kind, name), "utf8")) as TableFile[K];
    } catch (error) {
      const isNone = (error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError;
      if (isNone) return undefined;
      throw error;
    }
  }

  write<K extends TableKind>(kind: K, name: string, value: TableFile[K]): void {
    const path = this.#path(kind, name);
    writeFileSync(`${path}.part`, JSON.stringify(value));
    renameSync(`${path}.part`, path);
  }

  remove(kind: TableKind, name: string): void {
    rmSync(this.#path(kind, name), { force: true });
  }

  #path(kind: TableKind, name: string): string {
    return join(this.directory, kind, `${name}${END}`);
  }
}

const END = ".json";

/** Name of the file with a container's names on a network. */
export function endpointFile(network: string, container: string): string {
  return `${network}.${container}`;
}
