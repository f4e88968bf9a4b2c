// Servers that pretend to receive requests. They print a line per request, in the format of the real program, until
// they are stopped.

import { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH } from "../processes/signals.js";
import type { ContainerProcess, ContainerProgram } from "../processes/process.js";
import { command } from "./command.js";
import { formatTime } from "./date.js";

/** Shortest and longest pause between two requests, in seconds. */
const PAUSE = { least: 1, most: 8 };

const VISITORS = ["192.0.2.7", "192.0.2.81", "198.51.100.14", "198.51.100.200", "203.0.113.5"];
const ASKED: readonly [string, number, number][] = [
  ["GET / HTTP/1.1", 200, 615],
  ["GET /index.html HTTP/1.1", 200, 615],
  ["GET /favicon.ico HTTP/1.1", 404, 153],
  ["GET /health HTTP/1.1", 404, 153],
  ["HEAD / HTTP/1.1", 200, 0],
  ["POST /login HTTP/1.1", 405, 157],
];
const BROWSERS = ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0)", "curl/8.9.1", "Wget/1.24.5"];

function choose<T>(process: ContainerProcess, from: readonly T[]): T {
  return from[Math.floor(process.random() * from.length)]!;
}

/** Common log format, with referrer and user agent. */
function requestLine(process: ContainerProcess): string {
  const [asked, status, size] = choose(process, ASKED);
  const time = formatTime(process.now(), "%d/%b/%Y:%H:%M:%S %z");
  return `${choose(process, VISITORS)} - - [${time}] "${asked}" ${status} ${size} "-" "${choose(process, BROWSERS)}" "-"\n`;
}

interface Kind {
  ending: readonly number[];
  harmless: readonly number[];
  /** The texts it prints at its start and when a signal ends it; empty for none. */
  begins(process: ContainerProcess): string;
  ends(process: ContainerProcess, signal: number): string;
}

function server(kind: Kind): ContainerProgram {
  return command(async (process) => {
    let ended: number | null = null;
    let wake = (): void => {};
    process.onSignal(kind.ending, (signal) => {
      ended = signal;
      wake();
    });
    process.onSignal(kind.harmless, () => {});
    await process.stderr.write(kind.begins(process));
    while (ended === null) {
      const pause = PAUSE.least + process.random() * (PAUSE.most - PAUSE.least);
      await process.wait((due) => {
        wake = due;
        const { time } = process.namespace.kernel;
        return time.at(time.now().monotonic + BigInt(Math.round(pause * 1e9)), due);
      });
      if (ended === null) await process.stdout.write(requestLine(process));
    }
    await process.stderr.write(kind.ends(process, ended));
    return 0;
  });
}

const NAMES: Readonly<Record<number, string>> = { [SIGQUIT]: "SIGQUIT", [SIGTERM]: "SIGTERM", [SIGINT]: "SIGINT" };

function note(process: ContainerProcess, text: string): string {
  return `${formatTime(process.now(), "%Y/%m/%d %H:%M:%S")} [notice] ${process.pid}#${process.pid}: ${text}\n`;
}

/** Like nginx: SIGQUIT ends it gracefully, SIGTERM at once, both with 0. */
export const nginx = server({
  ending: [SIGTERM, SIGINT, SIGQUIT],
  harmless: [SIGHUP, SIGWINCH],
  begins: (process) => note(process, "start worker processes"),
  ends: (process, signal) =>
    note(process, `signal ${signal} (${NAMES[signal]}) received, ${signal === SIGQUIT ? "shutting down" : "exiting"}`) +
    note(process, "exit"),
});

export const httpd = server({
  ending: [SIGTERM, SIGINT, SIGWINCH],
  harmless: [SIGHUP],
  begins: () => "",
  ends: () => "",
});
