// Decides in which form the core gets a request's body: see `body` in core/wit/engine.wit.

/** Bodies of known length up to this are passed as bytes, whatever their type. */
export const SHORT_BODY = 64 * 1024;

/**
 * `collect`: as bytes once all are there, or as `oversized` if there are more than `limit`. `length` is null if
 * unknown. `limit`: JSON beyond this many bytes is dropped.
 */
export function formOf(mediaType: string, length: number | null, limit: number): "collect" | "oversized" | "stream" {
  const json = mediaType === "application/json";
  if (!json && (length === null || length > SHORT_BODY)) return "stream";
  return length !== null && length > limit ? "oversized" : "collect";
}

/** A host may also ask by the request's id for a body that was passed as bytes, such as a small archive. */
export async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
