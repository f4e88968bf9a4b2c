// The dry runs of an engine: which requests are for one, and how many there are at a time.
//
// That a request is one for a dry run is seen here, before any core sees it: it says which instance is to decide, and
// none can decide that of itself. All that the request asks for, its refusal included, is the core's business as ever.

import type { Passage } from "../request/index.js";
import type { Ended } from "../driver/index.js";
import { turn } from "../shared/turn.js";
import { answering } from "./answering.js";
import { HEADER, jsonReply, markedChannel, planChannel } from "./channels.js";
import { DryRun } from "./dry-run.js";
import type { LiveEngine } from "./dry-run.js";
import type { Plan } from "./format.js";
import { DryRunSession } from "./session.js";
import { Slots } from "./slots.js";
import { isReading } from "./waits.js";

/** What is known of a request before it is delivered. */
export interface Asking {
  /** As the core is told it. One that ends with `?dry-run` is a session. */
  listener: string;
  method: string;
  target: string;
  /** `Name: value`, joined by LF. */
  headers: string;
}

/** The end of a listener's name that makes each of its requests a dry run. */
export const DRY_RUN = "?dry-run";
/** Where a session tells what it has imagined (GET), and forgets it (DELETE). */
const SESSION = "/coracle/dry-run";
const ASKED = new RegExp(`^${HEADER}:(.*)$`, "im");
/** RFC 9110, 7.8. */
const UPGRADES = /^Upgrade:/im;
/**
 * A request that was not answered by then, with nothing under way, will not be: it waits for the end of a container that
 * really runs, say.
 */
const LONGEST_MS = 60_000;

export class DryRuns {
  readonly #live: LiveEngine;
  readonly #sessions = new Map<string, DryRunSession>();
  readonly #all = new Set<DryRun>();
  /** Single requests. */
  readonly #slots = new Slots();
  #closings = 0;
  #closedWhy = "";

  constructor(live: LiveEngine) {
    this.#live = live;
  }

  /** Null for a request to the live engine. Never rejects. */
  passage({ listener, method, target, headers }: Asking): Promise<Passage> | null {
    const isSession = listener.endsWith(DRY_RUN);
    const asked = ASKED.exec(headers)?.[1]?.trim();
    if (!isSession && asked === undefined) return null;
    if (asked !== undefined && asked !== "1" && asked !== "plan") return this.#refused(400, badHeader(asked));
    const isPlanned = asked === "plan";
    if (isSession) return this.#orRefused(this.#inSession(this.#sessionOf(listener), method, target, isPlanned));
    // What only reads does no harm; what becomes a connection may be written to (attach/ws).
    const isPlain = isReading(method) && !UPGRADES.test(headers);
    return isPlain && !isPlanned ? null : this.#orRefused(this.#single(isPlanned));
  }

  /** A session that no listener has; whoever wants it ends it. */
  session(): DryRunSession {
    return new DryRunSession((over, gone) => this.#begin(over, gone));
  }

  /** Ends all, those too that are being begun. Later ones can be begun nevertheless: an engine may be opened again. */
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

  /** One that is thrown away when its request is over. */
  async #single(isPlanned: boolean): Promise<Passage> {
    await this.#slots.take();
    let dryRun: DryRun | null = null;
    let isPlanning = false;
    // What is over without the plan having been asked for by then has no client any more.
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

  /** Between copying the live instance and making another of it the live one goes on, and may be closed. */
  async #begin(over: () => void, gone: () => void): Promise<DryRun> {
    await turn();
    const fork = this.#live.fork();
    if (fork === null) throw new Error("the engine is starting afresh");
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
      return answering(jsonReply(503, { message: `no dry run can be begun: ${why}` }));
    });
  }

  async #refused(status: number, message: string): Promise<Passage> {
    return answering(jsonReply(status, { message }));
  }
}

/** Nothing that asks for a dry run may be done for real because it is spelled wrongly. */
function badHeader(asked: string): string {
  return `invalid header ${HEADER} (${asked}): must be '1' or 'plan'`;
}
