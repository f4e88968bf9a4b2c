// What an engine and its resolver process say to each other on a unix socket: one JSON value a line.

/** The first line from the process. */
export interface Hello {
  /** Hash of the program that it runs. */
  program: string;
  pid: number;
}

/** The engine has written or removed a file of the table. */
export interface Changed {
  id: number;
  kind: "endpoints" | "resolvers";
  name: string;
}

/** From the process that replaces this one. */
export interface Retire {
  retire: true;
}

export type Wish = Changed | Retire;

/** The process has read the file, and queries are answered accordingly. */
export interface Followed {
  id: number;
  /** Why it could not do so: `EADDRINUSE`, `ENOENT`. */
  errno?: string;
}

/** The socket's name in the directory of the table. */
export const CONTROL = "control";
/** The file with the process's messages. */
export const LOG = "log";

/** Cuts text into lines. */
export class Lines {
  #rest = "";

  read(text: string): string[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    return lines;
  }
}
