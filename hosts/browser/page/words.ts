// Formats numbers and ids for people.

/** For example `12:00:03.120`, UTC. */
export function clockTime(wall: bigint): string {
  const date = new Date(Number(wall / 1_000_000n));
  return date.toISOString().slice(11, 23);
}

/** The first twelve digits of an id, with or without `sha256:`. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, "").slice(0, 12);
}

/** A text with its ids shortened. */
export function shortIds(text: string): string {
  return text.replace(/\b[0-9a-f]{64}\b/g, shortId);
}

/** For example `1.2 kB`, `3.4 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** unit).toFixed(1)} ${["B", "kB", "MB", "GB"][unit]}`;
}

/** For example `1 container`, `2 containers`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A duration in the world's time: `40 µs`, `12 ms`, `3.2 s`. */
export function duration(ns: bigint): string {
  const seconds = Number(ns) / 1e9;
  if (seconds < 1e-3) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Math.round(seconds * 1e3)} ms`;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** HTTP's name of a status. */
export function statusText(status: number): string {
  return STATUS_TEXTS[status] ?? "";
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  101: "Switching Protocols",
  200: "OK",
  201: "Created",
  204: "No Content",
  301: "Moved Permanently",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
};
