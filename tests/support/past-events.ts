// The events of an engine in a period of time.
import { pause, until } from "./commands.js";
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

/** The events since then in the reference's format: without the origin. */
export async function past(engine: EngineClient, since: string, filters: unknown = {}): Promise<Event[]> {
  return (await pastSigned(engine, since, filters)).map(unsigned);
}

/** The same with our attributes: the difference `event-origins`. */
export async function pastSigned(engine: EngineClient, since: string, filters: unknown = {}): Promise<Event[]> {
  const query = `since=${since}&until=${await stamp(engine)}&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const answer = await engine.must(200, "GET", `/events?${query}`);
  const lines = answer.text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Event);
}

/** Without our attributes. */
export function unsigned(event: Event): Event {
  const attributes = Object.entries(event.Actor.Attributes).filter(([name]) => !name.startsWith("coracle."));
  return { ...event, Actor: { ...event.Actor, Attributes: Object.fromEntries(attributes) } };
}

/**
 * Events about one container, including its networks and volumes. Waits for the expected number, then for an event made
 * after them, so that additional events are included too.
 */
export async function pastOf(engine: EngineClient, id: string, since: string, expected = 0): Promise<Event[]> {
  const own = async (): Promise<Event[]> => {
    const all = await past(engine, since);
    return all.filter((event) => event.Actor.ID === id || event.Actor.Attributes["container"] === id);
  };
  let seen: Event[] = [];
  await until("as many events", async () => (seen = await own()).length >= expected, { everyMs: 50 }).catch((error) => {
    throw new Error(`${String(error)}: ${expected} expected, told were ${seen.map(short).join(", ")}`);
  });
  await tellMark(engine, since);
  return own();
}

/** Events that are pending when this one is made are delivered before it. */
async function tellMark(engine: EngineClient, since: string): Promise<void> {
  const mark = await engine.create({ Cmd: ["true"] });
  await engine.remove(mark);
  const isTold = async (): Promise<boolean> =>
    (await past(engine, since, { event: ["destroy"] })).some(({ Actor }) => Actor.ID === mark);
  await until("the mark", isTold);
}

/**
 * A time after all events so far and before all later ones, for `since` and `until`. It comes from the engine's clock,
 * because another clock may differ from it, and a simulated one may stand still for a moment.
 */
export async function stamp(engine: EngineClient): Promise<string> {
  const after = await timeAfter(engine, await timeOf(engine));
  await timeAfter(engine, after);
  return secondsOf(after);
}

/** The engine's time, once it is another one. */
async function timeAfter(engine: EngineClient, before: string): Promise<string> {
  for (;;) {
    const now = await timeOf(engine);
    if (now !== before) return now;
    await pause(1);
  }
}

async function timeOf(engine: EngineClient): Promise<string> {
  return (await engine.read<{ SystemTime: string }>("/info")).SystemTime;
}

/** A time of the engine with all its digits: a `Date` has only milliseconds. */
export function secondsOf(time: string): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? "";
  return `${Math.floor(Date.parse(time) / 1000)}.${fraction.padEnd(9, "0")}`;
}

export function short(event: Event): string {
  return `${event.Type} ${event.Action}`;
}
