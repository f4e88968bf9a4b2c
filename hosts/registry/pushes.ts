// What a push needs of a registry (OCI distribution spec, end-2, end-4a to end-7, end-11; surface §4.4).

import { noSuch } from "../shared/index.js";
import type { content } from "../shared/index.js";
import type { Answered, Asking, Connections } from "./connections.js";
import { readText } from "./exchange.js";
import { failedExchange } from "./failures.js";
import { COMMIT_MS, ERROR_LIMIT } from "./limits.js";

/** A blob to send. */
export interface LayerBytes {
  /** Its bytes, which are read once. */
  bytes: AsyncIterable<Uint8Array>;
  /** Its digest, once all bytes have been read. */
  digest(): string;
}

/** All methods reject with `HostFailure`; with `interrupted` once `signal` is aborted. */
export class Pushes {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Resolves if the repository has the blob. */
  async find(command: content.SoughtBlob, signal?: AbortSignal): Promise<void> {
    const asking: Asking = { method: "HEAD", path: `blobs/${command.digest}`, statuses: OK, pushes: true, signal };
    await over(await this.#connections.ask(command.in, asking));
  }

  /** A registry that does not mount opens an upload instead, which is left to expire. */
  async mount({ to, digest, source }: content.MountedBlob, signal?: AbortSignal): Promise<void> {
    const query = new URLSearchParams({ mount: digest, from: source });
    const statuses = new Set([CREATED, ACCEPTED]);
    const path = `${UPLOADS}?${query}`;
    const asking: Asking = { ...toOpen(path), statuses, alsoFrom: source, signal };
    const answer = await this.#connections.ask(to, asking);
    await over(answer);
    if (answer.status !== CREATED) throw noSuch("blob", digest);
  }

  async upload(to: content.Repository, { bytes, digest }: LayerBytes, signal?: AbortSignal): Promise<void> {
    const opened = await this.#open(to, signal);
    const headers = { "content-type": "application/octet-stream" };
    const asking: Asking = {
      method: "PATCH",
      path: opened,
      headers,
      body: bytes,
      statuses: TAKEN,
      pushes: true,
      silenceMs: COMMIT_MS,
      signal,
    };
    const answer = await this.#connections.ask(to, asking);
    await over(answer);
    await this.#close(to, nextPlace(answer, opened), digest(), undefined, signal);
  }

  async publish({ to, place, bytes }: content.Publication, signal?: AbortSignal): Promise<void> {
    if (place.tag === "blob") return this.#close(to, await this.#open(to, signal), place.val, bytes, signal);
    const { reference, mediaType } = place.val;
    const path = `manifests/${encodeURIComponent(reference).replaceAll("%3A", ":")}`;
    const headers = { "content-type": mediaType };
    await over(
      await this.#connections.ask(to, {
        ...{ method: "PUT", path, headers, body: bytes, statuses: MADE, pushes: true, signal },
      }),
    );
  }

  /** Where the registry wants the bytes of a new blob. */
  async #open(to: content.Repository, signal?: AbortSignal): Promise<string> {
    const answer = await this.#connections.ask(to, { ...toOpen(UPLOADS), statuses: TAKEN, signal });
    await over(answer);
    return nextPlace(answer);
  }

  /** Ends an upload, perhaps with all of its bytes. */
  async #close(
    to: content.Repository,
    place: string,
    digest: string,
    bytes: Uint8Array | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    const path = `${place}${place.includes("?") ? "&" : "?"}digest=${encodeURIComponent(digest)}`;
    const headers = { "content-type": "application/octet-stream" };
    const body = bytes ?? new Uint8Array();
    await over(
      await this.#connections.ask(to, {
        ...{ method: "PUT", path, headers, body, statuses: MADE, pushes: true, silenceMs: COMMIT_MS, signal },
      }),
    );
  }
}

function toOpen(path: string): Pick<Asking, "method" | "path" | "body" | "pushes"> {
  return { method: "POST", path, body: new Uint8Array(), pushes: true };
}

/** From `Location`, which may be relative to the request. `before`: where the bytes went, if it says no other place. */
function nextPlace({ header, url }: Answered, before: string | null = null): string {
  const place = header("location");
  if (place !== null && URL.canParse(place, url)) return new URL(place, url).href;
  if (place === null && before !== null) return before;
  throw failedExchange({ method: before === null ? "POST" : "PATCH", url }, { tag: "bad-redirect" });
}

/** The connection can serve another request once the answer was read. */
async function over(answer: Answered): Promise<void> {
  await readText(answer.body, ERROR_LIMIT);
}

const UPLOADS = "blobs/uploads/";
const CREATED = 201;
const ACCEPTED = 202;
const OK: ReadonlySet<number> = new Set([200]);
/** Not all registries keep to the one status that the specification names. */
const TAKEN: ReadonlySet<number> = new Set([200, CREATED, ACCEPTED, 204]);
const MADE: ReadonlySet<number> = TAKEN;
