// The output of `printf`, for the program and the shell (POSIX printf, file format notation).

import { concat, unescapeBytes } from "../escapes.js";

const encoder = new TextEncoder();

export interface Printed {
  bytes: Uint8Array;
  /** Error messages, one for each invalid argument. */
  errors: string[];
}

/** The format is reused while arguments are left. */
export function printed(format: string, args: readonly string[]): Printed {
  const run = new Run(args);
  do {
    const before = run.used;
    run.once(format);
    if (run.stopped || run.used === before) break;
  } while (run.used < args.length);
  return { bytes: concat(run.pieces), errors: run.errors };
}

const DIRECTIVE = /^%([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|j|z|t|L)?([diouxXeEfFgGaAcsbq%])/;

class Run {
  readonly pieces: Uint8Array[] = [];
  readonly errors: string[] = [];
  used = 0;
  stopped = false;

  constructor(readonly args: readonly string[]) {}

  once(format: string): void {
    for (let at = 0; at < format.length && !this.stopped;) {
      const percent = format.indexOf("%", at);
      this.#literal(format.slice(at, percent < 0 ? undefined : percent));
      if (percent < 0 || this.stopped) return;
      const directive = DIRECTIVE.exec(format.slice(percent));
      if (!directive) return this.#fail(`${format.slice(percent)}: invalid format`);
      this.#convert(directive);
      at = percent + directive[0].length;
    }
  }

  #literal(text: string): void {
    const { bytes, stop } = unescapeBytes(text, "printf");
    this.pieces.push(bytes);
    this.stopped ||= stop;
  }

  #fail(message: string): void {
    this.errors.push(message);
    this.stopped = true;
  }

  #next(): string | undefined {
    return this.args[this.used++];
  }

  #convert([, flags = "", width, precision, conversion = ""]: RegExpExecArray): void {
    if (conversion === "%") return void this.pieces.push(encoder.encode("%"));
    const columns = width === "*" ? this.#integer() : Number(width ?? 0);
    const digits = precision === undefined ? undefined : precision === "*" ? this.#integer() : Number(precision);
    const left = flags.includes("-") || columns < 0;
    const bytes = this.#text(conversion, flags, digits);
    // For integers, a precision sets the number of digits and turns off padding with zeros (C17 7.21.6.1).
    const filled = digits === undefined ? /[^csb]/ : /[eEfFgG]/;
    this.pieces.push(pad(bytes, Math.abs(columns), left, flags.includes("0") && filled.test(conversion)));
  }

  #text(conversion: string, flags: string, digits: number | undefined): Uint8Array {
    if (conversion === "b") {
      const { bytes, stop } = unescapeBytes(this.#next() ?? "", "echo");
      this.stopped ||= stop;
      return bytes.subarray(0, digits);
    }
    if (conversion === "s") return encoder.encode(this.#next() ?? "").subarray(0, digits);
    if (conversion === "c") return encoder.encode([...(this.#next() ?? "")][0] ?? "");
    if (/[eEfFgG]/.test(conversion)) return encoder.encode(this.#float(conversion, flags, digits ?? 6));
    return encoder.encode(this.#whole(conversion, flags, digits));
  }

  #whole(conversion: string, flags: string, digits = 1): string {
    const value = BigInt(this.#integer());
    const isSigned = conversion === "d" || conversion === "i";
    const radix = conversion === "o" ? 8 : /[xX]/.test(conversion) ? 16 : 10;
    const shown = (isSigned && value < 0n ? -value : isSigned ? value : BigInt.asUintN(64, value)).toString(radix);
    const sign =
      isSigned && value < 0n ? "-" : isSigned && flags.includes("+") ? "+" : isSigned && flags.includes(" ") ? " " : "";
    const prefix = flags.includes("#") && value !== 0n ? (radix === 16 ? "0x" : radix === 8 ? "0" : "") : "";
    const text = sign + prefix + shown.padStart(digits, "0");
    return conversion === "X" ? text.toUpperCase() : text;
  }

  #integer(): number {
    const text = this.#next();
    if (text === undefined || text === "") return 0;
    if (/^["']/.test(text)) return text.codePointAt(1) ?? 0;
    const number = /^\s*[+-]?(0[xX][0-9a-fA-F]+|\d+)/.exec(text)?.[0];
    if (number === undefined || number.length !== text.length) this.errors.push(`invalid number '${text}'`);
    const octal = number && /^\s*[+-]?0[0-7]+$/.test(number);
    return number === undefined ? 0 : octal ? Number.parseInt(number, 8) : Number(number);
  }

  #float(conversion: string, flags: string, digits: number): string {
    const text = this.#next() ?? "0";
    const value = Number(text);
    if (Number.isNaN(value)) this.errors.push(`invalid number '${text}'`);
    const number = Number.isNaN(value) ? 0 : value;
    const shown = /[fF]/.test(conversion)
      ? fixed(number, digits)
      : /[eE]/.test(conversion)
        ? exponent(number, digits)
        : general(number, digits);
    const signed = number >= 0 && flags.includes("+") ? `+${shown}` : shown;
    return /[EFG]/.test(conversion) ? signed.toUpperCase() : signed;
  }
}

/** Rounds halves to even if they are exact halves in binary. */
function fixed(value: number, digits: number): string {
  const scaled = Math.abs(value) * 10 ** digits;
  const isHalf = Number.isSafeInteger(Math.floor(scaled)) && scaled % 1 === 0.5;
  if (!isHalf) return value.toFixed(Math.min(digits, 100));
  const even = 2 * Math.round(scaled / 2);
  return (Math.sign(value) * (even / 10 ** digits)).toFixed(digits);
}

function exponent(value: number, digits: number): string {
  return value.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
}

function general(value: number, digits: number): string {
  const wanted = digits || 1;
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (power < -4 || power >= wanted) return exponent(value, wanted - 1).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(wanted)));
}

function pad(bytes: Uint8Array, columns: number, left: boolean, zeroes: boolean): Uint8Array {
  if (bytes.length >= columns) return bytes;
  const filling = new Uint8Array(columns - bytes.length).fill(zeroes && !left ? 0x30 : 0x20);
  if (left) return concat([bytes, filling]);
  const sign = zeroes && /^[-+ ]/.test(String.fromCharCode(bytes[0] ?? 0)) ? 1 : 0;
  return concat([bytes.subarray(0, sign), filling, bytes.subarray(sign)]);
}
