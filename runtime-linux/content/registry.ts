// What this folder needs of a registry client. The distribution protocol itself is implemented elsewhere.

import type { Begun, content, engine } from "../../hosts/shared/index.js";

/** A blob that can be read once. */
export interface BlobStream {
  /** Fails as `cut-short` if the connection breaks off, and as `exchange` if nothing arrives. */
  body: AsyncIterable<Uint8Array>;
  /** Offset of the first byte in the blob. */
  from: number;
  /** Closes it without reading the rest. */
  cancel(): void;
}

/** A file of a web server that can be read once. */
export interface WebBody {
  /** Fails as the body of a blob does. */
  body: AsyncIterable<Uint8Array>;
  /** In bytes, as the server says; 0 if it does not say. */
  size: number;
  /** Value of a header by its name in lower case; null if there is none. */
  header(name: string): string | null;
  /** Closes it without reading the rest. */
  cancel(): void;
}

/** All methods reject with `HostFailure`; with `interrupted` once `signal` is aborted. */
export interface Registry {
  resolve(command: content.Resolve, signal: AbortSignal): Promise<engine.Resolved>;
  /** In the registry's order. */
  tags(command: content.ListTags, signal: AbortSignal): Promise<string[]>;
  /** A blob whose digest and size were checked. */
  blob(command: content.RegistryBlob, signal: AbortSignal): Promise<Uint8Array>;
  /** A blob as it arrives, unchecked. It starts at an offset, or at the beginning if the registry cannot do that. */
  stream(command: content.RegistryBlob, signal: AbortSignal, from: number): Promise<BlobStream>;
  /** The identity token, or empty. SECRET. */
  login(command: content.Login, signal: AbortSignal): Promise<string>;
  /** The registry's answer, in JSON. */
  search(command: content.Search, signal: AbortSignal): Promise<Uint8Array>;
  /** Resolves if the repository has the blob. */
  find(command: content.SoughtBlob, signal: AbortSignal): Promise<void>;
  /** Resolves if the registry has taken over the blob. */
  mount(command: content.MountedBlob, signal: AbortSignal): Promise<void>;
  /** Sends a blob, whose digest may become known only with its last byte. */
  upload(to: content.Repository, layer: LayerBytes, signal: AbortSignal): Promise<void>;
  publish(command: content.Publication, signal: AbortSignal): Promise<void>;
  /** A file of a web server that is no registry. */
  download(command: content.WebFile, signal: AbortSignal): Promise<WebBody>;
}

/** A blob to send. */
export interface LayerBytes {
  /** Its bytes. Each reading begins with the first one. */
  bytes: AsyncIterable<Uint8Array>;
  /** Its digest, once all bytes have been read. */
  digest(): string;
  /** Where an earlier try has sent a part of them, to go on there; it fails if that cannot be. */
  begun?: Begun | undefined;
  /** Called before bytes are sent: where another try may go on if this engine dies. */
  reached?: (begun: Begun) => Promise<void>;
  /** Called if the connection breaks, with what another try may go on with. */
  broke?: (begun: Begun) => Promise<void>;
}
