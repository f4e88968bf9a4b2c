// Door to core/assembly/api and to the parsers of names: references, platforms, container names, signals.

import { Filters, parseFilters } from "../../../core/assembly/api/filters";
import { headerOf, headersWithPrefix, jsonTypeRefusal, mediaTypeOf } from "../../../core/assembly/api/headers";
import { flagOf, integerOf, strictFlagOf, u32Of } from "../../../core/assembly/api/parameters";
import { decodeRegistryAuth } from "../../../core/assembly/api/registry-auth";
import {
  compareVersions,
  isVersionSegment,
  requestedVersion,
  tooNewEndpoint,
  MAX_VERSION,
} from "../../../core/assembly/api/versions";
import { containerNameProblem, generatedName, isContainerName } from "../../../core/assembly/container/names";
import { isSignal, parseSignal, signalName } from "../../../core/assembly/container/stop/signals";
import {
  Platform,
  bestPlatform,
  parsePlatform,
  platformChain,
  platformError,
  readPlatform,
} from "../../../core/assembly/image/platform";
import { isDigest, isTag, parseReference, referenceError } from "../../../core/assembly/image/reference";
import { Query } from "../../../core/assembly/text/url";
import { answer, answerBool, answerText, argument, text } from "./exchange";
import { Json } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

export function version(): void {
  const requested = requestedVersion(text(0), MAX_VERSION);
  const result = Json.array();
  result.push(Json.i64(requested.minor));
  result.push(Json.string(requested.refusal));
  answer(result);
}

export function versions(): void {
  const order = compareVersions(text(0), text(1));
  answerText(order < 0 ? "<" : order > 0 ? ">" : "=");
}

export function versionSegment(): void {
  answerBool(isVersionSegment(text(0)));
}

export function newer(): void {
  answerText(tooNewEndpoint("GET", "/x", 48));
}

export function header(): void {
  answerText(headerOf(text(0), text(1)));
}

export function prefixed(): void {
  answer(Json.strings(headersWithPrefix(text(0), text(1))));
}

export function mediaType(): void {
  answerText(mediaTypeOf(text(0)));
}

export function jsonType(): void {
  answerText(jsonTypeRefusal(text(0), argument(1).bool));
}

export function flag(): void {
  answerBool(flagOf(new Query(text(0)), "x", argument(1).bool));
}

export function strictFlag(): void {
  const flag = strictFlagOf(new Query(text(0)), "x");
  answer(flag.error == "" ? Json.bool(flag.value) : Json.string(flag.error));
}

export function integer(): void {
  const parsed = integerOf(new Query(text(0)), "x");
  if (parsed.error != "") return answerText(parsed.error);
  answer(parsed.given ? Json.i64(parsed.value) : Json.null());
}

export function unsigned(): void {
  const parsed = u32Of(new Query(text(0)), "x", "invalid resize height");
  answer(parsed.error == "" ? Json.i64(parsed.value) : Json.string(parsed.error));
}

const KNOWN: string[] = ["name", "id", "label", "status", "dangling", "reference"];

/** Filters → an object of keys and values, or the refusal. */
export function filters(): void {
  const filters = parseFilters(text(0), KNOWN);
  if (filters.error != "") return answerText(filters.error);
  const result = Json.object();
  for (let i = 0; i < filters.keys.length; i++) {
    result.set(filters.keys[i], Json.strings(filters.values(filters.keys[i])));
  }
  answer(result);
}

/** Filters, kind, key, text → whether it matches. For `labels` the text is `a=b,c=d`. */
export function matches(): void {
  const filters = parseFilters(text(0), KNOWN);
  const kind = text(1);
  const key = text(2);
  const value = text(3);
  if (kind == "exact") answerBool(filters.exact(key, value));
  else if (kind == "regex") answerBool(filters.regex(key, value));
  else if (kind == "prefix") answerBool(filters.prefix(key, value));
  else if (kind == "glob") answerBool(filters.glob(key, value));
  else if (kind == "labels") answerBool(labelsMatch(filters, key, value));
  else answerText(filters.flag(key).toString() + " " + filters.flagError(key));
}

