// Handles a trap of the core: writes a line to the log that leads to the trace of everything before it.

import type { Log } from "../log.js";
import type { FlightRecorder } from "./flight-recorder.js";

/** How long the end of the process waits for the disk. */
const LONGEST_KEEPING_MS = 2000;

export class Incidents {
  /** File of the newest incident; null if there is none. */
  #kept: Promise<string | null> = Promise.resolve(null);

  constructor(
    private readonly recorder: FlightRecorder | null,
    private readonly log: Log,
  ) {}

  /** `incident`: its name in answers; null if it is not the core's fault. */
  lost(error: unknown, incident: string | null): void {
    const message = "an instance of the core was lost";
    if (incident === null) return this.log.error(message, { error: messageOf(error) });
    this.log.error(message, { error: messageOf(error), incident });
    this.#kept = this.#keep(incident);
  }

  /** Logs why the process is to end, and resolves when it may. */
  async fatal(error: unknown): Promise<void> {
    const late = new Promise<null>((resolve) => setTimeout(resolve, LONGEST_KEEPING_MS, null).unref());
    const trace = await Promise.race([this.#kept, late]);
    const fields = { error: messageOf(error), ...(trace === null ? {} : { trace }) };
    this.log.fatal("no instance of the core can be kept", fields);
  }

  async #keep(incident: string): Promise<string | null> {
    const trace = (await this.recorder?.keep(incident)) ?? null;
    if (trace !== null) this.log.error("the trace up to there is kept", { incident, trace });
    return trace;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
