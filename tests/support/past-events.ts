// What an engine's events say of a stretch of time.
import { pause } from "./commands.js";
import type { EngineClient } from "./engine-client.js";

export interface Event {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly scope: string;
  readonly time: number;
  readonly timeNano: number;
  readonly status?: string;
  readonly id?: string;
  readonly from?: string;
}

/** The events since then. */
export async function past(engine: EngineClient, since: string, filters: unknown = {}): Promise<Event[]> {
  const until = (Date.now() / 1000 + 0.01).toFixed(3);
  const query = `since=${since}&until=${until}&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const answer = await engine.must(200, "GET", `/events?${query}`);
  const lines = answer.text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Event);
}

/** Those about one container, its networks and volumes included. */
export async function pastOf(engine: EngineClient, id: string, since: string): Promise<Event[]> {
  await pause(200);
  const all = await past(engine, since);
  return all.filter((event) => event.Actor.ID === id || event.Actor.Attributes["container"] === id);
}

/** A moment that lies behind all events so far and before all to come. */
export async function stamp(): Promise<string> {
  await pause(5);
  const now = (Date.now() / 1000).toFixed(3);
  await pause(5);
  return now;
}

export function short(event: Event): string {
  return `${event.Type} ${event.Action}`;
}
