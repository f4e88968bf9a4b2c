// Control.ListenBuildHistory and Control.UpdateBuildHistory: `docker buildx history`.

import { Call } from "../../../call";
import { answerError, answerNothing, CallError, Code, messageOf, unknownError } from "../grpc-reply";
import { BuildRecord } from "./build-record";
import { HistoryFilter } from "./history-filter";
import { history } from "./history";
import { pastSteps } from "./past-steps";

/** Tells of builds under way, and, unless only those are asked for, of builds that are over. */
export function listenHistory(call: Call): void {
  const message = messageOf(call);
  const ref = message.stringOf("Ref");
  const limit = message.i64Of("Limit");
  const filter = new HistoryFilter(message.stringsOf("Filter"));
  if (filter.problem.length > 0) return answerError(call, new CallError(Code.InvalidArgument, filter.problem));
  if (limit < 0) return answerError(call, unknownError(`invalid limit ${limit.toString()}`));
  const ends = message.boolOf("EarlyExit");
  if (!ends && history.isFull) {
    return answerError(call, new CallError(Code.ResourceExhausted, "too many clients listen to the history of builds"));
  }
  history.shorten();
  const all = history.over();
  const matching: BuildRecord[] = [];
  for (let i = 0; i < all.length; i++) {
    if ((ref.length == 0 || all[i].ref == ref) && filter.holdsFor(all[i])) matching.push(all[i]);
  }
  history.listen(call, ref, limited(matching, limit), message.boolOf("ActiveOnly"), ends);
}

/** With a limit the newest come first, as in BuildKit. */
function limited(builds: BuildRecord[], limit: i64): BuildRecord[] {
  if (limit == 0) return builds;
  return builds.reverse().slice(0, <i32>min<i64>(limit, builds.length));
}

export function updateHistory(call: Call): void {
  const message = messageOf(call);
  const ref = message.stringOf("Ref");
  const build = history.find(ref);
  // A record has all that it will have: there is nothing to finalize.
  if (message.boolOf("Finalize")) return answerNothing(call);
  if (build === null) return answerError(call, unknownError(`failed to retrieve ref ${ref}: file does not exist`));
  if (message.boolOf("Delete")) history.remove(build);
  else if (!history.pin(build, message.boolOf("Pinned"))) {
    return answerError(call, new CallError(Code.ResourceExhausted, "too many builds are pinned"));
  }
  answerNothing(call);
}

/** The steps of a build that is over, with what its commands wrote. */
export function watchPast(call: Call, build: BuildRecord): void {
  history.tellPast(call, pastSteps(build.steps));
}
