// Jobs that move all bytes of a layer, an archive or many files. They run in threads beside the engine's own, which has
// requests to answer, or in that thread if there are no others. A job decides nothing and keeps no state.

import { limited } from "../../../hosts/streams/tar/index.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { takeIn, writeTar } from "../archives.js";
import { writeChanges } from "../commit.js";
import { choose, copy, download, readFileIn } from "../files/copy-files.js";
import { extract } from "../files/extract.js";
import { holdTar } from "../held/held-tar.js";
import { decompressed } from "../layers/decompress.js";
import { unpackLayer } from "../layers/layer.js";
import { layerTars } from "../layers/layer-tars.js";
import { Layers } from "../layers/layers.js";
import { Uploads } from "../layers/upload.js";
import type { Registry } from "../registry.js";
import type { ArgsOf, JobName, KnownLayer, Line, ResultOf, Wants, Workers } from "./workers.js";

/** What a thread has for all its jobs. */
export interface Tools {
  paths: Paths;
  kernel: Kernel;
  registry: Registry;
}

type Jobs = { [N in JobName]: (args: ArgsOf<N>, line: Line, tools: Tools) => Promise<ResultOf<N>> };

const JOBS: Jobs = {
  layer: (unpacked, line, tools) =>
    unpackLayer(unpacked, { ...line, ...tools, layers: new Layers(tools.paths, tools.kernel) }),
  ingest: ({ directory, limits }, { body, signal }) => takeIn(directory, limits, body, signal),
  receive: ({ file, unpacked }, { body, signal }) => writeTar(file, limited(decompressed(body), unpacked), signal),
  commit: ({ file, ...changes }, { signal }, { kernel }) => writeChanges(changes, file, kernel, signal),
  extract: (command, { body, signal }, tools) => extract(command, () => body, tools, signal),
  hold: ({ file, limits }, { body, signal }) => holdTar(file, body, limits, signal),
  copy: (command, { signal }, tools) => copy(command, tools, signal),
  download: (incoming, { body, signal }, tools) => download(incoming, body, tools, signal),
  choose: (selection, { signal }, tools) => choose(selection, tools, signal),
  read: (file, _line, tools) => readFileIn(file, tools),
  upload: ({ upload, known, isSecond }, { report, signal }, tools) => {
    const layers = withOne(known, tools);
    return new Uploads(layers, layerTars(layers), tools.registry).upload(upload, isSecond, report, signal);
  },
  length: async (known, _line, tools) => layerTars(withOne(known, tools)).size(known.chain),
  tar: async (known, { give, signal }, tools) => {
    for await (const piece of layerTars(withOne(known, tools)).tar(known.chain)) {
      if (signal.aborted) return;
      await give(piece);
    }
  },
};

/** Runs a job by name. The types of the table are lost between threads. */
export function doJob(name: JobName, args: unknown, line: Line, tools: Tools): Promise<unknown> {
  return (JOBS[name] as (args: unknown, line: Line, tools: Tools) => Promise<unknown>)(args, line, tools);
}

/** Jobs in the calling thread. */
export function inPlace(tools: Tools): Workers {
  return {
    run: <N extends JobName>(name: N, args: ArgsOf<N>, wants: Wants): Promise<ResultOf<N>> => {
      const { signal, report = () => {}, body = nothing, give = async () => {}, below = async () => [] } = wants;
      return doJob(name, args, { signal, report, body: body(signal), give, below }, tools) as Promise<ResultOf<N>>;
    },
    close: async () => {},
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function withOne({ chain, record }: KnownLayer, { paths, kernel }: Tools): Layers {
  return new Layers(paths, kernel, new Map([[chain, record]]));
}
