// The address of a tar on a web server, as a client gives it. Its user, password and query may be credentials: they go
// to the host only, and are in no text, event or image.

import { erase } from "../../../../build/bindings/erase";
import { WebCredentials, WebFile } from "../../../../build/bindings/types";
import { badParameter, internal, Refusal } from "../../refusal";
import { quoteText } from "../../text/go-quote";

/** An address without a scheme has this one. */
const DEFAULT_SCHEME = "http";
const MARK = "://";
/** In the place of what may be a password. */
const HIDDEN = "xxxxx";

export class WebAddress {
  /** The address without user, password, query and fragment. Of a doubtful one no more than the scheme is shown. */
  readonly shown: string;
  private readonly scheme: string;
  /** Host and port. */
  private readonly authority: string;
  /** SECRET. Snapshots have it blanked, as every object of this class. */
  private readonly secrets: WebCredentials;
  /** It is unknown where a password ends. */
  private readonly doubtful: bool;

  constructor(given: string) {
    const mark = markIn(given);
    const scheme = mark < 0 ? DEFAULT_SCHEME : given.slice(0, mark).toLowerCase();
    const rest = mark < 0 ? given : given.slice(mark + MARK.length);
    const end = endOf(rest, "/?");
    const user = rest.slice(0, end).lastIndexOf("@");
    const host = rest.slice(user + 1, end);
    const authority = host.slice(0, endOf(host, "#"));
    const path = rest.slice(end, endOf(rest, "?"));
    const query = rest.slice(endOf(rest, "?"));
    const doubtful = user < 0 && isDoubtful(rest, 0, rest.lastIndexOf("@"));
    this.scheme = scheme;
    this.authority = doubtful ? "" : authority;
    this.secrets = new WebCredentials(user < 0 ? "" : rest.slice(0, user), query.slice(0, endOf(query, "#")));
    this.shown = scheme + MARK + (doubtful ? HIDDEN : authority + path.slice(0, endOf(path, "#")));
    this.doubtful = doubtful;
  }

  /** For the host. */
  get file(): WebFile {
    const secrets = this.secrets;
    return new WebFile(this.shown, secrets.user.length + secrets.query.length > 0 ? secrets : null);
  }

  /** Blanks what is secret, permanently: the host has it now. */
  forget(): void {
    erase(this.secrets.user);
    erase(this.secrets.query);
  }

  /** Why there is nothing at the address, mostly in Go's words; null if there may be. */
  problem(): Refusal | null {
    if (this.doubtful) return badParameter('invalid address: "@" must be written as "%40" unless it ends a user');
    const authority = this.authority;
    for (let i = 0; i < authority.length; i++) {
      if (isInHost(authority.charCodeAt(i))) continue;
      const unit = quoteText(authority.charAt(i));
      return badParameter(`parse ${quoteText(this.shown)}: invalid character ${unit} in host name`);
    }
    if (!hasGoodPort(authority)) {
      const port = authority.slice(authority.lastIndexOf(":"));
      return badParameter(`parse ${quoteText(this.shown)}: invalid port ${quoteText(port)} after host`);
    }
    const escape = badEscapeIn(this.shown.slice(this.scheme.length + MARK.length + authority.length));
    if (escape.length > 0)
      return badParameter(`parse ${quoteText(this.shown)}: invalid URL escape ${quoteText(escape)}`);
    if (this.scheme != "http" && this.scheme != "https") {
      return internal(`Get ${quoteText(this.shown)}: unsupported protocol scheme ${quoteText(this.scheme)}`);
    }
    if (authority.length > 0 && !authority.startsWith(":")) return null;
    const shown = this.shown == this.scheme + MARK ? `${this.scheme}:` : this.shown;
    return internal(`Get ${quoteText(shown)}: http: no Host in request URL`);
  }
}

/** Where a scheme ends, or -1. A `://` further on belongs to a password, a path or a query. */
function markIn(given: string): i32 {
  const colon = endOf(given, ":/?#@");
  return given.substring(colon, colon + MARK.length) == MARK ? colon : -1;
}

/**
 * Whether what looks like a port, and what follows, may be a password with a slash: `user:pass/word@host`. Traces hide it
 * as one, so it must not be taken for a host. Digits up to a slash or a query are a port. Colons in the path are its own.
 * `from`: where the user or the host begins. `last`: the last `@`, or -1.
 */
export function isDoubtful(text: string, from: i32, last: i32): bool {
  let first = from;
  while (first < last && !":/?@".includes(text.charAt(first))) first++;
  if (first >= last || text.charAt(first) != ":") return false;
  let end = first + 1;
  while (end < last && isDigit(text.charCodeAt(end))) end++;
  return end == first + 1 || !"/?#".includes(text.charAt(end));
}

function isDigit(unit: i32): bool {
  return unit >= 0x30 && unit <= 0x39;
}

/** Letters, digits and what addresses and names of hosts have besides (RFC 3986 §3.2.2, without escapes). */
function isInHost(unit: i32): bool {
  const lower = unit | 0x20;
  if ((unit >= 0x30 && unit <= 0x3a) || (lower >= 0x61 && lower <= 0x7a)) return true;
  return unit == 0x2d || unit == 0x2e || unit == 0x5f || unit == 0x5b || unit == 0x5d;
}

/** Without a port, or with up to five digits that make one. */
function hasGoodPort(authority: string): bool {
  const colon = authority.indexOf(":", authority.lastIndexOf("]") + 1);
  if (colon < 0) return true;
  const port = authority.slice(colon + 1);
  for (let i = 0; i < port.length; i++) {
    if (!isDigit(port.charCodeAt(i))) return false;
  }
  return port.length == 0 || (port.length <= 5 && I32.parseInt(port) <= 65535);
}

/** The first `%` that no two hexadecimal digits follow, with what follows, as Go quotes it; empty if there is none. */
function badEscapeIn(path: string): string {
  for (let i = path.indexOf("%"); i >= 0; i = path.indexOf("%", i + 1)) {
    if (i + 2 >= path.length || !isHex(path.charCodeAt(i + 1)) || !isHex(path.charCodeAt(i + 2))) {
      return path.slice(i, i + 3);
    }
  }
  return "";
}

function isHex(unit: i32): bool {
  const lower = unit | 0x20;
  return isDigit(unit) || (lower >= 0x61 && lower <= 0x66);
}

/** Where the first of these characters is, or the end. */
function endOf(text: string, marks: string): i32 {
  for (let i = 0; i < text.length; i++) if (marks.includes(text.charAt(i))) return i;
  return text.length;
}
