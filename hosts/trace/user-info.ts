// Users and passwords in the target of a request, found in one pass: a target may have a megabyte, and be made up to be
// searched for long.

type Hide = (secret: string) => string;

const SCHEME_END = /:\/\/|%3a%2f%2f/gi;
/** What a name of a user and a password that is encoded as it should be cannot hold. */
const AUTHORITY_END = /[/?@]|%2f/gi;
const COLON_OR_END = /:|%3a|[?@]/gi;
const COLON = /:|%3a/i;

/**
 * `://user:password@`, also where it stands encoded in a query. A password that should have been encoded once more, and
 * has a slash in it, is one all the same: what has a colon is hidden up to the last `@`.
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
    const end = endOfUserInfo(part, start, last);
    if (end >= start) {
      shown += part.slice(from, start) + hide(part.slice(start, end));
      from = end;
    }
    scheme = next(SCHEME_END, part, Math.max(start, end));
  }
  return shown + part.slice(from);
}

/** -1 for none. No two calls look at the same bytes: the next `://` ends what is searched behind this one. */
function endOfUserInfo(part: string, start: number, last: number): number {
  const stop = next(AUTHORITY_END, part, start)?.start ?? part.length;
  if (part[stop] === "@") return stop;
  const encoded = part.slice(start, stop).lastIndexOf("%40");
  if (encoded >= 0) return start + encoded;
  const colon = next(COLON_OR_END, part, start);
  return colon !== null && /^[:%]/.test(part[colon.start]!) && colon.end <= last ? last : -1;
}

const IMAGE = /(?:fromImage|repo|names)=|\/images\//gi;
const NAME_END = /[/?#&@]/g;
const OF_DIGEST = /^(?:@|%40)sha(?:256|384|512)(?::|%3a)/i;
const LONGEST_DIGEST_MARK = 12;
const LONGEST_ESCAPED_MARK = 18;

/** The same where somebody put it before an image's name, which has no scheme. `name:tag@sha256:…` is no such thing. */
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

/** `Image` of a create's body. */
const IMAGE_MEMBER = /(?<="image"\s*:\s*")(?:[^"\\]|\\.)*(?=")/gi;
const AT = /@|\\u0040/gi;
const DIGEST_BEHIND = /^(?:@|\\u0040)sha(?:256|384|512)(?::|\\u003a)/i;
const COLON_WITHIN = /:|\\u003a/i;

/** The same in JSON, bytes, one per character. */
export function withoutUserOfMember(json: string, hide: Hide): string {
  return json.replace(IMAGE_MEMBER, (name) => {
    const ends = Array.from(name.matchAll(AT), ({ index }) => index);
    const end = ends.findLast((at) => !DIGEST_BEHIND.test(name.slice(at, at + LONGEST_ESCAPED_MARK))) ?? -1;
    const user = name.slice(0, Math.max(end, 0));
    return COLON_WITHIN.test(user) ? hide(user) + name.slice(end) : name;
  });
}

/** The last `@` up to `stop` behind which there is no digest; -1 for none. */
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

/** The first of these from a place on. */
function next(wanted: RegExp, text: string, from: number): { start: number; end: number } | null {
  wanted.lastIndex = from;
  const found = wanted.exec(text);
  return found === null ? null : { start: found.index, end: wanted.lastIndex };
}
