// What content needs of registries: the distribution protocol itself is known elsewhere.

import type { content, engine } from "../../hosts/shared/host.js";

/** A blob, to be read once. */
export interface BlobStream {
  /** Fails as `cut-short` when it breaks off, as `exchange` when nothing comes. */
  body: AsyncIterable<Uint8Array>;
  /** Offset in the blob of its first byte. */
  from: number;
  /** Lets go of it unread. */
  cancel(): void;
}

/** All methods reject with `HostFailure`; `interrupted` once `signal` says so. */
export interface Registry {
  resolve(command: content.Resolve, signal: AbortSignal): Promise<engine.Resolved>;
  /** In the registry's order. */
  tags(command: content.ListTags, signal: AbortSignal): Promise<string[]>;
  /** A blob, checked against digest and size. */
  blob(command: content.RegistryBlob, signal: AbortSignal): Promise<Uint8Array>;
  /** A blob as it comes, unchecked, from an offset on or, where that cannot be, from its beginning. */
  stream(command: content.RegistryBlob, signal: AbortSignal, from: number): Promise<BlobStream>;
  /** The identity token, or empty. SECRET. */
  login(command: content.Login, signal: AbortSignal): Promise<string>;
}
