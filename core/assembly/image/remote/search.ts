// GET /images/search (surface §2.21): asks the registry in the term, or the Hub, for repositories.

import {
  ContentCommandSearch,
  Credentials,
  Endpoint,
  Failure,
  Outcome,
  OutcomeBytes,
  Search,
} from "../../../../build/bindings/types";
import { FilterFlag, Filters, parseFilters } from "../../api/filters";
import { registryAuthOf } from "../../api/registry-auth";
import { Call } from "../../call";
import { answeredStatus } from "../../failure/answer";
import { failureText } from "../../failure/text";
import { Json } from "../../json/json";
import { jsonError, parseJson } from "../../json/reader";
import { JsonWriter } from "../../json/writer";
import { badParameter, internal, Refusal } from "../../refusal";
import { line, sendJson, sendRefusal } from "../../reply";
import { decimalOf } from "../../text/decimal";
import { quoteText } from "../../text/go-quote";
import { documentLimit } from "../limits";
import { credentialsOf, isRegistryAddress, searchEndpointOf } from "../pull/registry";
import { LEGACY_DEFAULT_DOMAIN } from "../reference";
import { RegistryQuestion } from "./registry-question";

const KEYS: string[] = ["is-automated", "is-official", "stars"];
/** The number of results that is asked for if the request names none, and the largest one. */
const USUAL: i32 = 25;
const MOST: i32 = 100;
/** The Hub's own repositories are known without it. */
const LIBRARY = "library/";

export function searchImages(call: Call): Refusal | null {
  const query = call.query;
  const limit = limitOf(query.first("limit"));
  if (limit < 0) return badParameter("invalid limit specified");
  const filters = parseFilters(query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const wanted = new Wanted(filters);
  if (wanted.problem.length > 0) return badParameter(wanted.problem);
  const term = query.first("term");
  if (term.includes("://")) {
    return badParameter(`invalid repository name: repository name (${term}) should not have a scheme`);
  }
  // What is before it may be a password: the text does not repeat it.
  if (term.includes("@")) return badParameter('invalid repository name: the term must not contain "@"');
  const host = hostIn(term);
  if (!isRegistryAddress(host)) return badParameter(`invalid repository name: ${quoteText(host)} is no registry`);
  // No repository is built automatically any more.
  if (filters.flag("is-automated") == FilterFlag.True) {
    sendJson(call, 200, line(new JsonWriter().beginArray().endArray()));
    return null;
  }
  if (limit > MOST) return badParameter(`limit ${limit.toString()} is outside the range of [1, ${MOST.toString()}]`);

  // Accepted from here on: it is cancelled if the client disconnects.
  const credentials = credentialsOf(registryAuthOf(call.request.headers));
  new Searching(call, wanted).begin(term, limit == 0 ? USUAL : limit, withPassword(credentials));
  return null;
}

/**
 * An index knows users by Basic (surface §2.21). Who logged in with an identity token has no password: the index would
 * refuse an empty one, but answers anybody.
 */
function withPassword(credentials: Credentials | null): Credentials | null {
  if (credentials === null || credentials.username.length == 0 || credentials.password.length == 0) return null;
  return new Credentials(credentials.username, credentials.password, "", "", "");
}

/** The registry's, before the first slash of a term; empty for the Hub. */
function hostIn(term: string): string {
  const slash = term.indexOf("/");
  const host = slash < 0 ? "" : term.slice(0, slash);
  return host.includes(".") || host.includes(":") || host == "localhost" ? host : "";
}

/** 0 for no text, -1 for one that is no number. */
function limitOf(text: string): i32 {
  return text.length == 0 ? 0 : decimalOf(text, i32.MAX_VALUE);
}

/** Which results the client wants. */
class Wanted {
  problem: string = "";
  private readonly official: FilterFlag;
  private stars: i64 = 0;

  constructor(filters: Filters) {
    this.official = filters.flag("is-official");
    if (this.official == FilterFlag.Bad) this.problem = filters.flagError("is-official");
    if (filters.flag("is-automated") == FilterFlag.Bad) this.problem = filters.flagError("is-automated");
    const stars = filters.values("stars");
    for (let i = 0; i < stars.length; i++) {
      const least = limitOf(stars[i]);
      if (least < 0 || stars[i].length == 0) this.problem = starsProblem(stars[i]);
      this.stars = max(this.stars, <i64>least);
    }
  }

  has(result: Json): bool {
    if (this.official != FilterFlag.Absent && result.boolOf("is_official") != (this.official == FilterFlag.True)) {
      return false;
    }
    return result.i64Of("star_count") >= this.stars;
  }
}

function starsProblem(text: string): string {
  return `invalid filter 'stars=${text}': strconv.Atoi: parsing ${quoteText(text)}: invalid syntax`;
}

class Searching extends RegistryQuestion {
  constructor(
    call: Call,
    private readonly wanted: Wanted,
  ) {
    super(call);
  }

  begin(term: string, results: i32, credentials: Credentials | null): void {
    const host = hostIn(term);
    const endpoint: Endpoint = searchEndpointOf(host);
    const name = host.length == 0 ? term : term.slice(host.length + 1);
    const isOwn = endpoint.authority == LEGACY_DEFAULT_DOMAIN && name.startsWith(LIBRARY);
    const rest = isOwn ? name.slice(LIBRARY.length) : name;
    this.ask(0, new ContentCommandSearch(new Search(endpoint, rest, results, documentLimit(), credentials)));
  }

  protected answered(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return sendRefusal(this.call, internal(searchFailure(failure)));
    const document = parseJson((<OutcomeBytes>outcome!).value);
    if (document === null) {
      return sendRefusal(this.call, internal(`error decoding registry search results: ${jsonError()}`));
    }
    const results = document.find("results");
    const json = new JsonWriter();
    json.beginArray();
    for (let i = 0; results !== null && results.isArray && i < results.length; i++) {
      if (this.wanted.has(results.items[i])) write(json, results.items[i]);
    }
    json.endArray();
    sendJson(this.call, 200, line(json));
  }
}

/** A registry without an index answers with a status of its own. */
function searchFailure(failure: Failure): string {
  const status = answeredStatus(failure);
  return status == 0 ? failureText(failure) : `Unexpected status code ${status.toString()}`;
}

function write(json: JsonWriter, result: Json): void {
  json.beginObject();
  json.i64Field("star_count", result.i64Of("star_count"));
  json.boolField("is_official", result.boolOf("is_official"));
  json.stringField("name", result.stringOf("name"));
  json.boolField("is_automated", false);
  json.stringField("description", result.stringOf("description"));
  json.endObject();
}
