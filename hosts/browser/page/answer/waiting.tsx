// Shown next to a request without an answer: what it waits for.

import { awaited, openUntil } from "../../session/explain/waiting.js";
import type { Exchange } from "../../session/exchange.js";
import { usePlayground, useSession } from "../context.js";
import { WATCHING } from "../speed.js";
import { shortIds } from "../words.js";

export function Waiting({ exchange }: { exchange: Exchange }) {
  const session = useSession();
  const { speed } = usePlayground();
  const what = awaited(session.steps.value, exchange).at(-1);
  const until = openUntil(exchange.request);
  let why = what === undefined ? until && `waits ${until}` : `waits for: ${shortIds(what)}`;
  if (what !== undefined && speed.value === WATCHING) why += ", slowed down";
  if (session.pace.value === "stopped") why = "time stands still: press Play";
  return (
    <>
      Sent… <span class="small">{why}</span>
    </>
  );
}
