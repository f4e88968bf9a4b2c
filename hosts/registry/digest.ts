// Digests of bytes held in memory.

/** `sha256:` and 64 hex digits. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether a reference is a digest of the only algorithm known here. */
export function isDigest(reference: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(reference);
}
