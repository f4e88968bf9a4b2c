// Parses sizes, durations and pairs in options.

import { atSign } from "../planned.js";
import { misread } from "../wrong.js";

/** `512m`, `1.5g`, `64MiB`; `-1` where it means no limit. */
export function bytesOf(text: string): number {
  if (text === "-1") return -1;
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?) ?(?:([kmgtp])?i?b?)?$/i.exec(text) ?? [];
  if (number === undefined) throw misread(text, "size such as 512m or 1.5g");
  return Math.floor(Number(number) * 1024 ** ["", "k", "m", "g", "t", "p"].indexOf(unit.toLowerCase()));
}

/** Parses `1m30s` to nanoseconds. */
export function durationOf(text: string): number {
  if (text === "0") return 0;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) throw misread(text, "duration such as 1m30s or 500ms");
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g);
  return Array.from(parts, ([, number, unit]) => Math.round(Number(number) * UNITS[unit!]!)).reduce((a, b) => a + b, 0);
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

export function integerOf(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw misread(text, "whole number");
  return Number(text);
}

export function cpusOf(text: string): number {
  if (!/^\d+(\.\d+)?$|^\.\d+$/.test(text)) throw misread(text, "number of processors such as 1.5");
  return Math.round(Number(text) * 1e9);
}

/** Turns `a=b` into an object. A name without a sign is present with an empty value. */
export function pairs(values: readonly string[], sign = "="): Record<string, string> {
  return Object.fromEntries(values.map((value) => atSign(value, sign)).map(([name, text]) => [name, text ?? ""]));
}

/** Splits `type=bind,source=/a` into pairs. A word without a sign means true. Quoted parts keep their commas. */
export function fieldsOf(text: string): [name: string, value: string][] {
  const parts = text.match(/(?:"(?:[^"]|"")*"|[^,])+/g) ?? [];
  return parts.map((part) => {
    const [name, value] = atSign(part.replace(/^"(.*)"$/s, "$1").replaceAll('""', '"'), "=");
    return [name.trim().toLowerCase(), value ?? "true"];
  });
}