function labelsMatch(filters: Filters, key: string, pairs: string): bool {
  const names: string[] = [];
  const values: string[] = [];
  const list = pairs.split(",");
  for (let i = 0; i < list.length; i++) {
    const pair = list[i].split("=");
    names.push(pair[0]);
    values.push(pair.length > 1 ? pair[1] : "");
  }
  return filters.labels(key, names, values);
}

export function credentials(): void {
  const auth = decodeRegistryAuth(text(0));
  const result = Json.array();
  result.push(Json.bool(auth.anonymous));
  result.push(Json.string(auth.username));
  result.push(Json.string(auth.password));
  result.push(Json.string(auth.identityToken));
  result.push(Json.string(auth.registryToken));
  result.push(Json.string(auth.serverAddress));
  answer(result);
}

/** Name → `[canonical, familiar, domain, path, tag, digest, authority]`, or the refusal. */
export function reference(): void {
  const reference = parseReference(text(0));
  if (reference === null) return answerText(referenceError());
  answer(
    Json.strings([
      reference.canonical,
      reference.familiar,
      reference.domain,
      reference.path,
      reference.tag,
      reference.digest,
      reference.authority,
    ]),
  );
}

/** Name, and a tag or digest → both together; null if the second is neither. */
export function retagged(): void {
  const reference = parseReference(text(0));
  if (reference === null) return answerText(null);
  const tagged = reference.withTagOrDigest(text(1));
  if (tagged === null) return answerText(null);
  answerText(tagged.familiar);
}

export function defaultTag(): void {
  const reference = parseReference(text(0));
  if (reference === null) return answerText(null);
  answerText(reference.withDefaultTag().familiar);
}

export function tagOrDigest(): void {
  answer(Json.strings([isTag(text(0)).toString(), isDigest(text(0)).toString()]));
}

export function platform(): void {
  const platform = parsePlatform(text(0), new Platform("linux", "arm64", "v8"));
  answerText(platform === null ? "! " + platformError() : platform.text);
}

export function platformObject(): void {
  const platform = readPlatform(argument(0));
  answerText(platform === null ? "! " + platformError() : platform.text);
}

export function chain(): void {
  const texts: string[] = [];
  const chain = platformChain(new Platform(text(0), text(1), text(2)));
  for (let i = 0; i < chain.length; i++) texts.push(chain[i].text);
  answer(Json.strings(texts));
}

/** Candidates as `os/arch/variant` or null, then the wanted platform → index of the best. */
export function best(): void {
  const list = argument(0);
  const candidates: (Platform | null)[] = [];
  for (let i = 0; i < list.items.length; i++) {
    candidates.push(list.items[i].isNull ? null : platformOf(list.items[i].text));
  }
  answer(Json.i64(bestPlatform(candidates, platformOf(text(1)))));
}

function platformOf(text: string): Platform {
  const parts = text.split("/");
  return new Platform(parts[0], parts.length > 1 ? parts[1] : "", parts.length > 2 ? parts[2] : "");
}

export function nameProblem(): void {
  answerText(containerNameProblem(text(0)));
}

/** The smallest number of different names in a thousand draws, and whether all are valid names. */
export function names(): void {
  const seen = new Set<string>();
  let good = true;
  for (let i: u32 = 0; i < 1000; i++) {
    const name = generatedName(i * 2654435761, 0);
    seen.add(name);
    if (!isContainerName(name) || !isContainerName(generatedName(i * 2654435761, 1))) good = false;
  }
  answerText(seen.size.toString() + " " + good.toString() + " " + generatedName(u32.MAX_VALUE, 5));
}

export function signal(): void {
  const number = parseSignal(text(0));
  answerText(number.toString() + " " + signalName(number) + " " + isSignal(number).toString());
}
