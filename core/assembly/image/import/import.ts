// POST /images/create with `fromSrc` (surface §2.22, §6.3): an image of one layer, made from a tar that is the body, or
// that a web server has.

import { BodyTag, TarSource, TarSourceBody, TarSourceTag, TarSourceWeb } from "../../../../build/bindings/types";
import { eraseAddress } from "../../api/given-address";
import { Call } from "../../call";
import { Json } from "../../json/json";
import { badParameter, Refusal } from "../../refusal";
import { engine } from "../../state";
import { applyChanges } from "../commit/changes";
import { Platform, platformError } from "../platform";
import { parseReference, Reference, referenceError } from "../reference";
import { readNewName } from "../tag";
import { Import } from "./import-task";
import { ImportedImage } from "./imported-image";
import { WebAddress } from "./web-address";

/** Stands for the body. */
const BODY = "-";

/** `platform`: null if the request's is none. */
export function importImage(call: Call, platform: Platform | null): Refusal | null {
  const refusal = platform === null ? badParameter(platformError()) : startImport(call, platform);
  // Refused or not, the address has been read.
  const given = call.query.first("fromSrc");
  if (given.length > 0 && given != BODY) eraseAddress(call, "fromSrc");
  return refusal;
}

function startImport(call: Call, platform: Platform): Refusal | null {
  if (platform.os != engine.options.machine.os) return badParameter("operating system is not supported");
  const query = call.query;
  let name: Reference | null = null;
  if (query.first("repo").length > 0) {
    const repository = parseReference(query.first("repo"));
    if (repository === null) return badParameter(referenceError());
    if (repository.digest.length > 0) return badParameter("cannot import digest reference");
    const read = readNewName(query.first("repo"), query.first("tag"));
    if (read.refusal !== null) return read.refusal;
    name = read.reference;
  }
  const config = Json.object();
  const error = applyChanges(config, query.all("changes"));
  if (error.length > 0) return badParameter(error);
  return accept(call, new ImportedImage(platform, config, name, query.first("message")));
}

function accept(call: Call, image: ImportedImage): Refusal | null {
  const given = call.query.first("fromSrc");
  if (given == BODY) {
    image.comesFrom(BODY);
    const problem = image.problem;
    if (problem.length > 0) return badParameter(problem);
    const hasBody = call.request.body.tag != BodyTag.None;
    begin(call, image, hasBody ? new TarSourceBody(call.id) : new TarSource(TarSourceTag.Empty), "");
    return null;
  }
  const address = new WebAddress(given);
  const refusal = fromWeb(call, image, address);
  address.forget();
  return refusal;
}

function fromWeb(call: Call, image: ImportedImage, address: WebAddress): Refusal | null {
  const refusal = address.problem();
  if (refusal !== null) return refusal;
  image.comesFrom(address.shown);
  const problem = image.problem;
  if (problem.length > 0) return badParameter(problem);
  begin(call, image, new TarSourceWeb(address.file), address.shown);
  return null;
}

/** Accepted from here on. `address`: of the web server, or empty. */
function begin(call: Call, image: ImportedImage, source: TarSource, address: string): void {
  new Import(call, image, address).begin(source);
}
