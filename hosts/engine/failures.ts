// How a request fails that gets no answer: with `TypeError`, as a `fetch` over a network does.

/** The engine is not there, or was gone before its answer was. */
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

/** The engine itself broke a reply off: it crashed, or what it sent cannot be sent to its end. */
export class BrokenOff extends EngineDown {
  constructor() {
    super("the engine broke the connection off");
  }
}
