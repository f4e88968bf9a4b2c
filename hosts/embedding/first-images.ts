// The images that a new engine has from the start.

type Fetch = (target: string, init: RequestInit) => Promise<Response>;

/** Loads them one after the other, by the same door as everybody. */
export async function loadFirstImages(archives: readonly Uint8Array[], fetch: Fetch): Promise<void> {
  for (const archive of archives) {
    const headers = { "content-type": "application/x-tar" };
    const body = archive as Uint8Array<ArrayBuffer>;
    const response = await fetch("/images/load?quiet=1", { method: "POST", headers, body });
    const text = await response.text();
    if (!response.ok || text.includes('"errorDetail"'))
      throw new Error(`a first image cannot be loaded: ${text.trim()}`);
  }
}
