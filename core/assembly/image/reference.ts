// Names of images: `[domain/]path[:tag][@digest]`, with the grammar and the rules of surface §2.4.

/** Domain of the default registry in names. */
export const DEFAULT_DOMAIN: string = "docker.io";
/** The tag of a name without tag and digest, where one is needed. */
export const DEFAULT_TAG: string = "latest";

/** The default domain in names from old clients. */
export const LEGACY_DEFAULT_DOMAIN: string = "index.docker.io";
// The host that serves the default registry's API.
const DEFAULT_AUTHORITY: string = "registry-1.docker.io";
const OFFICIAL: string = "library/";
const MAX_PATH: i32 = 255;
const MAX_TAG: i32 = 128;

/** A normalised name. */
export class Reference {
  constructor(
    /** `docker.io`, `localhost:5000`. */
    public domain: string,
    /** `library/busybox`. */
    public path: string,
    /** Empty for none. */
    public tag: string = "",
    /** `sha256:…`; empty for none. */
    public digest: string = "",
  ) {}

  /** Canonical form without tag and digest: `docker.io/library/busybox`. */
  get name(): string {
    return this.domain + "/" + this.path;
  }

  /** The same in the short form: `busybox`. */
  get familiarName(): string {
    if (this.domain != DEFAULT_DOMAIN) return this.name;
    const rest = this.path.startsWith(OFFICIAL) ? this.path.substring(OFFICIAL.length) : this.path;
    // `library/a/b` keeps its first segment, since `a/b` would be another name.
    return rest.includes("/") ? this.path : rest;
  }

  /** Canonical form: `docker.io/library/busybox:latest`. */
  get canonical(): string {
    return this.name + this.suffix;
  }

  /** As in `RepoTags`, events and messages: `busybox:latest`. */
  get familiar(): string {
    return this.familiarName + this.suffix;
  }

  /** It has neither a tag nor a digest. */
  get nameOnly(): bool {
    return this.tag == "" && this.digest == "";
  }

  /** What to request from a registry: the digest if there is one, else the tag. */
  get tagOrDigest(): string {
    return this.digest != "" ? this.digest : this.tag;
  }

  /** The same with the tag `latest` if it has neither a tag nor a digest. */
  withDefaultTag(): Reference {
    return this.nameOnly ? new Reference(this.domain, this.path, DEFAULT_TAG) : this;
  }

  /** The repository with another tag or digest; null if the text is invalid. */
  withTagOrDigest(text: string): Reference | null {
    if (isDigest(text)) return new Reference(this.domain, this.path, "", text);
    return isTag(text) ? new Reference(this.domain, this.path, text) : null;
  }

  /** Host and port of the registry. */
  get authority(): string {
    return this.domain == DEFAULT_DOMAIN ? DEFAULT_AUTHORITY : this.domain;
  }

  private get suffix(): string {
    const tag = this.tag == "" ? "" : ":" + this.tag;
    return this.digest == "" ? tag : tag + "@" + this.digest;
  }
}

/** Parses and normalises a name. Null: `referenceError` says why. */
export function parseReference(text: string): Reference | null {
  lastError = "";
  if (isIdentifier(text)) {
    return fail(`invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`);
  }
  let domain = domainOf(text);
  const remainder = domain == "" ? text : text.substring(domain.length + 1);
  if (domain == "" || domain == LEGACY_DEFAULT_DOMAIN) domain = DEFAULT_DOMAIN;
  const path = beforeTag(remainder);
  if (path.toLowerCase() != path) {
    return fail(`invalid reference format: repository name (${path}) must be lowercase`);
  }
  const official = domain == DEFAULT_DOMAIN && !remainder.includes("/");
  return parts(domain, official ? OFFICIAL + remainder : remainder);
}

/** Why the last name was invalid, in Docker's words. */
export function referenceError(): string {
  return lastError;
}

/** `[\w][\w.-]{0,127}` */
export function isTag(text: string): bool {
  if (text.length < 1 || text.length > MAX_TAG || !isWord(text.charCodeAt(0))) return false;
  for (let i = 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (!isWord(unit) && unit != 0x2e && unit != 0x2d) return false;
  }
  return true;
}

/** `algorithm:hex` with at least 32 digits; registered algorithms need their exact number of digits. */
export function isDigest(text: string): bool {
  const colon = text.indexOf(":");
  if (colon < 1) return false;
  const algorithm = text.substring(0, colon);
  const digits = text.substring(colon + 1);
  const size = algorithm == "sha256" ? 64 : algorithm == "sha384" ? 96 : algorithm == "sha512" ? 128 : 0;
  // Other algorithms cannot be verified.
  return size != 0 && digits.length == size && isLowerHex(digits);
}

/** Exactly 64 lowercase hex digits: this is an id, never a name. */
export function isIdentifier(text: string): bool {
  return text.length == 64 && isLowerHex(text);
}

let lastError: string = "";

function fail(error: string): Reference | null {
  lastError = error;
  return null;
}

