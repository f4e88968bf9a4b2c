// How a container's output is kept: `HostConfig.LogConfig`, and the daemon's defaults for what it leaves out.

import { LogKeeping } from "../../../../build/bindings/types";
import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { engine } from "../../state";
import { byteCount } from "../../text/byte-size";
import { decimalOf } from "../../text/decimal";
import { Container } from "../container";
import { isTrue, unitOf } from "./log-options";

/** The log's limit without `max-size`, so that no container can fill the disk. */
const FILE_BYTES: i64 = 20_000_000;
const FILES: i32 = 5;
const MAX_FILES: i32 = 1000;
/** Bytes of unread output that are buffered for clients attached to a container without a log. */
const PASSING_BYTES: u64 = 4_000_000;

/**
 * Fills in the daemon's driver, and the daemon's options if the
 * container uses that driver. Changes a normalised `HostConfig`.
 */
export function fillLogConfig(host: Json): void {
  const log = host.entry("LogConfig");
  if (log === null) return;
  const options = engine.options;
  if (log.stringOf("Type").length == 0) log.set("Type", Json.string(options.logDriver));
  if (log.stringOf("Type") != options.logDriver) return;
  const given = log.entry("Config");
  const config = given === null || given.isNull ? Json.object() : given;
  for (let i = 0; i < options.logOptions.length; i++) {
    const option = options.logOptions[i];
    if (config.entry(option.first) === null) config.set(option.first, Json.string(option.second));
  }
  log.set("Config", config);
}

/** `LogConfig` of a container. */
export function logConfigOf(container: Container): Json | null {
  const host = parseKept(container.hostConfig);
  return host === null ? null : host.find("LogConfig");
}

/** Name of the log driver of a container. */
export function logDriverOf(container: Container): string {
  const log = logConfigOf(container);
  return log === null ? "json-file" : log.stringOf("Type");
}

/** `host`: a container's `HostConfig`. */
export function logOf(host: Json): LogKeeping {
  const log = host.entry("LogConfig");
  if (log === null) return keepingOf("", Json.object());
  const config = log.entry("Config");
  return keepingOf(log.stringOf("Type"), config === null ? Json.object() : config);
}

/** How logs are kept by the daemon's own options, for `/info`. */
export function daemonKeeping(): LogKeeping {
  const config = Json.object();
  const options = engine.options.logOptions;
  for (let i = 0; i < options.length; i++) config.set(options[i].first, Json.string(options[i].second));
  return keepingOf(engine.options.logDriver, config);
}

/**
 * With `max-size` but no number of files, `json-file` keeps one
 * file, as in Docker; `local` keeps five and compresses them.
 */
function keepingOf(driver: string, options: Json): LogKeeping {
  if (driver == "none") return new LogKeeping(PASSING_BYTES, 1, false, true);
  const size = byteCount(options.stringOf("max-size"), unitOf(driver));
  const files = decimalOf(options.stringOf("max-file"), MAX_FILES);
  const local = driver == "local";
  const count = files > 0 ? files : size > 0 && !local ? 1 : FILES;
  const compress = options.entry("compress");
  const compressed = compress === null ? local : isTrue(compress.text);
  return new LogKeeping(<u64>(size > 0 ? size : FILE_BYTES), count, compressed && count > 1, false);
}
