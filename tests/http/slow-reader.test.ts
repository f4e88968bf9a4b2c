// Event readers that pause: they lose no event that the journal has, and are told how many events it no longer has.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, startWithBusybox, type Engine } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import type { Event } from "../support/past-events.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const JOURNAL = "4m";
/** Size of each event, which contains its container's labels. */
const KIB = 1024;
/** More than is sent to a client that does not read (1 MiB, and the sockets' buffers); less than the journal holds. */
const WITHIN = { events: 700, bytes: 4 * KIB };
/** More than all of that together, and more events than are kept in memory. */
const BEYOND = { events: 600, bytes: 20 * KIB };

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  describeUnless(engine.missing, `slow readers of events on ${engine.kind}`, () => slowReaders(engine));
}

function slowReaders(engine: Engine): void {
  let daemon: DaemonProcess;
  let client: EngineClient;
  let reader: RawConnection | null = null;

  beforeAll(async () => {
    daemon = await startWithBusybox(engine, ["--events-size", JOURNAL]);
    client = new EngineClient(daemon.socketPath);
  });
  afterEach(() => reader?.close());
  afterAll(async () => daemon?.close());

  test("all events of the journal are sent, each once and in order", async () => {
    expect(await toldOf(WITHIN)).toEqual({ lost: [], last: WITHIN.events });
  });

  test("events that it no longer has are counted, and the rest is sent in order", async () => {
    const { lost, last } = await toldOf(BEYOND);
    expect(last).toBe(BEYOND.events);
    expect(lost).toHaveLength(1);
    expect(lostBy(lost[0]!)).toBeGreaterThan(0);
  });

  /** What a reader receives that reads only after everything has happened. */
  async function toldOf({ events, bytes }: typeof WITHIN): Promise<Account> {
    const id = await client.running({ Tty: true, Labels: { long: "x".repeat(bytes) } });
    reader = await RawConnection.open(client.socketPath);
    const filters = encodeURIComponent(JSON.stringify({ container: [id], event: ["resize"] }));
    reader.send(encodeRequest({ target: `/v1.41/events?filters=${filters}` }));
    await reader.head();
    reader.pause();
    for (let height = 1; height <= events; height += 1) {
      await client.must(200, "POST", `/containers/${id}/resize?h=${height}&w=80`);
    }
    reader.resume();
    const account = await accountOf(reader, events);
    await client.remove(id);
    return account;
  }
}

interface Account {
  lost: Event[];
  /** Number of the last event. */
  last: number;
}

/**
 * Reads to the last event, and checks the place of each one, counting received and lost events: events are numbered
 * from 1.
 */
async function accountOf(reader: RawConnection, events: number): Promise<Account> {
  const lost: Event[] = [];
  let last = 0;
  for await (const event of eventsOf(reader)) {
    if (event.Action === "events-lost") {
      expect(event).toMatchObject({ Type: "daemon", scope: "local" });
      lost.push(event);
      last += lostBy(event);
    } else {
      last += 1;
      expect(event).toMatchObject({
        Type: "container",
        Action: "resize",
        Actor: { Attributes: { height: `${last}` } },
      });
    }
    if (last >= events) break;
  }
  return { lost, last };
}

function lostBy(event: Event): number {
  return Number(event.Actor.Attributes["coracle.lost"]);
}

async function* eventsOf(reader: RawConnection): AsyncGenerator<Event> {
  let rest = "";
  for await (const chunk of reader.chunks()) {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as Event;
  }
}
