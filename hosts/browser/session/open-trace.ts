// Opens a trace file: what is in it is done again on the core of this page, or, where values are hidden, only told.

import { Instance } from "../../instance.js";
import type { engine } from "../../host.js";
import type { Step } from "../../timeline/step.js";
import { tell } from "../../timeline/tell.js";
import { Timeline } from "../../timeline/timeline.js";
import { decodeTrace } from "../../trace/decode.js";
import { isShared, listen } from "../../trace/shared.js";
import { RecordedSession } from "./recorded-session.js";
import type { NamedCore, Session } from "./session.js";

/** Throws `TraceError` for what is none, or of another core. */
export function openTrace(name: string, text: string, core: NamedCore): Session {
  const steps: Step[] = [];
  const added = (step: Step): void => void steps.push(step);
  const claim = claims();
  const shared = isShared(text.slice(0, 64));
  const rest = shared ? toldOf(text, { claim, added }) : replayed(text, core, { claim, added });
  const rules = new Instance(core.compiled).rules();
  return new RecordedSession({ core, rules, steps, recording: { name, shared, ...rest } });
}

interface Listening {
  claim: (request: engine.Request) => number;
  added: (step: Step) => void;
}

function replayed(text: string, core: NamedCore, listening: Listening): { remark: string } {
  const { segments } = decodeTrace(text, { unfinished: true });
  const { difference } = tell(segments, core.compiled, { ...listening, identity: core.hash });
  if (difference === null) return { remark: "Every step came out as it was recorded." };
  const { epoch, step, what } = difference;
  return {
    remark: `It ends where something else came out than was recorded: step ${epoch}:${step}, ${what.join(", ")}.`,
  };
}

function toldOf(text: string, { claim, added }: Listening): { remark: string } {
  let now = { wall: 0n, monotonic: 0n };
  const timeline = new Timeline({
    ...{ claim, preparing: () => false, hashOf: () => "", forgets: true, readsJournal: true, now: () => now },
    added: (step) => {
      now = { wall: step.wall, monotonic: step.at };
      added(step);
    },
  });
  listen(text.replace(/\n$/, "").split("\n"), timeline);
  return { remark: "Values of variables and labels are hidden in it, and nothing can be verified." };
}

/** Requests are numbered as they come. */
function claims(): Listening["claim"] {
  let number = 0;
  return () => ++number;
}
