// Who does jobs for the engine's thread: threads beside it (`threads.ts`), or that thread itself (`jobs.ts`).

import type { Report, content, engine } from "../../../hosts/shared/index.js";
import type { Arrived, Incoming } from "../../../hosts/streams/copying/index.js";
import type { TarLimits } from "../../../hosts/streams/tar/index.js";
import type { Changes } from "../commit.js";
import type { Arrival } from "../held/held-tar.js";
import type { LayerRecord } from "../layers/layers.js";

/** Rejects with a `HostFailure`, or with any error if the job was done in the calling thread. */
export interface Workers {
  run<N extends JobName>(name: N, args: ArgsOf<N>, wants: Wants): Promise<ResultOf<N>>;
  close(): Promise<void>;
}

/** All jobs, with their arguments and results. */
export interface JobTypes {
  /** Fetches and unpacks a layer. */
  layer: { args: Unpacked; result: Made };
  /** Puts an archive's members into an empty directory, and returns them. */
  ingest: { args: { directory: string; limits: TarLimits }; result: engine.ArchivedFile[] };
  /** Writes a tar to a new file, and returns its DiffID. */
  receive: { args: { file: string; unpacked: bigint }; result: string };
  /** Writes the tar of an upper directory to a new file. */
  commit: { args: Changes & { file: string }; result: engine.Committed };
  /** Unpacks an archive into a container's files. */
  extract: { args: Extraction; result: void };
  /** Keeps the tar of a build's context as a new file. */
  hold: { args: { file: string; limits: TarLimits }; result: Arrival };
  /** Copies files between containers. What the layer of the copy is, if it became a tar; null if the files are there. */
  copy: { args: Copying; result: engine.Committed | null };
  /** Puts the bytes of a web server's file among a container's files. */
  download: { args: Incoming; result: Arrived };
  choose: { args: content.Selection; result: engine.Chosen };
  /** Reads a file of a build's context. */
  read: { args: content.ReadFile; result: Uint8Array };
  /** `isSecond`: the same layer is being sent there already. */
  upload: { args: { upload: content.Upload; known: KnownLayer; isSecond: boolean }; result: engine.SentBlob };
  /** Counts the bytes of the tar of a layer. */
  length: { args: KnownLayer; result: number };
  /** Gives the tar of a layer. */
  tar: { args: KnownLayer; result: void };
}

export type JobName = keyof JobTypes;
export type ArgsOf<N extends JobName> = JobTypes[N]["args"];
export type ResultOf<N extends JobName> = JobTypes[N]["result"];

/** A layer to unpack into an empty draft. */
export interface Unpacked {
  layer: content.Layer;
  draft: string;
  /** The file of the archive's member; null if it is a blob. */
  member: Uint8Array | null;
  /** A directory with the same files, which the layer may take: nobody needs them there any more. Null if there is none. */
  spent: string | null;
  /** The blob that is kept for another layer is taken. */
  reuses: boolean;
}

/** `tar`: a new file for the copy as the tar of a layer, if nothing else is needed. Null: the files are put into the container. */
export interface Copying {
  command: content.Copy;
  tar: string | null;
}

/** `made`: as in `ExtractHow`. */
export type Extraction = content.Extract & { made?: bigint };

/** What is to be recorded of an unpacked layer. `file`: that of its blob; null if it came from no blob. */
export type Made = Pick<LayerRecord, "size" | "tar"> & { file: string | null };

/** A complete layer, as the engine knows it. */
export interface KnownLayer {
  chain: string;
  record: LayerRecord;
}

/** What joins one job to the engine. */
export interface Line {
  signal: AbortSignal;
  report: Report;
  /** Bytes for the job: a request's body, or a file of a web server. They are fetched when they are read. */
  body: AsyncIterable<Uint8Array>;
  /** Hands on bytes of the job. The piece may be changed after this has resolved. */
  give(piece: Uint8Array): Promise<void>;
  /** Directories of the layers below the one that the job unpacks, the top first, once all of them are complete. */
  below(): Promise<string[]>;
}

/** What the engine gives to a job. What is missing, the job does not ask for. */
export interface Wants {
  signal: AbortSignal;
  report?: Report;
  /** `signal` is aborted once the job is over. */
  body?: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** The memory of the body's pieces may be given to the job. */
  isOwn?: boolean;
  give?: Line["give"];
  below?: Line["below"];
}
