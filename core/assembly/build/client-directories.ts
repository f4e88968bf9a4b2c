// Directories of the client of a build, besides its context.

import { Place } from "./run/place";
import { OpenWork } from "./run/work";

/** Waits for the files of a directory. */
export interface DirectoryClient {
  /** The client has sent so many bytes of it. */
  directoryMoved(bytes: u64): void;
  directoryCame(place: Place): void;
  directoryMissing(why: string): void;
}

/** Whom to ask for them. */
export abstract class ClientDirectories {
  /** `place`: gets the files; it is not mounted yet. The client is told later, never at once. */
  abstract fetch(name: string, place: Place, client: DirectoryClient): OpenWork;
}
