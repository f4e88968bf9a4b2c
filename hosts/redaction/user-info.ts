// Finds users and passwords in the target of a request, in one pass: a target may be a megabyte long, and crafted to
// make a search slow.

type Hide = (secret: string) => string;

const SCHEME_END = /:\/\/|%3a%2f%2f/gi;
/** Characters that a correctly encoded user and password cannot contain. */
const AUTHORITY_END = /[/?@]|%2f|%3f/gi;
const COLON_OR_END = /:|%3a|[?@]|%3f/gi;
const COLON = /:|%3a/i;
/** Digits up to a slash, a query or a fragment, or to the end of the part. The core takes them for a port, too. */
const PORT = /[0-9]+(?=$|[/?#]|%2f|%3f|%23)/iy;
const SEPARATORS = /(%2f|%3f|%3a|%40|%23|[/?:@#])/i;

/**
 * Hides `user:password` of `://user:password@`, also where it is encoded in a query. It also hides a password with a
 * slash that should have been encoded: if there is a colon, everything up to the last `@` is hidden but the separators,
 * since the core refuses such an address because of them. A port and a path with a colon are no password.
 */
export function withoutUserInfo(target: string, hide: Hide, parts = /[^#&]+/g): string {
  return target.replace(parts, (part) => hiddenIn(part, hide));
}

function hiddenIn(part: string, hide: Hide): string {
  const last = Math.max(part.lastIndexOf("@"), part.lastIndexOf("%40"));
  let shown = "";
  let from = 0;
  let scheme = next(SCHEME_END, part, 0);
  while (scheme !== null && scheme.end <= last) {
    const start = scheme.end;
    const { end, isDoubtful } = endOfUserInfo(part, start, last);
    if (end >= start) {
      const info = part.slice(start, end);
      shown += part.slice(from, start) + (isDoubtful ? hiddenBetween(info, hide) : hide(info));
      from = end;
    }
    scheme = next(SCHEME_END, part, Math.max(start, end));
  }
  return shown + part.slice(from);
}

function hiddenBetween(info: string, hide: Hide): string {
  return info
    .split(SEPARATORS)
    .map((part, at) => (at % 2 === 1 || part === "" ? part : hide(part)))
    .join("");
}

/**
 * -1 if there is none. `isDoubtful`: perhaps it is no user and password. No two calls read the same bytes: the search
 * after one `://` ends at the next one.
 */
function endOfUserInfo(part: string, start: number, last: number): { end: number; isDoubtful: boolean } {
  const stop = next(AUTHORITY_END, part, start)?.start ?? part.length;
  if (part[stop] === "@") return { end: stop, isDoubtful: false };
  const encoded = part.slice(start, stop).lastIndexOf("%40");
  if (encoded >= 0) return { end: start + encoded, isDoubtful: false };
  const colon = next(COLON_OR_END, part, start);
  const isColon = colon !== null && COLON.test(part.slice(colon.start, colon.end));
  const isOne = isColon && colon.start < stop && colon.end <= last && next(PORT, part, colon.end) === null;
  return { end: isOne ? last : -1, isDoubtful: true };
}

const IMAGE = /(?:fromImage|repo|names|term)=|\/images\//gi;
const NAME_END = /[/?#&@]/g;
const OF_DIGEST = /^(?:@|%40)sha(?:256|384|512)(?::|%3a)/i;
const LONGEST_DIGEST_MARK = 12;
const LONGEST_ESCAPED_MARK = 18;

/** Literal or escaped. What is behind it is an address. */
const SCHEME = /^[^:/?#@&%]*(?::|%3a)(?:\/|%2f){2}/i;
const USUAL_SCHEME = "http://";

/** The same for a parameter's value that is an address, perhaps without a scheme. */
export function withoutUserOfAddress(address: string, hide: Hide, parts?: RegExp): string {
  const scheme = SCHEME.exec(address)?.[0] ?? "";
  const shown = withoutUserInfo(USUAL_SCHEME + address.slice(scheme.length), hide, parts);
  return scheme + shown.slice(USUAL_SCHEME.length);
}

/** The same for a user before an image's name, which has no scheme. `name:tag@sha256:…` has no user. */
export function withoutUserOfImage(target: string, hide: Hide): string {
  let shown = "";
  let from = 0;
  for (let image = next(IMAGE, target, 0); image !== null; image = next(IMAGE, target, from)) {
    const start = image.end;
    const stop = next(NAME_END, target, start)?.start ?? target.length;
    const end = endOfUser(target, start, stop);
    const isOne = end >= 0 && COLON.test(target.slice(start, end));
    shown += target.slice(from, start) + (isOne ? hide(target.slice(start, end)) : target.slice(start, stop));
    from = isOne ? end : stop;
  }
  return shown + target.slice(from);
}

/** `Image` in the body of a create. */
const IMAGE_MEMBER = /(?<="image"\s*:\s*")(?:[^"\\]|\\.)*(?=")/gi;
const AT = /@|\\u0040/gi;
const DIGEST_BEHIND = /^(?:@|\\u0040)sha(?:256|384|512)(?::|\\u003a)/i;
const COLON_WITHIN = /:|\\u003a/i;

/** The same in JSON, as text with one character per byte. */
export function withoutUserOfMember(json: string, hide: Hide): string {
  return json.replace(IMAGE_MEMBER, (name) => {
    const ends = Array.from(name.matchAll(AT), ({ index }) => index);
    const end = ends.findLast((at) => !DIGEST_BEHIND.test(name.slice(at, at + LONGEST_ESCAPED_MARK))) ?? -1;
    const user = name.slice(0, Math.max(end, 0));
    return COLON_WITHIN.test(user) ? hide(user) + name.slice(end) : name;
  });
}

/** The last `@` up to `stop` that no digest follows, or -1. */
function endOfUser(target: string, start: number, stop: number): number {
  if (target[stop] === "@" && !isOfDigest(target, stop)) return stop;
  const name = target.slice(start, stop);
  let at = name.lastIndexOf("%40");
  while (at > 0 && isOfDigest(target, start + at)) at = name.lastIndexOf("%40", at - 1);
  return at > 0 ? start + at : -1;
}

function isOfDigest(target: string, at: number): boolean {
  return OF_DIGEST.test(target.slice(at, at + LONGEST_DIGEST_MARK));
}

/** The first match from `from` on. */
function next(wanted: RegExp, text: string, from: number): { start: number; end: number } | null {
  wanted.lastIndex = from;
  const found = wanted.exec(text);
  return found === null ? null : { start: found.index, end: wanted.lastIndex };
}
