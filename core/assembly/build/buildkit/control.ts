// moby.buildkit.v1.Control: builds, who watches them, and what there is to build with (moby/buildkit, control.proto).

import { hostPlatform } from "../../image/host-platform";
import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { WaitingCall } from "./arrivals";
import { eraseSecrets } from "./frontend-options";
import { answer, answerError, CallError, Code, messageOf, noBuild, objectIn, unknownError } from "./grpc-reply";
import { Solve } from "./solve";
import { solves } from "./solves";

/** The only worker: the engine itself, by the name that Docker's has. */
const WORKER = "moby";

export function listWorkers(call: Call): void {
  const json = new JsonWriter().beginObject();
  json.key("record").beginArray();
  writeWorker(json);
  answer(call, json.endArray().endObject());
}

export function writeWorker(json: JsonWriter): void {
  const platform = hostPlatform();
  json.beginObject().stringField("ID", WORKER);
  json.key("platforms").beginArray().beginObject();
  json.stringField("Architecture", platform.architecture).stringField("OS", platform.os);
  if (platform.variant.length > 0) json.stringField("Variant", platform.variant);
  json.endObject().endArray();
  json.key("BuildkitVersion");
  writeVersion(json);
  json.endObject();
}

export function info(call: Call): void {
  const json = new JsonWriter().beginObject();
  json.key("buildkitVersion");
  writeVersion(json);
  answer(call, json.endObject());
}

function writeVersion(json: JsonWriter): void {
  json
    .beginObject()
    .stringField("package", "coracle-engine")
    .stringField("version", engine.options.version)
    .endObject();
}

export function solve(call: Call): void {
  const message = messageOf(call);
  eraseSecrets(message);
  const ref = message.stringOf("Ref");
  if (ref.length == 0) return answerError(call, new CallError(Code.InvalidArgument, "the build has no ref"));
  if (solves.find(ref) !== null) return answerError(call, unknownError(`job ID exists: ${ref}`));
  if (objectIn(message, "Definition").find("def") !== null) {
    return answerError(call, new CallError(Code.Unimplemented, "builds of raw definitions (LLB) are not built yet"));
  }
  const solve = new Solve(ref, call, message, solves);
  solves.add(solve);
  solve.begin(message);
  solves.tell(solve);
}

export function watch(call: Call): void {
  const ref = messageOf(call).stringOf("Ref");
  const found = solves.find(ref);
  if (found !== null) return watchIt(call, found);
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
