// What Docker refuses in HEALTHCHECK.

import { BAD_DURATION, durationProblem, MILLISECOND, parseDuration } from "../../text/duration";
import { decimalOf } from "../../text/decimal";
import { quoteText } from "../../text/go-quote";
import { Instruction } from "./instruction";

const INTERVALS: string[] = ["interval", "timeout", "start-period", "start-interval"];

/** Docker's sentence; empty if kind, command and flags are valid. */
export function checkProblem(instruction: Instruction): string {
  const kind = instruction.words[0].toUpperCase();
  if (kind == "NONE") return instruction.words.length == 1 ? "" : "HEALTHCHECK NONE takes no arguments";
  if (kind != "CMD") return `Unknown type ${quoteText(kind)} in HEALTHCHECK (try CMD)`;
  if (instruction.words.length == 1) return "Missing command after HEALTHCHECK CMD";
  for (let i = 0; i < INTERVALS.length; i++) {
    const problem = intervalProblem(INTERVALS[i], instruction.flag(INTERVALS[i]));
    if (problem.length > 0) return problem;
  }
  return retriesProblem(instruction.flag("retries"));
}

/** Nanoseconds of a flag; 0 if it is not there. */
export function intervalOf(instruction: Instruction, name: string): i64 {
  const text = instruction.flag(name);
  return text.length == 0 ? 0 : parseDuration(text);
}

/** 0 if the flag is not there. */
export function retriesOf(instruction: Instruction): i32 {
  const text = instruction.flag("retries");
  return text.length == 0 ? 0 : decimalOf(unsigned(text), i32.MAX_VALUE);
}

function intervalProblem(name: string, text: string): string {
  if (text.length == 0) return "";
  const duration = parseDuration(text);
  if (duration == BAD_DURATION) return durationProblem(text);
  if (duration == 0 || duration >= MILLISECOND) return "";
  return `Interval "${name}" cannot be less than 1ms`;
}

function retriesProblem(text: string): string {
  if (text.length == 0) return "";
  const number = text.startsWith("-") ? text.slice(1) : unsigned(text);
  if (decimalOf(number, i32.MAX_VALUE) < 0) return `strconv.ParseInt: parsing ${quoteText(text)}: invalid syntax`;
  return text.startsWith("-") && number != "0" ? `--retries cannot be negative (${text})` : "";
}

function unsigned(text: string): string {
  return text.startsWith("+") || text.startsWith("-") ? text.slice(1) : text;
}
