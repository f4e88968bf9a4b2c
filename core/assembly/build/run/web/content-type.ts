// Whether what a web server has is a Dockerfile or a tar, as Docker's classic builder tells them apart.

export const OCTETS = "application/octet-stream";

/** Besides `x-` in front of each but the first. */
const PACKED: string[] = ["octet-stream", "tar", "gzip", "bzip", "bzip2", "xz"];
const APPLICATION = "application/";

/** The media type of a header `Content-Type`, without parameters, in lower case. */
export function typeIn(header: string): string {
  const end = header.indexOf(";");
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

export function isTextType(type: string): bool {
  return type == "text/plain";
}

export function isUnpackable(type: string): bool {
  if (!type.startsWith(APPLICATION)) return false;
  const name = type.slice(APPLICATION.length);
  return PACKED.includes(name.startsWith("x-") ? name.slice(2) : name);
}

/** Whether there are no bytes that texts do not have (WHATWG MIME Sniffing, §3, "binary data byte"). */
export function isText(beginning: Uint8Array): bool {
  for (let i = 0; i < beginning.length; i++) {
    const byte = beginning[i];
    if (byte <= 0x08 || byte == 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)) return false;
  }
  return true;
}
