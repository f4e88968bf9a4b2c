// A session of the page without the page: runs typed lines and returns their results.

import { afterEach } from "vitest";
import { parse, readLine } from "../../hosts/browser/notation/parse.js";
import { sendAll, type Sender } from "../../hosts/browser/notation/plan.js";
import { runScript } from "../../hosts/browser/notation/shell/run.js";
import { Variables } from "../../hosts/browser/notation/shell/variables.js";
import { createSession } from "../../hosts/browser/session/create.js";
import { folderIn } from "../../hosts/browser/session/folder.js";
import type { Exchange } from "../../hosts/browser/session/exchange.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import type { Session } from "../../hosts/browser/session/session.js";

const open: Session[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

export async function opened(): Promise<Session> {
  const session = await createSession({ core: packagedCore(), pace: "fast" });
  open.push(session);
  return session;
}

export async function typed(session: Session, line: string): Promise<readonly Exchange[]> {
  const result = parse(line, "1.41");
  if (!result.ok) throw new Error(result.message);
  return sendAll(result.requests, senderOf(session));
}

export function senderOf(session: Session): Sender {
  return {
    send: (request) => session.send(session.add(request).id),
    cancel: (exchange) => session.cancel(exchange),
    folder: () => folderIn(session.cells.value.map((cell) => cell.request.value)),
  };
}

export async function over(exchange: Exchange): Promise<void> {
  while (!["done", "broken"].includes(exchange.state.value)) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function textOf(exchange: Exchange): string {
  const view = exchange.view.value;
  if (view.kind !== "frames") return "";
  return view.frames.map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
}

/** Runs a line as the page does. Returns what it shows, remarks and refuses. */
export async function ran(session: Session, line: string, variables = new Variables()): Promise<string> {
  const read = readLine(line, "1.41", variables);
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const sender = senderOf(session);
  await runScript(read.script, { version: "1.41", variables, sender, show: tell, remark: tell, refuse: tell });
  return told.join("\n");
}

/** The requests that a line sends. */
export async function asked(session: Session, line: string, variables = new Variables()): Promise<string[]> {
  const before = session.exchanges.value.length;
  await ran(session, line, variables);
  const sent = session.exchanges.value.slice(before);
  return sent.map(({ request }) => `${request.method} ${request.target.replace("/v1.41", "")}`);
}

/** A running line, with its output so far; Ctrl-C stops it. */
export function running(session: Session, line: string) {
  const read = readLine(line, "1.41");
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const [variables, interrupt] = [new Variables(), new AbortController()];
  const place = { version: "1.41", variables, sender: senderOf(session), show: tell, remark: tell, refuse: tell };
  const done = runScript(read.script, { ...place, interrupted: interrupt.signal });
  return { told, variables, done, interrupt: () => interrupt.abort() };
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function goingOn(session: Session): number {
  return session.exchanges.value.filter(({ state }) => ["sending", "streaming"].includes(state.value)).length;
}

/** A container that prints what is typed into it. */
export async function echoing(session: Session): Promise<(text: string) => Promise<void>> {
  await typed(session, "docker run -i --name web busybox cat");
  const attach = session.exchanges.value.find(({ typable }) => typable.value)!;
  return (text) => session.type(attach.number, text);
}
