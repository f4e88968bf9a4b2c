// In which form the core gets a request's body: see `body` in core/wit/engine.wit.

/** Bodies of known length up to this come as bytes, whatever their type. */
export const SHORT_BODY = 64 * 1024;

/**
 * `collect`: as bytes, once they are there, or as `oversized` when they turn out to be more than `limit`. `length` is
 * null when it is not known; `limit`: bytes beyond which JSON is thrown away.
 */
export function formOf(mediaType: string, length: number | null, limit: number): "collect" | "oversized" | "stream" {
  const json = mediaType === "application/json";
  if (!json && (length === null || length > SHORT_BODY)) return "stream";
  return length !== null && length > limit ? "oversized" : "collect";
}

/** What came as bytes may be asked for by the request's id all the same: a small archive, say. */
export async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
