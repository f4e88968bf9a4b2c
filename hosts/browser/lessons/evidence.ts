// What lessons' checks look at: requests of the learner, answers of the engine, and the state of the world. All
// functions read signals.

import type { Exchange } from "../session/exchange.js";
import { pathOf, versionOf } from "../session/request.js";
import type { Session } from "../session/session.js";
import type { ContainerView, ImageView } from "../../timeline/index.js";

/** Requests to this endpoint in the order of sending, whatever the answers. */
export function sent(session: Session, method: string, path: RegExp): Exchange[] {
  return session.exchanges.value.filter(({ request }) => request.method === method && path.test(pathOf(request)));
}

/** Requests to this endpoint that were answered with this status. */
export function answered(session: Session, method: string, path: RegExp, status: number): Exchange[] {
  return sent(session, method, path).filter(({ head }) => head.value?.status === status);
}

/** Requests to this endpoint that were refused: with an error status, or an error at the end of a progress stream. */
export function refused(session: Session, method: string, path: RegExp): Exchange[] {
  return sent(session, method, path).filter((exchange) => {
    const view = exchange.view.value;
    return (exchange.head.value?.status ?? 0) >= 400 || (view.kind === "progress" && view.error !== null);
  });
}

/** The query of an exchange's request. */
export function queryOf({ request }: Exchange): URLSearchParams {
  return new URLSearchParams(request.target.split("?")[1] ?? "");
}

/** Minor number of the requested API version; null if the path has none. */
export function minorOf({ request }: Exchange): number | null {
  const version = versionOf(request);
  return version === null ? null : Number(version.split(".")[1]);
}

/** The JSON of an answer; undefined until it has arrived. */
export function jsonOf(exchange: Exchange): unknown {
  const view = exchange.view.value;
  return view.kind === "json" ? view.value : undefined;
}

/** A field of the answer's JSON object. */
export function fieldOf(exchange: Exchange, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
    jsonOf(exchange),
  );
}

/** The part of an answer that belongs to one of a container's streams. */
export function outputOf(exchange: Exchange, stream: "stdout" | "stderr"): string {
  const view = exchange.view.value;
  if (view.kind !== "frames") return "";
  const decoder = new TextDecoder();
  return view.frames
    .filter((frame) => frame.stream === stream)
    .map((frame) => decoder.decode(frame.bytes))
    .join("");
}

/** The newest container, as it is now. */
export function newest(session: Session): ContainerView | undefined {
  return worldNow(session).containers.at(-1);
}

/** Its name, or the name that it will get. */
export function newestName(session: Session, otherwise: string): string {
  return newest(session)?.name ?? otherwise;
}

/** All containers, as they are now. */
export function containersNow(session: Session): readonly ContainerView[] {
  return worldNow(session).containers;
}

/** A name that no container uses. */
export function freeName(session: Session, name: string): string {
  const taken = new Set(worldNow(session).containers.map((container) => container.name));
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

export function someContainer(session: Session, holds: (container: ContainerView) => boolean): boolean {
  return worldNow(session).containers.some(holds);
}

export function someImage(session: Session, holds: (image: ImageView) => boolean): boolean {
  return worldNow(session).images.some(holds);
}

/** The current world, even if the learner looks at the past. */
function worldNow(session: Session): Session["world"]["value"] {
  return session.steps.value.at(-1)?.world ?? session.world.value;
}
