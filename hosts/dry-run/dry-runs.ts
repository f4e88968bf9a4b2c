// The dry runs of an engine: recognizes their requests, and limits how many dry runs there are at a time.
//
// The host recognizes such a request before any core sees it, because this determines which instance decides. It answers
// by itself only what concerns the dry run: a misspelled header, a session's own requests, and that no dry run can be
// started. Everything else about the request, including its refusal, is up to the core as usual.

import type { Passage } from "../request/index.js";
import type { Ended } from "../driver/index.js";
import { turn } from "../shared/index.js";
import { answering } from "./answering.js";
import { HEADER, jsonReply, markedChannel, planChannel } from "./channels.js";
import { DryRun } from "./dry-run.js";
import type { LiveEngine } from "./dry-run.js";
import type { Plan } from "./format.js";
import { DryRunSession } from "./session.js";
import { Slots } from "./slots.js";
import { isReading } from "./waits.js";

/** The parts of a request that are known before it is delivered. */
export interface Asking {
  /** The listener's name as the core gets it. One for which `isDryRun` holds has a session. */
  listener: string;
  method: string;
  target: string;
  /** `Name: value`, joined by LF. */
  headers: string;
}

/** The last parameter of a listener's name that makes each of its requests a dry run: `unix:///run/x.sock?dry-run`. */
export const DRY_RUN = "dry-run";

/** Whether each request of the listener is a dry run. */
export function isDryRun(listener: string): boolean {
  return listener.endsWith(`?${DRY_RUN}`) || listener.endsWith(`&${DRY_RUN}`);
}
/** The path at which a session shows its plan (GET), and forgets it (DELETE). */
const SESSION = "/coracle/dry-run";
const ASKED = new RegExp(`^${HEADER}:(.*)$`, "im");
/** RFC 9110, 7.8. */
const UPGRADES = /^Upgrade:/im;
/**
 * If no operation is pending, a request that has no reply by then never gets one. It may wait for the end of a real
 * container, for example.
 */
const LONGEST_MS = 60_000;

export class DryRuns {
  readonly #live: LiveEngine;
  readonly #sessions = new Map<string, DryRunSession>();
  readonly #all = new Set<DryRun>();
  /** For dry runs of single requests. */
  readonly #slots = new Slots();
  #closings = 0;
  #closedWhy = "";

  constructor(live: LiveEngine) {
    this.#live = live;
  }

  /** Null for a request to the live engine. Never rejects. */
  passage({ listener, method, target, headers }: Asking): Promise<Passage> | null {
    const isSession = isDryRun(listener);
    const asked = ASKED.exec(headers)?.[1]?.trim();
    if (!isSession && asked === undefined) return null;
    if (asked !== undefined && asked !== "1" && asked !== "plan") return this.#refused(400, badHeader(asked));
    const isPlanned = asked === "plan";
    if (isSession) return this.#orRefused(this.#inSession(this.#sessionOf(listener), method, target, isPlanned));
    // A request that only reads is harmless, but an upgraded connection may be written to (attach/ws).
    const isPlain = isReading(method) && !UPGRADES.test(headers);
    return isPlain && !isPlanned ? null : this.#orRefused(this.#single(isPlanned));
  }

  /** A session without a listener. The caller must end it. */
  session(): DryRunSession {
    return new DryRunSession((over, gone) => this.#begin(over, gone));
  }

  /**
   * Ends all dry runs, also those that are just starting. Later ones can start, since an engine may be opened again.
   */
  close(why: string): void {
    this.#closings++;
    this.#closedWhy = why;
    for (const session of this.#sessions.values()) session.end(why);
    this.#sessions.clear();
    for (const dryRun of this.#all) dryRun.end(why);
    this.#all.clear();
  }

  #sessionOf(listener: string): DryRunSession {
    const session = this.#sessions.get(listener) ?? this.session();
    this.#sessions.set(listener, session);
    return session;
  }

  async #inSession(session: DryRunSession, method: string, target: string, isPlanned: boolean): Promise<Passage> {
    if (target.split("?", 1)[0] !== SESSION) return session.passage(method, isPlanned);
    if (method === "DELETE") {
      session.end();
      return answering({ head: { status: 204, headers: `${HEADER}: 1` }, body: new Uint8Array(), stateless: false });
    }
    if (isReading(method)) return answering(jsonReply(200, session.plan()));
    return answering(jsonReply(405, { message: `${SESSION} takes GET and DELETE` }));
  }

  /** A dry run for a single request, which ends with the request. */
  async #single(isPlanned: boolean): Promise<Passage> {
    await this.#slots.take();
    let dryRun: DryRun | null = null;
    let isPlanning = false;
    // If the request is over and nothing has asked for the plan, the client is gone.
    const over = (): void => void turn().then(() => isPlanning || dryRun?.end("over"));
    try {
      dryRun = await this.#begin(over, () => this.#slots.give());
    } catch (error) {
      this.#slots.give();
      throw error;
    }
    const door = dryRun;
    const end = (): void => door.end("the dry run is over");
    door.endAfter(LONGEST_MS);
    const plan = (): Promise<Plan> => {
      isPlanning = true;
      return door.planned(0)();
    };
    return { door, channel: isPlanned ? planChannel(plan, end) : markedChannel, unused: end };
  }

  /**
   * The live engine keeps running, and may be closed, between the copy of its instance and the start of the new one.
   */
  async #begin(over: () => void, gone: () => void): Promise<DryRun> {
    await turn();
    const fork = this.#live.fork();
    if (fork === null) throw new Error("the engine is restarting");
    const meanwhile: Ended[] = [];
    const deaf = this.#live.onEnd((input) => meanwhile.push(input));
    const closings = this.#closings;
    await turn();
    deaf();
    if (this.#closings > closings) throw new Error(this.#closedWhy);
    const dryRun: DryRun = new DryRun(this.#live, fork, over, () => {
      this.#all.delete(dryRun);
      gone();
    });
    this.#all.add(dryRun);
    for (const input of meanwhile) dryRun.reallyEnded(input);
    return dryRun;
  }

  async #orRefused(passage: Promise<Passage>): Promise<Passage> {
    return passage.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      return answering(jsonReply(503, { message: `cannot start a dry run: ${why}` }));
    });
  }

  async #refused(status: number, message: string): Promise<Passage> {
    return answering(jsonReply(status, { message }));
  }
}

/** A misspelled header is refused, so that a request meant as a dry run is never carried out. */
function badHeader(asked: string): string {
  return `invalid header ${HEADER} (${asked}): must be '1' or 'plan'`;
}
