// What protects a host from registries and token servers. The limits that the core sets are in its commands; these
// are the host's own (`core/wit/content.wit`).

/** How long to wait for a server that sends nothing. */
export const SILENCE_MS = 30_000;

/** The same after the last byte of a blob: a registry may hash or copy all of it before it answers. */
export const COMMIT_MS = 15 * 60_000;

export const MOST_REDIRECTS = 10;

/** In bytes: what one request sends of a blob that goes out in parts. It is in memory meanwhile. */
export const PART = 8 << 20;
/** The largest parts that a registry may ask for. */
export const LARGEST_PART = 64 << 20;

/** In bytes. A longer answer of a token server has no token. */
export const TOKEN_LIMIT = 1 << 20;

/** In bytes. The rest of an error answer is not read. */
export const ERROR_LIMIT = 64 << 10;

/** How many registries are remembered. */
export const MOST_REGISTRIES = 64;
