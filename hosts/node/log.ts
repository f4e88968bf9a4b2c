// The daemon's log: one line for each event, with fields, on standard error.

import { LOG_LEVELS } from "./config/options.js";
import type { LogLevel } from "./config/options.js";

export type Fields = Record<string, string | number>;

export type Log = Record<LogLevel, (message: string, fields?: Fields) => void>;

/** Drops lines below the level that `least` returns at that moment. The format is that of dockerd's log. */
export function openLog(least: () => LogLevel, write: (line: string) => void = toStandardError): Log {
  const lines = LOG_LEVELS.map((level, rank) => {
    const log = (message: string, fields: Fields = {}): void => {
      if (rank < LOG_LEVELS.indexOf(least())) return;
      const all = { time: new Date().toISOString(), level, msg: message, ...fields };
      write(
        `${Object.entries(all)
          .map(([name, value]) => `${name}=${shown(value)}`)
          .join(" ")}\n`,
      );
    };
    return [level, log] as const;
  });
  return Object.fromEntries(lines) as Log;
}

function shown(value: string | number): string {
  return typeof value === "string" && !/^[\w.:/@+-]+$/.test(value) ? JSON.stringify(value) : String(value);
}

/** If standard error is full or closed, the line is lost and the daemon goes on. */
function toStandardError(line: string): void {
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => {});
  process.stderr.write(line);
}
