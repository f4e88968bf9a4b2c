// The interfaces that a packet passes, there and back.

import type { Passed, Route } from "./routes.js";

/** What matters of a route for the time that a packet takes. */
export type Way = Pick<Route, "passed" | "address" | "isLocal">;

/** Whether the interfaces on the way still exist. */
export function isThere({ to, isLocal, address, passed }: Route): boolean {
  if (isLocal) return true;
  const reaches = passed.every(({ namespace, network }) => namespace.joins.has(network.network));
  return reaches && (to.isMachine || to.has(address));
}

/** The way of an answer. */
export function homeward({ passed, address, isLocal }: Way): Way {
  const turned = passed.map((place): Passed => ({ ...place, way: OTHER[place.way] }));
  return { passed: turned.reverse(), address, isLocal };
}

const OTHER = { sent: "received", received: "sent" } as const;
