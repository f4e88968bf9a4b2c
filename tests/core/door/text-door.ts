// Door to core/assembly/text.

import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "../../../core/assembly/text/base64";
import { byteSize } from "../../../core/assembly/text/byte-size";
import { BAD_DURATION, formatDuration, humanDuration, parseDuration } from "../../../core/assembly/text/duration";
import { globMatch, isGlob } from "../../../core/assembly/text/glob";
import { quoteText } from "../../../core/assembly/text/go-quote";
import { isFullId } from "../../../core/assembly/text/hex";
import { Regex } from "../../../core/assembly/text/regex";
import { digestOf, sha256HexOfText, sha256Hex } from "../../../core/assembly/text/sha256";
import { sha384Hex, sha512Hex } from "../../../core/assembly/text/sha512";
import {
  BAD_TIME,
  NO_TIME,
  formatTime,
  formatTimeInSeconds,
  parseFilterTime,
  parseTime,
  parseUnixTime,
  unixSeconds,
} from "../../../core/assembly/text/time";
import { Query, Target, decodePath, visibleAscii } from "../../../core/assembly/text/url";
import { decodeUtf8, encodeUtf8 } from "../../../core/assembly/text/utf8";
import { answer, answerBool, answerBytes, answerText, given, text } from "./exchange";
import { Json } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

export function utf8(): void {
  answerBytes(encodeUtf8(decodeUtf8(given())));
}

export function hash(): void {
  answerText(sha256Hex(given()));
}

export function longHashes(): void {
  answerText(sha384Hex(given()) + " " + sha512Hex(given()));
}

export function hashes(): void {
  answerText(sha256HexOfText(text(0)) + " " + digestOf(encodeUtf8(text(0))));
}

export function fullId(): void {
  answerBool(isFullId(text(0)));
}

/** Bytes → in both alphabets, and whether both decode to the same bytes. */
export function base64(): void {
  const standard = encodeBase64(given());
  const url = encodeBase64Url(given());
  const first = decodeBase64(standard);
  const second = decodeBase64Url(url);
  const result = Json.array();
  result.push(Json.string(standard));
  result.push(Json.string(url));
  result.push(Json.bool(first !== null && second !== null && sha256Hex(first) == sha256Hex(second)));
  answer(result);
}

export function unbase64(): void {
  const bytes = decodeBase64Url(text(0));
  answerText(bytes === null ? null : decodeUtf8(bytes));
}

export function time(): void {
  const value = parseTime(text(0));
  answerText(value == BAD_TIME ? null : formatTime(value));
}

export function times(): void {
  const value = I64.parseInt(text(0), 10);
  answerText(formatTime(value) + " " + formatTimeInSeconds(value) + " " + unixSeconds(value).toString());
}

export function noTime(): void {
  answerText(formatTime(NO_TIME) + " " + formatTimeInSeconds(NO_TIME) + " " + unixSeconds(NO_TIME).toString());
}

export function unixTime(): void {
  const value = parseUnixTime(text(0));
  answerText(value == BAD_TIME ? null : value.toString());
}

export function filterTime(): void {
  const value = parseFilterTime(text(0), 1_000_000_000_000_000_000);
  answerText(value == BAD_TIME ? null : formatTime(value));
}

export function duration(): void {
  const value = parseDuration(text(0));
  answerText(value == BAD_DURATION ? null : value.toString() + " " + formatDuration(value));
}

export function human(): void {
  answerText(humanDuration(I64.parseInt(text(0), 10)));
}

export function size(): void {
  answerText(byteSize(U64.parseInt(text(0), 10)));
}

export function quote(): void {
  answerText(quoteText(text(0)));
}

export function target(): void {
  const target = new Target(text(0));
  const result = Json.array();
  result.push(Json.string(target.path));
  result.push(Json.string(target.query));
  const decoded = decodePath(target.path);
  result.push(decoded === null ? Json.null() : Json.string(decoded));
  answer(result);
}

/** Query, form, name → `[first, has, all, error]`. */
export function query(): void {
  const query = new Query();
  query.addForm(encodeUtf8(text(1)));
  query.add(text(0));
  const result = Json.array();
  result.push(Json.string(query.first(text(2))));
  result.push(Json.bool(query.has(text(2))));
  result.push(Json.strings(query.all(text(2))));
  result.push(Json.string(query.error));
  answer(result);
}

export function visible(): void {
  answerText(visibleAscii(text(0)));
}

/** Pattern, text → whether it matches; null for an invalid pattern. */
export function regex(): void {
  const regex = Regex.compile(text(0));
  answer(regex === null ? Json.null() : Json.bool(regex.search(text(1))));
}

export function glob(): void {
  answer(isGlob(text(0)) ? Json.bool(globMatch(text(0), text(1))) : Json.null());
}
