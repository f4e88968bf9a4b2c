// The engine's events, newest first.

import type { EventList, EventView } from "../../../timeline/index.js";
import { useSession } from "../context.js";
import { clockTime, shortId } from "../words.js";
import { changeOf } from "./lit.js";

const SHOWN = 12;

export function Events({ events }: { events: EventList }) {
  const session = useSession();
  return (
    <section class="things" aria-label="Events">
      <h3>Events</h3>
      {events.length === 0 && <p class="muted small">None yet.</p>}
      <ol class="events">
        {events
          .since(events.length - SHOWN)
          .toReversed()
          .map((event) => (
            <li key={event.number} data-lit={changeOf(session, "event", String(event.number)) !== null}>
              <time class="muted wire">{clockTime(event.at)}</time>
              <span>
                {event.type} <strong>{event.action}</strong> <span class="muted clip">{nameOf(event)}</span>
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}

function nameOf({ id, attributes }: EventView): string {
  const name = attributes["name"] ?? id;
  return name.startsWith("sha256:") || name === id ? shortId(name) : name;
}
