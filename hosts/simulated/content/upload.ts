// Sends layers to simulated registries: the blob that a layer came as, or its tar, compressed always to the same bytes.

import { gzipSync } from "fflate";
import { joined, noSuch, sendOnOrAnew } from "../../shared/index.js";
import type { Begun, Report, content, engine } from "../../shared/index.js";
import { digestOf } from "../../registry/index.js";
import type { RegistryClient } from "../../registry/index.js";
import { compressionOf } from "../../streams/compression/index.js";
import type { Layers } from "../files/layers.js";
import { BegunUploads, type BegunUpload } from "./begun-uploads.js";
import { layerTars } from "./layer-tars.js";

export class Uploads {
  readonly #layers: Layers;
  readonly #registry: RegistryClient;
  /** What registries have layers as that came another way, by chain. */
  readonly #sent = new Map<string, engine.SentBlob>();
  readonly #begun = new BegunUploads();

  constructor(layers: Layers, registry: RegistryClient) {
    [this.#layers, this.#registry] = [layers, registry];
  }

  /** Throws `no-such` if it is not known. */
  blobOf(chain: string): engine.SentBlob {
    const layer = this.#layers.layer(chain);
    if (!layer) throw noSuch("layer", chain);
    const kept = this.#kept(chain);
    const known = kept === null ? this.#sent.get(chain) : sentAs(kept.digest, kept.bytes);
    if (!known) throw noSuch("blob", "");
    return known;
  }

  /** Goes on where an earlier try has broken off, if the registry still has that. Otherwise it starts anew. */
  async upload(command: content.Upload, report: Report, signal: AbortSignal): Promise<engine.SentBlob> {
    const note = this.#begun.begin(command);
    try {
      return await sendOnOrAnew(note, (begun) => this.#send(command, note, begun, report, signal), signal);
    } finally {
      note.end();
    }
  }

  async #send(
    { to, chain, ...patience }: content.Upload,
    { reached, broke }: BegunUpload,
    begun: Begun | undefined,
    report: Report,
    signal: AbortSignal,
  ): Promise<engine.SentBlob> {
    const kept = this.#kept(chain);
    const total = await layerTars(this.#layers).size(chain);
    const blob = kept?.bytes ?? compressed(await this.#tarOf(chain));
    const sent = sentAs(kept?.digest ?? digestOf(blob), blob);
    // Read again if the registry refuses a stream.
    const bytes = { [Symbol.asyncIterator]: () => inPieces(blob, total, report) };
    await this.#registry.upload(to, { bytes, digest: () => sent.digest, patience, begun, reached, broke }, signal);
    if (kept === null) this.#sent.set(chain, sent);
    return sent;
  }

  /** The layer is dropped. */
  forget(chain: string): void {
    this.#sent.delete(chain);
    this.#begun.forget(chain);
  }

  /** The blob that a layer came as, by the digest that it had there. */
  #kept(chain: string): { digest: string; bytes: Uint8Array } | null {
    const digest = this.#layers.layer(chain)?.blob ?? null;
    const bytes = digest === null ? undefined : this.#layers.blob(digest);
    return digest === null || bytes === undefined ? null : { digest, bytes };
  }

  async #tarOf(chain: string): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of layerTars(this.#layers).tar(chain)) pieces.push(piece);
    return joined(pieces);
  }
}

function sentAs(digest: string, blob: Uint8Array): engine.SentBlob {
  const compression = compressionOf(blob.subarray(0, 6));
  return {
    digest,
    size: BigInt(blob.length),
    compression: compression === "gzip" || compression === "zstd" ? compression : "none",
  };
}

/** `total`: bytes of the tar, which progress counts. */
async function* inPieces(blob: Uint8Array, total: number, report: Report): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.length; at += PIECE) {
    const piece = blob.subarray(at, at + PIECE);
    yield piece;
    const done = Math.floor((Math.min(at + PIECE, blob.length) / blob.length) * total);
    report("uploading", BigInt(done), BigInt(total));
  }
}

const PIECE = 64 << 10;

/** The layer that was compressed last, by its tar's digest: most uploads send the same one, and to hash it is quick. */
let last = { digest: "", blob: new Uint8Array() };

function compressed(tar: Uint8Array): Uint8Array {
  const digest = digestOf(tar);
  if (last.digest !== digest) last = { digest, blob: gzipSync(tar, { mtime: 0 }) };
  return last.blob;
}
