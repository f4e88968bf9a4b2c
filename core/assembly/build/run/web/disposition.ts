// The name in a header `Content-Disposition` (RFC 6266): `attachment; filename="a b.txt"`.

import { decodePath } from "../../../text/url";

const EXTENDED = "utf-8''";

/** Empty if the header has no name, or is not valid. */
export function nameIn(disposition: string): string {
  const parts = partsOf(disposition);
  let name = "";
  for (let i = 1; i < parts.length; i++) {
    const equals = parts[i].indexOf("=");
    if (equals < 0) continue;
    const key = parts[i].slice(0, equals).trim().toLowerCase();
    const value = parts[i].slice(equals + 1).trim();
    // The name in UTF-8 is the better one (RFC 6266 §4.3).
    if (key == "filename*") return extended(value);
    if (key == "filename") name = unquoted(value);
  }
  return name;
}

/** RFC 8187 §3.2. Other character sets are not read: RFC 8187 only requires UTF-8. */
function extended(value: string): string {
  if (!value.toLowerCase().startsWith(EXTENDED)) return "";
  const decoded = decodePath(value.slice(EXTENDED.length));
  return decoded === null ? "" : decoded;
}

/** Split at semicolons, but not at those in quotes. */
function partsOf(header: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let quoted = false;
  for (let i = 0; i < header.length; i++) {
    const unit = header.charAt(i);
    if (quoted && unit == "\\") i++;
    else if (unit == '"') quoted = !quoted;
    else if (unit == ";" && !quoted) {
      parts.push(header.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(header.slice(from));
  return parts;
}

/** A quoted string (RFC 9110 §5.6.4), or the value as it is. */
function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  const units: string[] = [];
  for (let i = 1; i < value.length - 1; i++) {
    if (value.charAt(i) == "\\" && i < value.length - 2) i++;
    units.push(value.charAt(i));
  }
  return units.join("");
}
