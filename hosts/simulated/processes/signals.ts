// Signals by number and name as on Linux (signal(7)), and their effect on a process that does not catch them.

const NAMES = (
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU " +
  "XFSZ VTALRM PROF WINCH POLL PWR SYS"
).split(" ");

export const SIGHUP = 1;
export const SIGINT = 2;
export const SIGQUIT = 3;
export const SIGKILL = 9;
export const SIGPIPE = 13;
export const SIGTERM = 15;
export const SIGCHLD = 17;
export const SIGCONT = 18;
export const SIGSTOP = 19;
export const SIGTSTP = 20;
export const SIGTTIN = 21;
export const SIGTTOU = 22;
export const SIGURG = 23;
export const SIGWINCH = 28;

const STOPPING: readonly number[] = [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU];
const HARMLESS: readonly number[] = [SIGCHLD, SIGURG, SIGWINCH];
const LAST = 64;

export type DefaultAction = "end" | "ignore" | "stop" | "continue";

export function defaultAction(signal: number): DefaultAction {
  if (signal === SIGCONT) return "continue";
  if (STOPPING.includes(signal)) return "stop";
  return HARMLESS.includes(signal) ? "ignore" : "end";
}

/** `TERM` for 15; empty for a number without a name. */
export function signalName(signal: number): string {
  return NAMES[signal - 1] ?? "";
}

export function signalNames(): readonly string[] {
  return NAMES;
}

/** A signal by number, `TERM`, `SIGTERM` or `term`; undefined if there is none. 0 and `EXIT` give 0. */
export function signalNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= LAST ? Number(text) : undefined;
  const name = text.toUpperCase().replace(/^SIG/, "");
  if (name === "EXIT") return 0;
  const index = NAMES.indexOf(name);
  return index < 0 ? undefined : index + 1;
}

/** The message that a shell prints for a process that a signal ended; empty if it prints none. */
export function signalText(signal: number): string {
  return TEXTS[signal] ?? (signal === SIGINT || signal === SIGPIPE ? "" : `Signal ${signal}`);
}

const TEXTS: Readonly<Record<number, string>> = {
  1: "Hangup",
  3: "Quit",
  4: "Illegal instruction",
  5: "Trace/breakpoint trap",
  6: "Aborted",
  7: "Bus error",
  8: "Floating point exception",
  9: "Killed",
  10: "User defined signal 1",
  11: "Segmentation fault",
  12: "User defined signal 2",
  14: "Alarm clock",
  15: "Terminated",
};
