// What a push needs of a registry (OCI distribution spec, end-2, end-4a to end-7, end-11, end-13; surface §4.4).

import { HostFailure, interrupted, isUnreachable, noSuch } from "../shared/index.js";
import type { Begun, content } from "../shared/index.js";
import type { Answered, Asking, Connections } from "./connections.js";
import { readText } from "./exchange.js";
import { failedExchange } from "./failures.js";
import { COMMIT_MS, ERROR_LIMIT, LARGEST_PART, PART } from "./limits.js";

/** A blob to send. */
export interface LayerBytes {
  /** Its bytes. Each reading begins with the first one. */
  bytes: AsyncIterable<Uint8Array>;
  /** Its digest, once all bytes have been read. */
  digest(): string;
  /** As in the command `upload`. */
  patience: Patience;
  /** Where an earlier try has sent a part of them, to go on there; it fails if that cannot be. */
  begun?: Begun | undefined;
  /** Called before bytes are sent: where another try may go on if this engine dies. */
  reached?: (begun: Begun) => Promise<void>;
  /** Called if the connection breaks, with what another try may go on with. */
  broke?: (begun: Begun) => Promise<void>;
}

/** What the core allows an upload. */
export type Patience = Pick<content.Upload, "otherWays" | "unanswered">;

/** An upload that takes bytes. */
interface Opened {
  /** Where it wants the next ones. */
  place: string;
  /** How many bytes the registry had when it was opened, or asked. */
  readonly at: number;
  /** In bytes: each request sends as many, and says how many and which they are. 0 for one request without a length. */
  readonly part: number;
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

  /** One stream, as most registries prefer it. Parts for a registry that asks for them, or that has a beginning. */
  async upload(to: content.Repository, layer: LayerBytes, signal?: AbortSignal): Promise<void> {
    const { begun } = layer;
    let opened = begun === undefined ? await this.#open(to, signal) : await this.#found(to, begun, layer, signal);
    let refusal: unknown;
    for (let ways = 0; ; ways++) {
      try {
        return await this.#send(to, layer, opened, signal);
      } catch (error) {
        // A registry that claims to have more than there is gave no reason but its refusal.
        if (refusal !== undefined && isBehindEnd(error)) throw refusal;
        if (ways === layer.patience.otherWays) throw error;
        opened = await this.#another(to, layer, opened, error, signal);
        refusal = error;
      }
    }
  }

