// DELETE /volumes/{name} (surface §2.25): a volume in use stays. Removing one by its name is not implemented yet.

import { flagOf } from "../api/parameters";
import { Call } from "../call";
import { conflict, notBuilt, notFound, Refusal } from "../refusal";
import { sendEmpty } from "../reply";
import { volumeStore } from "./store";
import { usersOf } from "./use";

export function removeVolume(call: Call): Refusal | null {
  const name = call.name;
  if (volumeStore.find(name) === null) {
    if (!flagOf(call.query, "force")) return notFound(`get ${name}: no such volume`);
    sendEmpty(call, 204);
    return null;
  }
  const users = usersOf(name);
  if (users.length > 0) return conflict(`remove ${name}: volume is in use - [${users.join(", ")}]`);
  return notBuilt(`${call.request.method} ${call.path}`);
}
