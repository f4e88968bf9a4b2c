// Commands about layers: makes them, sends them to registries, and reads them as tars.

import { Unpacking } from "../../../hosts/shared/index.js";
import type { Report, Work, content, engine } from "../../../hosts/shared/index.js";
import type { LayerTars } from "../../../hosts/streams/tar/index.js";
import type { Archives } from "../archives.js";
import type { Registry } from "../registry.js";
import { given } from "../threads/given.js";
import type { Workers } from "../threads/workers.js";
import { makeLayer } from "./layer.js";
import { layerTars } from "./layer-tars.js";
import type { Layers } from "./layers.js";
import { Uploads } from "./upload.js";

export interface LayerWorkDeps {
  layers: Layers;
  archives: Archives;
  registry: Registry;
  workers: Workers;
  /** See `Unpacked`. */
  spent(member: content.Member): string | null;
}

export class LayerWork {
  readonly tars: LayerTars;
  readonly #deps: LayerWorkDeps;
  readonly #uploads: Uploads;
  /** Which layers are being sent where. */
  readonly #uploading = new Set<string>();
  readonly #unpacking = new Unpacking();

  constructor(deps: LayerWorkDeps) {
    this.#deps = deps;
    this.tars = { size: (chain) => this.#size(chain), tar: (chain) => this.#tar(chain) };
    this.#uploads = new Uploads(deps.layers, layerTars(deps.layers), deps.registry);
  }

  /** Returns the size of the layer's files in bytes. A complete layer is not made again. */
  async make(layer: content.Layer, report: Report, signal: AbortSignal): Promise<number> {
    const { layers, workers, archives, spent } = this.#deps;
    const deps = {
      layers,
      workers,
      member: (member: content.Member) => archives.member(member),
      spent,
      settled: (chain: string) => this.#unpacking.settled(chain),
    };
    const work: Work = async (told, stop) => {
      const dropped = layers.dropped(layer.chain);
      if (dropped !== undefined) await dropped;
      return (layer.anew ? undefined : layers.record(layer.chain)?.size) ?? makeLayer(layer, deps, told, stop);
    };
    return this.#unpacking.ask(layer.chain, work, report, signal);
  }

  blobOf(chain: string): Promise<engine.SentBlob> {
    return this.#uploads.blobOf(chain);
  }

  async upload(upload: content.Upload, report: Report, signal: AbortSignal): Promise<engine.SentBlob> {
    const { layers, workers } = this.#deps;
    await this.#size(upload.chain);
    const { chain, to } = upload;
    const what = JSON.stringify([chain, to.endpoint.authority, to.repository]);
    const isSecond = this.#uploading.has(what);
    this.#uploading.add(what);
    try {
      return await workers.run("upload", { upload, known: layers.known(chain), isSecond }, { signal, report });
    } finally {
      if (!isSecond) this.#uploading.delete(what);
    }
  }

  /** To verify it, its checks are made while it is read. */
  async measureTar({ chain, verify }: content.MeasuredTar): Promise<number> {
    if (!verify) return this.tars.size(chain);
    let size = 0;
    for await (const piece of this.tars.tar(chain)) size += piece.length;
    return size;
  }

  /** A layer of an older engine has no size in its record. It is counted once, not again for each push. */
  async #size(chain: string): Promise<number> {
    const { layers, workers } = this.#deps;
    const { record } = layers.known(chain);
    record.tar ??= { size: await workers.run("length", { chain, record }, { signal: NEVER }), as: "blob" };
    return record.tar.size;
  }

  #tar(chain: string): AsyncIterable<Uint8Array> {
    const { layers, workers } = this.#deps;
    const known = layers.known(chain);
    return given((give, signal) => workers.run("tar", known, { signal, give }));
  }
}

const NEVER = new AbortController().signal;