  /**
   * Another way to send a blob, after a registry has refused it. It may want parts; or others than it got, because it has
   * lost some, or has them already (end-5). Throws the error if there is no other way, or if the one before has not got on.
   */
  async #another(
    to: content.Repository,
    { patience }: LayerBytes,
    tried: Opened,
    error: unknown,
    signal?: AbortSignal,
  ): Promise<Opened> {
    if (tried.part === 0 && isAnswer(error, NO_STREAMS)) return { ...(await this.#open(to, signal)), part: PART };
    if (tried.part === 0 || !isAnswer(error, OTHER_PART)) throw error;
    const asked: Begun = { place: tried.place, had: tried.at, unanswered: 0 };
    return this.#found(to, asked, { patience }, signal).catch((unknown: unknown) => {
      throw signal?.aborted === true ? unknown : error;
    });
  }

  async publish({ to, place, bytes }: content.Publication, signal?: AbortSignal): Promise<void> {
    if (place.tag === "blob") {
      const { place: opened } = await this.#open(to, signal);
      return this.#close(to, opened, place.val, bytes, signal);
    }
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
  async #open(to: content.Repository, signal?: AbortSignal): Promise<Opened> {
    const answer = await this.#connections.ask(to, { ...toOpen(UPLOADS), statuses: TAKEN, signal });
    await over(answer);
    return { place: nextPlace(answer), at: 0, part: wantedPart(answer) };
  }

  async #send(to: content.Repository, layer: LayerBytes, opened: Opened, signal?: AbortSignal): Promise<void> {
    const { bytes, digest, begun, reached, broke } = layer;
    const rest = behind(bytes, opened.at, signal);
    // What an engine's death leaves says nothing about whether this try gets on.
    const had = begun?.had ?? 0;
    let { at } = opened;
    try {
      await reached?.({ place: opened.place, had, unanswered: 0 });
      if (opened.part === 0) opened.place = await this.#append(to, opened.place, rest, {}, signal);
      // What the registry has is read before it is asked: nobody keeps a connection for long on which nothing comes.
      else {
        for await (const part of inParts(rest, opened.part)) {
          const range = { "content-range": `${at}-${at + part.length - 1}` };
          opened.place = await this.#append(to, opened.place, part, range, signal);
          at += part.length;
          await reached?.({ place: opened.place, had, unanswered: 0 });
        }
      }
      await this.#close(to, opened.place, digest(), undefined, signal);
    } catch (error) {
      const newest = signal?.aborted === true ? had : opened.at;
      if (mayGoOn(error, signal)) await broke?.({ place: opened.place, had: newest, unanswered: 0 });
      throw error;
    } finally {
      rest.return(undefined).catch(() => {});
    }
  }

  /** Sends bytes, and returns where the next ones are wanted (end-5). `range`: which ones, if the registry wants that. */
  async #append(
    to: content.Repository,
    place: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    range: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<string> {
    const asking = toAppend(place);
    const headers = { ...asking.headers, ...range };
    const answer = await this.#connections.ask(to, { ...asking, headers, body, signal });
    await over(answer);
    return nextPlace(answer, place);
  }

  /**
   * How much of an upload has arrived, and where the rest is wanted (end-13). Fails as `no-such` if the newest try has
   * not got on: the next one would not either.
   */
  async #found(
    to: content.Repository,
    begun: Begun,
    { broke, patience }: Pick<LayerBytes, "broke" | "patience">,
    signal?: AbortSignal,
  ): Promise<Opened> {
    try {
      const asking: Asking = { method: "GET", path: begun.place, statuses: TAKEN, pushes: true, signal };
      const answer = await this.#connections.ask(to, asking);
      await over(answer);
      // Registries say `0-0` for one byte and for none.
      const last = Number(/^(?:bytes=)?0-(\d+)$/.exec(answer.header("range") ?? "")?.[1] ?? 0);
      if (last === 0 || last + 1 <= begun.had) throw noSuch("blob", "");
      return { place: nextPlace(answer, begun.place), at: last + 1, part: wantedPart(answer) || PART };
    } catch (error) {
      const unanswered = signal?.aborted === true ? begun.unanswered : begun.unanswered + 1;
      if (mayGoOn(error, signal) && unanswered <= patience.unanswered) await broke?.({ ...begun, unanswered });
      throw error;
    }
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

function toAppend(path: string): Pick<Asking, "method" | "path" | "headers" | "statuses" | "pushes" | "silenceMs"> {
  const headers = { "content-type": "application/octet-stream" };
  return { method: "PATCH", path, headers, statuses: TAKEN, pushes: true, silenceMs: COMMIT_MS };
}

/** The bytes from an offset on. All are read, because their digest needs them. */
async function* behind(
  bytes: AsyncIterable<Uint8Array>,
  offset: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let left = offset;
  for await (const piece of bytes) {
    if (signal?.aborted === true) throw interrupted("given-up");
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
  if (left > 0) throw noSuch("blob", "");
}

/** All parts but the last one have the full size. Each is valid until the next one is wanted: only one is in memory. */
async function* inParts(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(size);
  let length = 0;
  for await (let piece of bytes) {
    for (; length + piece.length >= size; piece = piece.subarray(size - length), length = 0) {
      part.set(piece.subarray(0, size - length), length);
      yield part;
    }
    part.set(piece, length);
    length += piece.length;
  }
  if (length > 0) yield part.subarray(0, length);
}

/** The size of the parts that a registry asks for; 0 if it asks for none, or for more than can be held in memory. */
function wantedPart({ header }: Answered): number {
  const least = Number(header("oci-chunk-min-length") ?? 0);
  return least > 0 && least <= LARGEST_PART ? Math.max(least, PART) : 0;
}

function isAnswer(error: unknown, statuses: ReadonlySet<number>): boolean {
  if (!(error instanceof HostFailure) || error.failure.tag !== "registry-answer") return false;
  return statuses.has(error.failure.val.status);
}

/** Whether the registry has claimed to have more bytes than the blob has. */
function isBehindEnd(error: unknown): boolean {
  return error instanceof HostFailure && error.failure.tag === "no-such" && error.failure.val.what === "blob";
}

/** Whether the registry may still have what was sent: it is busy, or out of reach, or a proxy before it says so. */
function mayGoOn(error: unknown, signal?: AbortSignal): boolean {
  return isUnreachable(error) || signal?.aborted === true || isAnswer(error, AWAY);
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
/** Too Many Requests (RFC 6585 §4); Bad Gateway, Service Unavailable, Gateway Timeout (RFC 9110 §15.6). */
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Length Required, Range Not Satisfiable: answers to a stream whose length and range nobody has told. */
const NO_STREAMS: ReadonlySet<number> = new Set([411, 416]);
/** Range Not Satisfiable: the answer to a part that does not begin where the registry has got to. */
const OTHER_PART: ReadonlySet<number> = new Set([416]);
const MADE: ReadonlySet<number> = TAKEN;
