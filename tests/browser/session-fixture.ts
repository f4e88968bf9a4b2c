// Sessions for tests, and common actions. They are closed after each test.

import { afterEach } from "vitest";
import { createSession } from "../../hosts/browser/session/create.js";
import type { Exchange } from "../../hosts/browser/session/exchange.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { written } from "../../hosts/browser/session/request.js";
import type { WrittenRequest } from "../../hosts/browser/session/request.js";
import type { Session, SessionOptions } from "../../hosts/browser/session/session.js";

export const CORE = packagedCore();
export const SECOND = 1_000_000_000n;
const open: Session[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

export async function opened(options: Partial<SessionOptions> = {}): Promise<Session> {
  return kept(await createSession({ core: CORE, pace: "stopped", ...options }));
}

export function kept(session: Session): Session {
  open.push(session);
  return session;
}

/** Sends a request and lets time pass until the answer, at most a minute of the world. */
export async function send(session: Session, request: WrittenRequest): Promise<Exchange> {
  const exchange = await session.send(session.add(request).id);
  for (let waited = 0; waited < 600 && !isOver(exchange); waited++) await session.advance(SECOND / 10n);
  return exchange;
}

export function isOver(exchange: Exchange): boolean {
  return ["done", "broken"].includes(exchange.state.value);
}

export const status = (exchange: Exchange) => exchange.head.value?.status;
export const container = (session: Session, name: string) =>
  session.world.value.containers.find((one) => one.name === name);

export const CREATE = written("POST", "/v1.41/containers/create?name=hello", {
  Image: "busybox",
  Cmd: ["echo", "hello"],
});
export const START = written("POST", "/v1.41/containers/hello/start");
export const LOOP = { Image: "busybox", Cmd: ["sh", "-c", "while true; do date; sleep 1; done"] };

/** The same few actions in any session. */
export async function story(session: Session): Promise<void> {
  await send(session, CREATE);
  await send(session, START);
  await session.advance(2n * SECOND);
  await send(session, written("GET", "/v1.41/containers/json?all=1"));
  await send(session, written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest"));
  await send(session, written("DELETE", "/v1.41/containers/hello"));
}
