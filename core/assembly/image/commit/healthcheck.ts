// The HEALTHCHECK line of a Dockerfile.

import { isI64, Json } from "../../json/json";
import { BAD_DURATION, MILLISECOND, parseDuration } from "../../text/duration";
import { jsonWords } from "./dockerfile-words";

/** `Config.Healthcheck`, or what is wrong with the line. */
export class ReadHealthcheck {
  constructor(
    readonly check: Json | null,
    readonly error: string,
  ) {}
}

export function readHealthcheck(line: string): ReadHealthcheck {
  const check = Json.object();
  check.set("Test", Json.array());
  let rest = line;
  while (rest.startsWith("--")) {
    const end = blankIn(rest);
    const error = takeOption(check, rest.slice(2, end));
    if (error.length > 0) return failed(error);
    rest = rest.slice(end).trim();
  }
  const end = blankIn(rest);
  const word = rest.slice(0, end).toUpperCase();
  const command = rest.slice(end).trim();
  if (word == "NONE") {
    if (command.length > 0) return failed("HEALTHCHECK NONE takes no arguments");
    check.set("Test", Json.strings(["NONE"]));
    return new ReadHealthcheck(check, "");
  }
  if (word.length == 0) return failed("HEALTHCHECK requires at least one argument");
  if (word != "CMD") return failed(`Unknown type "${word}" in HEALTHCHECK (try CMD)`);
  if (command.length == 0) return failed("Missing command after HEALTHCHECK CMD");
  const list = jsonWords(command);
  const test = list === null ? ["CMD-SHELL", command] : ["CMD"].concat(list.strings());
  check.set("Test", Json.strings(test));
  return new ReadHealthcheck(check, "");
}

function failed(error: string): ReadHealthcheck {
  return new ReadHealthcheck(null, error);
}

function takeOption(check: Json, option: string): string {
  const equals = option.indexOf("=");
  const name = equals < 0 ? option : option.slice(0, equals);
  const value = equals < 0 ? "" : option.slice(equals + 1);
  if (name == "retries") {
    const retries = Json.number(value);
    if (!isI64(retries) || value.startsWith("-")) return `invalid HEALTHCHECK retries: ${value}`;
    check.set("Retries", retries);
    return "";
  }
  const field = fieldOf(name);
  if (field.length == 0) return `unknown flag: --${name}`;
  const duration = parseDuration(value);
  if (duration == BAD_DURATION) return `time: invalid duration "${value}"`;
  if (duration < 0 || (duration > 0 && duration < MILLISECOND)) {
    return `Interval "${name}" cannot be less than 1ms`;
  }
  check.set(field, Json.i64(duration));
  return "";
}

function fieldOf(option: string): string {
  if (option == "interval") return "Interval";
  if (option == "timeout") return "Timeout";
  if (option == "start-period") return "StartPeriod";
  return option == "start-interval" ? "StartInterval" : "";
}

function blankIn(text: string): i32 {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) == 0x20 || text.charCodeAt(i) == 0x09) return i;
  }
  return text.length;
}
