// Carries out actions on a session when their moments have come.

import { signal } from "@preact/signals-core";
import type { Engine } from "../../embedding/engine.js";
import type { SimulatedHost } from "../../simulated/index.js";
import type { Action } from "./action.js";
import type { WrittenRequest } from "./request.js";
import { Sending } from "./sending.js";
import type { EngineState, Visit } from "./session.js";

export class Actor {
  readonly exchanges = signal<readonly Sending[]>([]);
  readonly engine = signal<EngineState>("open");
  /** What published ports have answered, by the number of the visit. */
  readonly visits = signal<ReadonlyMap<number, Visit>>(new Map());
  /** Settles when the engine answers again, or cannot. */
  reopening: Promise<void> = Promise.resolve();
  readonly #host: SimulatedHost;
  readonly #engine: Engine;
  readonly #reopened: () => void;
  /** Requests that were sent but not yet seen by the core. */
  readonly #unclaimed: Sending[] = [];

  /** `reopened` is called when the engine answers again. */
  constructor(host: SimulatedHost, engine: Engine, reopened: () => void) {
    this.#host = host;
    this.#engine = engine;
    this.#reopened = reopened;
  }

  act(action: Action): void {
    switch (action.kind) {
      case "send":
        return this.#send(action.exchange, action.cell, action.request);
      case "type":
        return this.exchange(action.exchange)?.type(action.text);
      case "end-input":
        return this.exchange(action.exchange)?.endInput();
      case "cancel":
        return this.exchange(action.exchange)?.cancel();
      case "visit":
        return this.#visit(action);
      case "inject":
        this.#host.faults.inject(action.fault, action.times ?? undefined);
        return;
      case "lift":
        return this.#host.faults.lift(action.fault);
      case "crash":
        if (this.#engine.state === "open") this.#engine.crash();
        return;
      case "reopen":
        this.#reopen();
    }
  }

  exchange(number: number): Sending | undefined {
    return this.exchanges.value.find((exchange) => exchange.number === number);
  }

  /** The exchange that this request belongs to, on the first call. */
  claim(method: string, target: string): number | null {
    const place = this.#unclaimed.findIndex(({ request }) => request.method === method && sentAs(request) === target);
    return place < 0 ? null : this.#unclaimed.splice(place, 1)[0]!.number;
  }

  /** Called after an engine instance has come or gone. The driver replaces an instance that is lost without a crash. */
  checkEngine(isUp: boolean): void {
    if (this.engine.value === "closed") return;
    const { state } = this.#engine;
    this.engine.value = state === "open" && !isUp ? "opening" : state;
  }

  #send(number: number, cell: string, request: WrittenRequest): void {
    const sending = new Sending({ number, cell, request, now: () => this.#host.timers.now().monotonic });
    this.exchanges.value = [...this.exchanges.value, sending];
    this.#unclaimed.push(sending);
    void sending.send(this.#engine).then(() => {
      const place = this.#unclaimed.indexOf(sending);
      if (place >= 0) this.#unclaimed.splice(place, 1);
    });
  }

  #visit({ visit, port, address }: Extract<Action, { kind: "visit" }>): void {
    const place = { port, ...(address !== undefined && { address }) };
    const show = (answer: string | null): void => {
      this.visits.value = new Map([...this.visits.value, [visit, { ...place, answer }]]);
    };
    show(null);
    void this.#host.visit(port, address).then(show, (error: Error) => show(error.message));
  }

  #reopen(): void {
    if (this.#engine.state !== "down") return;
    this.engine.value = "opening";
    const over = (): void => {
      this.checkEngine(true);
      this.#reopened();
    };
    this.reopening = this.#engine.reopen().then(over, over);
  }
}

/** The target as sent: a URL's path and query, escaped as in WHATWG. */
function sentAs(request: WrittenRequest): string {
  try {
    const { pathname, search } = new URL(`http://engine${request.target}`);
    return pathname + search;
  } catch {
    return request.target;
  }
}
