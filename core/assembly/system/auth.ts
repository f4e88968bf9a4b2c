// POST /auth (surface §2.26): asks a registry whether it accepts
// credentials. SECRET: they may only go into the command.

import {
  BodyTag,
  BodyWhole,
  ContentCommandLogin,
  Credentials,
  Failure,
  Login,
  Outcome,
  OutcomeToken,
  Request,
} from "../../../build/bindings/types";
import { readJsonBody } from "../api/json-body";
import { readRegistryAuth } from "../api/registry-auth";
import { askContent } from "../ask";
import { Call } from "../call";
import { loginText } from "../failure/answer";
import { FailureKind } from "../failure/failure-kind";
import { kindOf } from "../failure/kind";
import { failureText } from "../failure/text";
import { endpointOfAddress, isRegistryAddress } from "../image/pull/registry";
import { Json } from "../json/json";
import { schemaError } from "../json/schema";
import { JsonWriter } from "../json/writer";
import { badParameter, internal, Refusal, RefusalKind } from "../refusal";
import { line, sendJson, sendRefusal } from "../reply";
import { Task } from "../task";

/** Before this version the answer always has an `IdentityToken`. */
const TOKEN_IF_GIVEN: i32 = 52;

export function authenticate(call: Call): Refusal | null {
  const body = readJsonBody(call.request);
  eraseBody(call.request);
  if (body.refusal !== null) return body.refusal;
  const json = body.json;
  const auth = readRegistryAuth(json === null ? Json.object() : json);
  if (auth === null) return badParameter(`invalid JSON: ${schemaError()}`);
  if (!isRegistryAddress(auth.serverAddress)) {
    return badParameter(`invalid registry address: "${auth.serverAddress}"`);
  }

  // The request is accepted from here on.
  const credentials = new Credentials(auth.username, auth.password, auth.identityToken, auth.registryToken, "");
  const login = new Login(endpointOfAddress(auth.serverAddress), credentials);
  askContent(new Authentication(call), 0, new ContentCommandLogin(login));
  return null;
}

/** The body has been read, and the request is kept until it is answered. */
function eraseBody(request: Request): void {
  const body = request.body;
  if (body.tag == BodyTag.Whole) (<BodyWhole>body).value.fill(0);
}

class Authentication extends Task {
  constructor(private readonly call: Call) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return sendRefusal(this.call, refusalOf(failure));
    const token = (<OutcomeToken>outcome!).value;
    const json = new JsonWriter();
    json.beginObject();
    if (token.length > 0 || this.call.version < TOKEN_IF_GIVEN) json.stringField("IdentityToken", token);
    json.stringField("Status", "Login Succeeded");
    json.endObject();
    sendJson(this.call, 200, line(json));
  }
}

/** Uses the registry's own status if it is a refusal. */
function refusalOf(failure: Failure): Refusal {
  const own = loginText(failure);
  const text = own === null ? failureText(failure) : own;
  switch (kindOf(failure)) {
    case FailureKind.Unauthorized:
      return new Refusal(RefusalKind.Unauthorized, text);
    case FailureKind.Denied:
      return new Refusal(RefusalKind.Forbidden, text);
    default:
      return internal(text);
  }
}
