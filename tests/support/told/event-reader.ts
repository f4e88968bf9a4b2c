// A reader of events while the daemon is killed: every event that it received must be in the history afterwards.
import { expect } from "vitest";
import type { EngineClient } from "../engine-client.js";
import type { Event } from "../past-events.js";
import { encodeRequest, RawConnection } from "../raw-http.js";

export class EventReader {
  /** Seconds, with fractions. */
  #since = (Date.now() / 1000).toFixed(3);
  /** Events received since then, in order. */
  #told: Event[] = [];

  constructor(private readonly engine: EngineClient) {}

  /** Reads until the daemon is gone. */
  async read(): Promise<void> {
    let text = "";
    try {
      const connection = await RawConnection.open(this.engine.socketPath);
      connection.send(encodeRequest({ target: `/v1.41/events?since=${this.#since}` }));
      await connection.head();
      for await (const chunk of connection.chunks()) {
        text += chunk.toString();
        const lines = text.split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) if (line.trim() !== "") this.#told.push(JSON.parse(line) as Event);
      }
    } catch {
      // An incomplete event was not received.
    }
  }

  /** Returns how many events were received. */
  async check(): Promise<number> {
    const until = (Date.now() / 1000).toFixed(3);
    const answer = await this.engine.must(200, "GET", `/events?since=${this.#since}&until=${until}`);
    const history = answer.text.split("\n").filter((line) => line.trim() !== "");
    const events = history.map((line) => JSON.parse(line) as Event);
    const told = this.#told;
    expect(events.slice(0, told.length), `events since ${this.#since}`).toEqual(told);
    this.#since = history.length > 0 ? nanoseconds(history.at(-1)!) : this.#since;
    this.#told = [];
    return told.length;
  }
}

/** The time of an event with all digits, which a number could not hold. */
function nanoseconds(line: string): string {
  const [, time = "0"] = /"timeNano":(\d+)/.exec(line) ?? [];
  return `${time.slice(0, -9)}.${time.slice(-9)}`;
}
