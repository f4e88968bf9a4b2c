// What an engine and a process that follows its files say to each other on a unix socket: one JSON value a line.

/** The first line from the process. */
export interface Hello {
  /** Hash of the program that it runs. */
  program: string;
  pid: number;
}

/** The engine has written or removed a file. */
export interface Changed {
  id: number;
  kind: string;
  name: string;
}

/** From the engine, before it starts a process that will replace this one, which shall have the same sockets. */
export interface Lend {
  id: number;
  lend: true;
}

/** From the process that will replace this one: it binds the same ports now. Any answer says that it can. */
export interface Share {
  share: true;
}

/** From the process that replaces this one. */
export interface Retire {
  retire: true;
}

export type Wish = Changed | Lend | Share | Retire;

/** What a file asks for, but cannot be had: its place in the file's list, and the errno. */
export interface Refused {
  at: number;
  errno: string;
}

/** The process has read the file, and does as it says. */
export interface Followed {
  id: number;
  /** Why it could not do so: `EADDRINUSE`, `ENOENT`. */
  errno?: string | undefined;
  /** It does the rest. */
  refused?: readonly Refused[] | undefined;
  /** What its bound sockets are for, and their numbers in the process. */
  sockets?: readonly (readonly [wish: string, fd: number])[] | undefined;
}

/** The socket's name in the directory of the files. */
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
