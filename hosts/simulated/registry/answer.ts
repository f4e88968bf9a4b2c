// What simulated registries answer, before the network between has had its say.

/** One answer. */
export interface Answer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  bytes: Uint8Array;
  /** It is a blob's. */
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
