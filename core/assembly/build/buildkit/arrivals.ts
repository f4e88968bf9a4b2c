// The requests of one client may overtake each other: what one of them names is perhaps still on its way. So it is waited
// for, for a while.

import { Closing, Failure, Outcome } from "../../../../build/bindings/types";
import { cancelTimer, wakeAfter } from "../../ask";
import { Call, Follower } from "../../call";
import { openCalls } from "../../open-calls";
import { Task } from "../../task";
import { Connection, connections } from "./connections";
import { answerError, CallError, Code } from "./grpc-reply";

/** How long, in nanoseconds; BuildKit waits for a session as long. */
const PATIENCE: u64 = 5_000_000_000;

/** Waits for something with this name, a `T`. */
export abstract class Awaiting<T> extends Task {
  private timer: u64 = 0;
  private list: Arrivals<T> | null = null;

  constructor(
    readonly name: string,
    /** Of the call that waits; null if none does. */
    readonly connection: Connection | null,
  ) {
    super();
  }

  /** `found`: perhaps over already, by what another has done that waited for it. */
  abstract arrived(found: T): void;

  /** It did not come. */
  abstract missed(): void;

  /** Too many calls of its connection wait already. */
  refused(): void {
    this.missed();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    this.timer = 0;
    this.stop();
    this.missed();
  }

  begin(list: Arrivals<T>): void {
    this.list = list;
    this.timer = wakeAfter(this, 0, PATIENCE);
  }

  get isWaiting(): bool {
    return this.list !== null;
  }

  /** Nobody needs it any more. */
  stop(): void {
    const list = this.list;
    this.list = null;
    if (list !== null) list.leave(this);
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
  }
}

/** A call that waits. It is forgotten if its client leaves. */
export abstract class WaitingCall<T> extends Awaiting<T> {
  constructor(
    name: string,
    readonly call: Call,
  ) {
    super(name, connections.of(call));
    call.follower = new Left<T>(this);
    openCalls.add(call);
  }

  refused(): void {
    answerError(this.call, new CallError(Code.ResourceExhausted, "too many calls wait"));
  }
}

class Left<T> extends Follower {
  constructor(private readonly waiting: Awaiting<T>) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.waiting.stop();
  }
}

export class Arrivals<T> {
  private readonly waiting: Map<string, Awaiting<T>[]> = new Map<string, Awaiting<T>[]>();

  wait(one: Awaiting<T>): void {
    const connection = one.connection;
    if (connection !== null && !connection.beginWaiting()) return one.refused();
    if (!this.waiting.has(one.name)) this.waiting.set(one.name, []);
    this.waiting.get(one.name).push(one);
    one.begin(this);
  }

  leave(one: Awaiting<T>): void {
    const connection = one.connection;
    if (connection !== null) connection.endWaiting();
    const all = this.waiting.get(one.name);
    all.splice(all.indexOf(one), 1);
    if (all.length == 0) this.waiting.delete(one.name);
  }

  /** Something with this name is there now, for the first that waits for it. Returns false if none does. */
  tellFirst(name: string, found: T): bool {
    if (!this.waiting.has(name)) return false;
    const first = this.waiting.get(name)[0];
    first.stop();
    first.arrived(found);
    return true;
  }

  /** The same for all that wait. One that waits may end it, or the waiting of another. */
  tell(name: string, found: T): void {
    if (!this.waiting.has(name)) return;
    const all = this.waiting.get(name).slice(0);
    for (let i = 0; i < all.length; i++) {
      if (!all[i].isWaiting) continue;
      all[i].stop();
      all[i].arrived(found);
    }
  }
}
