// A container as seen from outside: known only by requests, answers, and the start and end of its processes.

import { type Act, Timeline, type Word, closure } from "./words.js";

/** The requested settings of a container that matter here. */
export interface Wish {
  autoRemove: boolean;
  /** Restart policy; the engine may start it. */
  policy: string;
  /** Largest number of consecutive restarts; 0 for no limit. */
  maximum: number;
  /** Its start may fail without a fault: it needs a port, a network, or other containers. */
  isFragile: boolean;
  image: string;
  /** OCI runtime; empty for the default. */
  runtime: string;
  /** Ports of the machine. */
  ports: readonly string[];
  /** Other containers that it links to by name. */
  links: readonly string[];
  network: string;
}

export class Container {
  /** Null until a client was told. */
  id: string | null;
  /** When it was first requested. */
  readonly since: number;
  readonly wish: Wish;
  readonly names: Timeline<string>;
  readonly words: Timeline<Word>;
  /** The OCI runtimes that it may have; null for any. */
  runtimes: ReadonlySet<string> | null = null;
  /** Number of its newest known run. */
  run = 0;
  /** The possible exit codes of its newest ended run. */
  readonly codes: Timeline<number>;
  /** Something about it failed at some time: its exit codes may then come from the engine. */
  hasFailed = false;
  /** Number of automatic runs since a client requested one; unknown after a crash. */
  followed = 0;
  /** Requests that connect it to networks, unless they were refused. */
  readonly connects = new Set<number>();
  factAt = -1;
  /** The engine was killed while it existed: an auto-remove container may have disappeared unseen. */
  #isShaken = false;
  /** By request; requests without a client have their own names. */
  readonly #starts = new Set<number | string>();
  readonly #acts = new Map<number | string, Act>();
  /** The newest run that has ended. */
  #over = 0;
  #changedAt = -1;
  #base: Set<Word>;

  constructor(now: number, id: string | null, name: string, wish: Wish, words: readonly Word[]) {
    this.id = id;
    this.since = now;
    this.wish = wish;
    this.names = new Timeline(now, [name]);
    this.words = new Timeline(now, words);
    this.codes = new Timeline(now, [0]);
    this.#base = new Set(words);
  }

  /** Its start may fail without a fault. */
  get isFragile(): boolean {
    return this.wish.isFragile || this.connects.size > 0;
  }

  begins(now: number, request: number, act: Act): void {
    this.#acts.set(request, act);
    this.#changedAt = now;
    this.#spread(now);
  }

  /** A request was answered. `became`: the container's word after a success; null after a failure. */
  ends(now: number, request: number, since: number, became: Word | null): void {
    const alone =
      this.#acts.size === (this.#acts.has(request) ? 1 : 0) && this.#changedAt <= since && this.factAt <= since;
    const before = closure(this.#base, this.#acts.values());
    // A signal thaws the container, whatever else it does.
    const act = this.#acts.get(request);
    const isKept = alone && act !== "end" && act !== "force";
    this.#acts.delete(request);
    this.#starts.delete(request);
    this.#changedAt = now;
    if (became !== null) this.#base = alone ? new Set([became]) : new Set([...before, became]);
    else if (!isKept) this.#base = before;
    this.#spread(now);
  }

  /** The client is gone; the request may still continue. */
  isLeft(request: number): void {
    if (this.#starts.delete(request)) this.#starts.add("left");
    const act = this.#acts.get(request);
    if (act === undefined) return;
    this.#acts.delete(request);
    this.#acts.set(`left ${act}`, act);
  }

  /** An act that continues by itself from now on. */
  goesOn(now: number, act: Act): void {
    this.#acts.set(`left ${act}`, act);
    this.#spread(now);
  }

  /** A client wants it to run. */
  wanted(now: number, request: number): void {
    this.#starts.add(request);
    this.#changedAt = now;
    this.followed = 0;
  }

  /** Notes a run. Returns whether the container should not have started again. */
  started(now: number, run: number): boolean {
    if (run <= this.run) return false;
    if (this.#starts.size === 0) this.followed += 1;
    this.run = run;
    this.factAt = now;
    this.#base = new Set(["running"]);
    this.#spread(now);
    return this.wish.maximum > 0 && this.followed > this.wish.maximum;
  }

  exited(now: number, run: number, code: number): void {
    if (run < this.run || run <= this.#over) return;
    [this.run, this.#over] = [run, run];
    this.factAt = now;
    this.codes.set(now, [code]);
    if (this.wish.autoRemove) this.#acts.set("left remove", "remove");
    this.#base = new Set(this.wish.policy === "" ? ["exited"] : ["exited", "restarting"]);
    this.#spread(now);
  }

  /**
   * The engine was killed. Pending requests may have succeeded or not; a removal continues, and running containers may
   * have ended.
   */
  crashed(now: number): void {
    const words = closure(this.#base, this.#acts.values());
    this.#isShaken = true;
    const removes = [...this.#acts.values()].some((act) => act === "remove" || act === "force");
    this.#acts.clear();
    if (words.has("running") || words.has("paused") || words.has("restarting")) {
      for (const word of ["running", "exited", "restarting"] as const) words.add(word);
    }
    const mayHaveRun = words.has("running") || words.has("exited") || this.#starts.size > 0;
    if (mayHaveRun && this.wish.autoRemove) this.#acts.set("left remove", "remove");
    // Its start may have been pending.
    if (words.has("created") || words.has("exited")) for (const word of ["exited", "running"] as const) words.add(word);
    this.codes.set(now, [...this.codes.now, 137, 255]);
    this.#starts.clear();
    this.followed = -Infinity;
    if (removes) this.#acts.set("left remove", "force");
    this.#base = words;
    this.factAt = now;
    this.#spread(now);
  }

  /** A client was told its state, and nothing else happened since the request. */
  seen(now: number, since: number, word: Word): void {
    if (this.#acts.size > 0 || !this.words.unchangedSince(since) || this.#changedAt > since) return;
    this.#base = new Set([word]);
    this.#spread(now);
  }

  /** Something went wrong with it. */
  mayBe(now: number, word: Word): void {
    this.#base.add(word);
    this.#spread(now);
  }

  /** Whether it may have addresses and ports, or may still have to release them. */
  mayHold(since: number): boolean {
    const words = this.words.during(since);
    const isUp = words.has("running") || words.has("paused") || words.has("restarting");
    return isUp || this.hasFailed || this.#starts.size > 0 || this.factAt >= since;
  }

  isCertain(since: number): boolean {
    return !this.words.during(since).has("gone") && !(this.wish.autoRemove && this.#isShaken);
  }

  get isBeingRemoved(): boolean {
    return [...this.#acts.values()].some((act) => act === "remove" || act === "force");
  }

  #spread(now: number): void {
    this.words.set(now, closure(this.#base, this.#acts.values()));
  }
}
