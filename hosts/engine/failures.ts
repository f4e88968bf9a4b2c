// The errors of requests that get no answer: a `TypeError`, as with `fetch` over a network.

/** The engine is not there, or disappeared before its answer. */
export class EngineDown extends TypeError {
  constructor(why = "the engine is down") {
    super(`fetch failed: ${why}`);
  }
}

export class EngineClosed extends EngineDown {
  constructor() {
    super("the engine is closed");
  }
}

/** The engine itself broke a reply off: it crashed, or the rest of the reply cannot be sent. */
export class BrokenOff extends EngineDown {
  constructor() {
    super("the engine broke the connection off");
  }
}
