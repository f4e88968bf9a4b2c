// moby.buildkit.v1.Control: builds, and who watches them (moby/buildkit, control.proto).

import { Call } from "../../call";
import { WaitingCall } from "./arrivals";
import { eraseSecrets } from "./options/frontend-options";
import { answerError, CallError, Code, messageOf, noBuild, unknownError } from "./grpc-reply";
import { history } from "./history/history";
import { watchPast } from "./history/history-calls";
import { Solve } from "./solve";
import { solves } from "./solves";

export function solve(call: Call): void {
  const message = messageOf(call);
  eraseSecrets(message);
  const ref = message.stringOf("Ref");
  if (ref.length == 0) return answerError(call, new CallError(Code.InvalidArgument, "the build has no ref"));
  if (solves.find(ref) !== null) return answerError(call, unknownError(`job ID exists: ${ref}`));
  const solve = new Solve(ref, call, message, solves);
  solves.add(solve);
  solve.begin(message);
  solves.tell(solve);
}

export function watch(call: Call): void {
  const ref = messageOf(call).stringOf("Ref");
  const found = solves.find(ref);
  if (found !== null) return watchIt(call, found);
  const past = history.find(ref);
  if (past !== null) return watchPast(call, past);
  // It was refused, or its client wants no record of it: there is nothing to tell.
  if (solves.hasEnded(ref)) return history.tellPast(call, []);
  solves.wait(new WatchWait(ref, call));
}

function watchIt(call: Call, solve: Solve): void {
  if (!solve.watchers.isFull) return solve.watchers.add(call);
  answerError(call, new CallError(Code.ResourceExhausted, "too many clients watch this build"));
}

class WatchWait extends WaitingCall<Solve> {
  arrived(solve: Solve): void {
    watchIt(this.call, solve);
  }

  missed(): void {
    answerError(this.call, noBuild(this.name));
  }
}
