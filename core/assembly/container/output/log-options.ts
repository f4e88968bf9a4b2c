// The options of log drivers (`LogConfig.Config`): which exist, and which values are invalid. Docker reports invalid
// values when a container is started; this engine refuses them at create.

import { Json } from "../../json/json";
import { byteCount } from "../../text/byte-size";
import { decimalOf } from "../../text/decimal";
import { quoteText } from "../../text/go-quote";
import { Regex } from "../../text/regex";
import { tagProblem } from "./log-tag";

/** The drivers that are implemented. `none` keeps nothing. */
export const DRIVERS: string[] = ["json-file", "local", "none"];

/** Docker's drivers that send logs elsewhere. */
const ELSEWHERE: string[] = ["awslogs", "etwlogs", "fluentd", "gcplogs", "gelf", "journald", "splunk", "syslog"];

/** Every driver accepts these. They have no effect: writing a log never blocks here, so there is no buffer to size. */
const COMMON: string[] = ["mode", "max-buffer-size"];
/** Options of the cache that Docker keeps for unreadable drivers; the implemented drivers can all be read. */
const OF_CACHES: string[] = ["cache-disabled", "cache-max-size", "cache-max-file", "cache-compress"];
const OF_FILES: string[] = ["max-size", "max-file", "compress"];
const OF_JSON_FILE: string[] = ["labels", "labels-regex", "env", "env-regex", "tag"];

/** Sizes of `json-file` count in units of 1000, those of `local` in units of 1024. */
export function unitOf(driver: string): f64 {
  return driver == "local" ? 1024 : 1000;
}

const MAX_FILES: i32 = 1000;

/** The log driver that a `HostConfig` asks for, if it is one of Docker's that send logs elsewhere; else empty. */
export function unbuiltDriver(host: Json): string {
  const log = host.entry("LogConfig");
  const driver = log === null ? "" : log.stringOf("Type");
  return ELSEWHERE.includes(driver) ? driver : "";
}

/** What is wrong with a `LogConfig`, in Docker's words where it has any; empty if nothing is. */
export function logConfigProblem(log: Json): string {
  const driver = log.stringOf("Type");
  if (driver == "" || driver == "none" || ELSEWHERE.includes(driver)) return "";
  if (!DRIVERS.includes(driver)) return `error looking up logging plugin ${driver}: plugin "${driver}" not found`;
  const options = log.entry("Config");
  if (options === null) return "";
  const problem = modeProblem(options);
  if (problem.length > 0) return problem;
  for (let i = 0; i < options.keys.length; i++) {
    const name = options.keys[i];
    if (COMMON.includes(name) || OF_CACHES.includes(name) || OF_FILES.includes(name)) continue;
    if (driver == "json-file" && OF_JSON_FILE.includes(name)) continue;
    const kind = driver == "json-file" ? "json-file log driver" : `log driver ${driver}`;
    return `unknown log opt '${name}' for ${kind}`;
  }
  return fileProblem(driver, options);
}

function modeProblem(options: Json): string {
  const mode = options.stringOf("mode");
  if (mode != "" && mode != "blocking" && mode != "non-blocking") return `logger: logging mode not supported: ${mode}`;
  const buffer = options.entry("max-buffer-size");
  if (buffer === null) return "";
  if (mode != "non-blocking") return "logger: max-buffer-size option is only supported with 'mode=non-blocking'";
  return byteCount(buffer.text, 1024) < 0 ? `error parsing option max-buffer-size: invalid size: '${buffer.text}'` : "";
}

function fileProblem(driver: string, options: Json): string {
  const size = options.entry("max-size");
  if (size !== null) {
    const bytes = byteCount(size.text, unitOf(driver));
    if (bytes < 0) return `invalid value for max-size: ${size.text}`;
    if (bytes == 0) return "max-size must be a positive number";
  }
  const files = options.entry("max-file");
  if (files !== null) {
    const count = decimalOf(files.text, MAX_FILES);
    if (count < 0) return `invalid value for max-file: ${files.text}`;
    if (count == 0) return "max-file cannot be less than 1";
  }
  const compress = options.entry("compress");
  if (compress !== null && !isTrue(compress.text) && !isFalse(compress.text)) {
    return `invalid value for compress: ${compress.text}`;
  }
  const one = files !== null && decimalOf(files.text, MAX_FILES) == 1;
  if (
    compress !== null &&
    isTrue(compress.text) &&
    (one || (size !== null && files === null && driver == "json-file"))
  ) {
    return "compress cannot be true when max-file is less than 2 or max-size is not set";
  }
  return patternProblem(options);
}

function patternProblem(options: Json): string {
  const names = ["labels-regex", "env-regex"];
  for (let i = 0; i < names.length; i++) {
    const pattern = options.stringOf(names[i]);
    if (Regex.compile(pattern) === null) return `invalid value for ${names[i]}: ${quoteText(pattern)}`;
  }
  return tagProblem(options.stringOf("tag"));
}

/** True as in Go's strconv.ParseBool. */
export function isTrue(text: string): bool {
  return TRUE.includes(text);
}

function isFalse(text: string): bool {
  return FALSE.includes(text);
}

const TRUE: string[] = ["1", "t", "T", "true", "TRUE", "True"];
const FALSE: string[] = ["0", "f", "F", "false", "FALSE", "False"];
