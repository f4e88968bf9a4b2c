// moby.buildkit.v1.frontend.LLBBridge: a client that directs its build (moby/buildkit, gateway.proto). The header
// `buildkit-controlapi-buildid` names the build.

import { headerOf } from "../../api/headers";
import { Call } from "../../call";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { WaitingCall } from "./arrivals";
import { writeCapabilities } from "./capabilities";
import { encodeBase64 } from "../../text/base64";
import { encodeUtf8 } from "../../text/utf8";
import { Answer } from "../questions/answer";
import { DirectoryListing } from "./gateway/directory-listing";
import { FileDescription } from "./gateway/file-description";
import { FileReading } from "./gateway/file-reading";
import { ImageConfig } from "./gateway/image-config";
import { eraseSecrets } from "./options/frontend-options";
import { writeWorker } from "./workers";
import {
  answer,
  answerError,
  answerNothing,
  CallError,
  Code,
  messageOf,
  noBuild,
  noResult,
  objectIn,
  rawDefinition,
} from "./grpc-reply";
import { writeResult } from "./results";
import { ResultClient, Solve } from "./solve";
import { solves } from "./solves";

const BUILD = "buildkit-controlapi-buildid";

/** Calls of a build. */
export enum BridgeCall {
  Ping,
  Solve,
  Return,
  Inputs,
  Warn,
  ReadFile,
  ReadDir,
  StatFile,
  Evaluate,
  ResolveImageConfig,
}

/** The build may be on its way: its call and this one have no order. */
export function bridge(call: Call, kind: BridgeCall): void {
  const header = headerOf(call.request.headers, BUILD);
  const ref = header === null ? "" : header;
  // Before it waits.
  const message = messageOf(call);
  eraseSecrets(message);
  const found = solves.find(ref);
  if (found !== null) return answerFor(call, kind, message, found);
  if (solves.hasEnded(ref)) return answerError(call, noBuild(ref));
  solves.wait(new BridgeWait(ref, call, kind, message));
}

function answerFor(call: Call, kind: BridgeCall, message: Json, solve: Solve): void {
  if (solve.isOver) return answerError(call, noBuild(solve.ref));
  switch (kind) {
    case BridgeCall.Ping:
      return pong(call);
    case BridgeCall.Solve:
      return ask(call, message, solve);
    case BridgeCall.Return:
      return takeReturn(call, message, solve);
    case BridgeCall.ReadFile:
      return solve.lookAt(new FileReading(call, message));
    case BridgeCall.ReadDir:
      return solve.lookAt(new DirectoryListing(call, message));
    case BridgeCall.StatFile:
      return solve.lookAt(new FileDescription(call, message));
    case BridgeCall.Evaluate:
      return evaluate(call, message, solve);
    case BridgeCall.ResolveImageConfig:
      return solve.question(new ImageConfig(call, message, solve.credentials));
    default:
      return answerNothing(call);
  }
}

function pong(call: Call): void {
  const json = new JsonWriter().beginObject();
  writeCapabilities(json);
  json.key("Workers").beginArray();
  writeWorker(json);
  answer(call, json.endArray().endObject());
}

function ask(call: Call, message: Json, solve: Solve): void {
  const frontend = message.stringOf("Frontend");
  if (objectIn(message, "Definition").find("def") !== null || frontend.length == 0) {
    return answerError(call, rawDefinition());
  }
  solve.ask(frontend, objectIn(message, "FrontendOpt"), objectIn(message, "FrontendInputs"), new Asked(call));
}

class Asked implements ResultClient {
  constructor(private readonly call: Call) {}

  resultMade(id: string, image: string): void {
    const json = new JsonWriter().beginObject();
    json.key("result").beginObject();
    writeResult(json, id, image);
    answer(this.call, json.endObject().endObject());
  }

  /** A result without files. */
  resultAnswered(answered: Answer): void {
    const json = new JsonWriter().beginObject();
    json.key("result").beginObject();
    json.key("ref").beginObject().stringField("id", "").endObject();
    json.key("metadata").beginObject();
    const names = answered.documents.keys();
    for (let i = 0; i < names.length; i++) {
      json.stringField(names[i], encodeBase64(encodeUtf8(answered.documents.get(names[i]))));
    }
    answer(this.call, json.endObject().endObject().endObject());
  }

  resultMissing(error: CallError): void {
    answerError(this.call, error);
  }
}

/** A result is made before the client has it. */
function evaluate(call: Call, message: Json, solve: Solve): void {
  const ref = message.stringOf("Ref");
  if (solve.hasResult(ref)) answerNothing(call);
  else answerError(call, noResult(ref));
}

function takeReturn(call: Call, message: Json, solve: Solve): void {
  const error = message.find("error");
  if (error !== null && error.isObject) {
    const code = error.i64Of("code");
    const given = new CallError(code == 0 ? Code.Unknown : <Code>(<i32>code), error.stringOf("message"));
    solve.fail(solve.lastError(given));
    return answerNothing(call);
  }
  const problem = solve.returned(refIn(objectIn(message, "result")));
  if (problem === null) answerNothing(call);
  else answerError(call, problem);
}

/** The id of the result; of several platforms that of the first. */
function refIn(result: Json): string {
  const one = objectIn(result, "ref").stringOf("id");
  if (one.length > 0) return one;
  const all = objectIn(objectIn(result, "refs"), "refs");
  return all.length == 0 ? result.stringOf("refDeprecated") : all.items[0].stringOf("id");
}

class BridgeWait extends WaitingCall<Solve> {
  constructor(
    ref: string,
    call: Call,
    private readonly kind: BridgeCall,
    private readonly message: Json,
  ) {
    super(ref, call);
  }

  arrived(solve: Solve): void {
    answerFor(this.call, this.kind, this.message, solve);
  }

  missed(): void {
    answerError(this.call, noBuild(this.name));
  }
}
