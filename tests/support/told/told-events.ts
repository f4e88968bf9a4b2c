// Everything that a client was told has happened is in the event history afterwards, in the same order.
import { expect } from "vitest";
import { until } from "../commands.js";
import { secondsOf } from "../past-events.js";
import type { Door } from "./client.js";

interface Line {
  readonly text: string;
  /** For example `start ID`; an exec has its own id. */
  readonly what: string;
}

export class ToldEvents {
  /** Since the last check, the oldest first. */
  #told: string[] = [];
  /** Execs that have begun and whose end is not in the history yet. */
  readonly #open = new Set<string>();
  /** The last event at the time of the last check. */
  #last = "";

  /** `id`: of a container, or of an exec. */
  tell(id: string, ...actions: readonly string[]): void {
    for (const action of actions) this.#told.push(`${action} ${id}`);
  }

  /** Its end must appear once in the history, even if no client waits for it. */
  began(exec: string): void {
    this.tell(exec, "exec_start");
    this.#open.add(exec);
  }

  /** `isFrozen`: execs that have not ended can end only after their container is thawed, which a later check sees. */
  async check(engine: Door, who: string, isFrozen: boolean): Promise<void> {
    let lines: Line[] = [];
    await until(`the ends of execs of ${who}`, async () => {
      lines = (await this.#since(engine)).filter(({ text }) => text !== this.#last);
      const all = new Set(lines.map(({ what }) => what));
      return isFrozen || [...this.#open].every((exec) => all.has(`exec_die ${exec}`));
    });
    for (const exec of this.#open) {
      const ends = lines.filter(({ what }) => what === `exec_die ${exec}`);
      if (isFrozen && ends.length === 0) continue;
      expect(ends, `${who}: the ends of exec ${exec}`).toHaveLength(1);
      this.#open.delete(exec);
    }
    let at = 0;
    for (const what of this.#told) {
      const found = lines.findIndex((line, place) => place >= at && line.what === what);
      const history = lines.map((line) => line.what).join("\n");
      expect(found, `${who}: was told of ${this.#told.join(", ")}; there is\n${history}`).not.toBe(-1);
      at = found + 1;
    }
    this.#last = lines.at(-1)?.text ?? this.#last;
    this.#told = [];
  }

  /** By the engine's own clock. */
  async #since(engine: Door): Promise<Line[]> {
    const [, nanoseconds = "1000000000"] = /"timeNano":(\d+)/.exec(this.#last) ?? [];
    const since = `${nanoseconds.slice(0, -9)}.${nanoseconds.slice(-9)}`;
    // The world's clock may not have advanced beyond the millisecond of the last event.
    const info = await engine.call("GET", "/info");
    const until = secondsOf(info.json<{ SystemTime: string }>().SystemTime);
    const { text } = await engine.call("GET", `/events?since=${since}&until=${until}`);
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [{ text: line, what: whatOf(line) }]));
  }
}

function whatOf(line: string): string {
  const { Action, Actor } = JSON.parse(line) as {
    Action: string;
    Actor: { ID: string; Attributes: { execID?: string } };
  };
  return `${Action.split(":")[0]} ${Actor.Attributes.execID ?? Actor.ID}`;
}
