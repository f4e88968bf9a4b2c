// Which objects the last step changed.

import type { Session } from "../../session/session.js";
import type { Change } from "../../../timeline/index.js";

/** The change of one object, or null: for `data-lit`. */
export function changeOf(session: Session, of: Change["of"], id: string): Change | null {
  return session.lit.value?.changes.find((one) => one.of === of && one.id === id) ?? null;
}
