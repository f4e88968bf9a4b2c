// Ways to leave a script: by `exit`, `return`, `break` and `continue`, and by errors that end the shell.

export class Exit {
  constructor(readonly code: number) {}
}

export class Return {
  constructor(readonly code: number) {}
}

export class Loop {
  constructor(
    readonly kind: "break" | "continue",
    /** How many loops are still to leave, this one included. */
    public levels: number,
  ) {}
}

/** Ends a shell that is not interactive (POSIX 2.8.1). The shell prints its message. */
export class ShellError extends Error {
  constructor(
    message: string,
    readonly code = 2,
  ) {
    super(message);
  }
}