// The first segment if it is a domain: it contains a dot, a colon or an upper-case letter, or is `localhost`.
function domainOf(text: string): string {
  const slash = text.indexOf("/");
  if (slash < 0) return "";
  const first = text.substring(0, slash);
  const isDomain = first.includes(".") || first.includes(":") || first == "localhost" || first.toLowerCase() != first;
  return isDomain ? first : "";
}

function beforeTag(remainder: string): string {
  const colon = remainder.indexOf(":");
  return colon < 0 ? remainder : remainder.substring(0, colon);
}

function parts(domain: string, remainder: string): Reference | null {
  let rest = remainder;
  let digest = "";
  let tag = "";
  const at = rest.indexOf("@");
  if (at >= 0) {
    digest = rest.substring(at + 1);
    rest = rest.substring(0, at);
    if (!hasDigestForm(digest)) return fail("invalid reference format");
  }
  const colon = rest.indexOf(":");
  if (colon >= 0) {
    tag = rest.substring(colon + 1);
    rest = rest.substring(0, colon);
    if (!isTag(tag)) return fail("invalid reference format");
  }
  if (!isDomain(domain) || !isPath(rest)) return fail("invalid reference format");
  if (rest.length > MAX_PATH) return fail("repository name must not be more than 255 characters");
  if (digest != "" && !isDigest(digest)) return fail(digestFault(digest));
  return new Reference(domain, rest, tag, digest);
}

/** `[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`: a digest by whatever algorithm. */
export function hasDigestForm(text: string): bool {
  const colon = text.indexOf(":");
  if (colon < 1 || text.length - colon - 1 < 32) return false;
  let starts = true;
  for (let i = 0; i < colon; i++) {
    const unit = text.charCodeAt(i);
    if (isLetter(unit) || (!starts && isDigit(unit))) starts = false;
    else if (!starts && (unit == 0x2d || unit == 0x5f || unit == 0x2b || unit == 0x2e)) starts = true;
    else return false;
  }
  if (starts) return false;
  for (let i = colon + 1; i < text.length; i++) {
    const lower = text.charCodeAt(i) | 0x20;
    if (!isDigit(text.charCodeAt(i)) && (lower < 0x61 || lower > 0x66)) return false;
  }
  return true;
}

/** Why a text is no digest that can be verified here, in Docker's words; empty if it is one. */
export function digestProblem(text: string): string {
  if (isDigest(text)) return "";
  return hasDigestForm(text) ? digestFault(text) : "invalid checksum digest format";
}

function digestFault(digest: string): string {
  if (digest.startsWith("sha256:") || digest.startsWith("sha384:") || digest.startsWith("sha512:")) {
    return "invalid checksum digest length";
  }
  return "unsupported digest algorithm";
}

// Components of letters, digits and inner hyphens, separated by dots; or an address in brackets; optionally a port.
function isDomain(text: string): bool {
  let host = text;
  const colon = text.lastIndexOf(":");
  if (colon >= 0 && !text.endsWith("]")) {
    host = text.substring(0, colon);
    if (colon == text.length - 1) return false;
    for (let i = colon + 1; i < text.length; i++) {
      if (!isDigit(text.charCodeAt(i))) return false;
    }
  }
  if (host.startsWith("[")) return isBracketed(host);
  const components = host.split(".");
  for (let i = 0; i < components.length; i++) {
    if (!isDomainComponent(components[i])) return false;
  }
  return true;
}

function isDomainComponent(text: string): bool {
  if (text.length == 0 || text.startsWith("-") || text.endsWith("-")) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (!isLetter(unit) && !isDigit(unit) && unit != 0x2d) return false;
  }
  return true;
}

function isBracketed(host: string): bool {
  if (host.length < 3 || !host.endsWith("]")) return false;
  for (let i = 1; i < host.length - 1; i++) {
    const unit = host.charCodeAt(i);
    const lower = unit | 0x20;
    if (!isDigit(unit) && unit != 0x3a && (lower < 0x61 || lower > 0x66)) return false;
  }
  return true;
}

// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`, separated by slashes.
function isPath(text: string): bool {
  const components = text.split("/");
  for (let i = 0; i < components.length; i++) {
    if (!isPathComponent(components[i])) return false;
  }
  return true;
}

function isPathComponent(text: string): bool {
  let separator = 0;
  let repeated = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit) || (unit >= 0x61 && unit <= 0x7a)) {
      separator = 0;
      continue;
    }
    if (i == 0) return false;
    if (unit == 0x2d) {
      if (separator != 0 && separator != unit) return false;
    } else if (unit == 0x5f) {
      if (separator != 0 && (separator != unit || repeated == 2)) return false;
    } else if (unit != 0x2e || separator != 0) {
      return false;
    }
    repeated = separator == unit ? repeated + 1 : 1;
    separator = unit;
  }
  return text.length > 0 && separator == 0;
}

function isLowerHex(text: string): bool {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (!isDigit(unit) && (unit < 0x61 || unit > 0x66)) return false;
  }
  return true;
}

function isWord(unit: i32): bool {
  return isLetter(unit) || isDigit(unit) || unit == 0x5f;
}

function isLetter(unit: i32): bool {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isDigit(unit: i32): bool {
  return unit >= 0x30 && unit <= 0x39;
}
