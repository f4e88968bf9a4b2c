// Linux signals by name and number (signal(7)).

export const SIGKILL: u32 = 9;
export const SIGTERM: u32 = 15;

const RTMIN: u32 = 34;
const RTMAX: u32 = 64;

/**
 * The number of a signal from its name (with or without SIG, in any case), its number, or `RTMIN+n`, `RTMAX-n`. 0 if
 * the text is invalid. A number is not checked: see `isSignal`.
 */
export function parseSignal(text: string): u32 {
  const number = decimalOf(text);
  if (number >= 0) return <u32>min<i64>(number, u32.MAX_VALUE);
  const upper = text.toUpperCase();
  const name = upper.startsWith("SIG") ? upper.substring(3) : upper;
  if (name.startsWith("RTM")) return realTime(name);
  const at = NAMES.indexOf(name);
  if (at > 0 && name.length > 0) return <u32>at;
  return aliasOf(name);
}

/** Whether Linux has a signal of this number. */
export function isSignal(number: u32): bool {
  return number >= 1 && number <= RTMAX;
}

/** `SIGTERM` for 15; `SIGRTMIN+1` for 35; the number itself if it has no name. */
export function signalName(number: u32): string {
  if (number > 0 && number < <u32>NAMES.length) return "SIG" + NAMES[number];
  if (number == RTMIN) return "SIGRTMIN";
  return number > RTMIN && number <= RTMAX ? "SIGRTMIN+" + (number - RTMIN).toString() : number.toString();
}

// Names by number, starting at 0.
const NAMES: string[] = (
  " HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU " +
  "URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
).split(" ");

function aliasOf(name: string): u32 {
  if (name == "IOT") return 6;
  if (name == "CLD") return 17;
  if (name == "POLL") return 29;
  return name == "UNUSED" ? 31 : 0;
}

function realTime(name: string): u32 {
  if (name == "RTMIN") return RTMIN;
  if (name == "RTMAX") return RTMAX;
  const offset = decimalOf(name.substring(6));
  if (name.startsWith("RTMIN+") && offset >= 0 && offset <= 15) return RTMIN + <u32>offset;
  return name.startsWith("RTMAX-") && offset >= 0 && offset <= 14 ? RTMAX - <u32>offset : 0;
}

// -1 for a text that is not a number of 64 bits: Go looks it up as a name then.
function decimalOf(text: string): i64 {
  let value: i64 = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    if (value > (i64.MAX_VALUE - digit) / 10) return -1;
    value = value * 10 + digit;
  }
  return text.length == 0 ? -1 : value;
}
