// Responses of the simulated registries, before network faults change them.

/** One response. */
export interface Answer {
  status: number;
  /** Headers, with names in lower case. */
  headers: Record<string, string>;
  bytes: Uint8Array;
  /** Whether it carries a blob. */
  isBlob?: boolean;
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return answer(status, "application/json", new TextEncoder().encode(JSON.stringify(value)), headers);
}

export function answer(status: number, type: string, bytes: Uint8Array, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": type, "content-length": String(bytes.length), ...headers }, bytes };
}

/** An error of the distribution protocol (OCI distribution spec, error codes). */
export function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
  detail: unknown = null,
): Answer {
  return json(status, { errors: [{ code, message, detail }] }, headers);
}
