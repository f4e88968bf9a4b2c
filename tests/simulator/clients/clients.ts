// The clients of a story, by name. They pass the answers that they get on to the judges.

import type { AssembledEngine } from "../../../hosts/engine/assembled-engine.js";
import { WATCHER } from "../invariants/events.js";
import type { Judges } from "../judges.js";
import type { Answer, Asked } from "../oracle.js";
import { Client } from "./client.js";
import type { Listener } from "./connection.js";
import type { Visible } from "./verb.js";

export class Clients {
  /** Whether a client follows the events of the current engine. */
  isWatched = false;
  readonly #engine: () => AssembledEngine;
  readonly #judges: Judges;
  readonly #visible: Visible;
  readonly #all = new Map<string, Client>();
  #requests = 0;

  constructor(engine: () => AssembledEngine, judges: Judges, visible: Visible) {
    this.#engine = engine;
    this.#judges = judges;
    this.#visible = visible;
  }

  of(name: string): Client {
    const known = this.#all.get(name);
    if (known !== undefined) return known;
    const judges = this.#judges;
    const client = new Client(name, {
      ...{ engine: this.#engine(), visible: this.#visible, listener: this.#listener() },
      nextNumber: () => (this.#requests += 1),
      asked: (asked) => judges.judge((oracle) => (oracle.asked(asked), null)),
      left: (asked, request) => {
        judges.replies.departed(request);
        judges.judge((oracle) => (oracle.left(asked), null));
      },
    });
    this.#all.set(name, client);
    return client;
  }

  /** Starts a client that follows the events for the judges. */
  watch(): void {
    this.isWatched = true;
    this.of(WATCHER).do("events");
  }

  /** Drops all remaining lines. */
  finish(): void {
    for (const client of this.#all.values()) client.finish();
  }

  /** Checks that no client still waits for an answer that was lost with an instance. */
  rested(): void {
    for (const { open } of this.#all.values()) {
      for (const { request, asked, status } of open) {
        this.#judges.hold(() => {
          this.#judges.replies.expectOpen(request, `${asked.method} ${asked.target}`, status > 0);
        });
      }
    }
  }

  /** The engine was killed. */
  crashed(): void {
    this.isWatched = false;
    for (const client of this.#all.values()) client.crashed();
  }

  /** Forgets all clients. New ones will talk to another engine. */
  clear(): void {
    this.#all.clear();
  }

  #listener(): Listener {
    return {
      answered: ({ asked }, answer) => this.#answered(asked, answer),
      told: ({ asked }, piece) => this.#told(asked, piece),
      ended: ({ asked, broken }) => {
        if (!broken) this.#judges.judge((oracle) => oracle.ended(asked));
      },
    };
  }

  #answered(asked: Asked, answer: Answer): void {
    if (asked.client === WATCHER) this.isWatched = answer.status === 200;
    else this.#judges.judge((oracle) => oracle.answered(asked, answer));
  }

  #told(asked: Asked, piece: string): void {
    if (asked.client === WATCHER) this.#judges.hold(() => this.#judges.events.told(piece));
    else this.#judges.judge((oracle) => oracle.told(asked, piece));
  }
}
