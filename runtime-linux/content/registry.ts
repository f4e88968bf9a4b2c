// What content needs of registries: the distribution protocol itself is known elsewhere.

import type { content, engine } from "../../hosts/host.js";

/** All methods reject with `HostFailure`; `interrupted` once `signal` says so. */
export interface Registry {
  resolve(command: content.Resolve, signal: AbortSignal): Promise<engine.Resolved>;
  /** In the registry's order. */
  tags(command: content.Repository, signal: AbortSignal): Promise<string[]>;
  /** A small blob, checked against digest and size. */
  blob(command: content.RegistryBlob, signal: AbortSignal): Promise<Uint8Array>;
  /** A blob as it comes, unchecked. Fails as `corrupt` when it breaks off, `unreachable` when nothing comes. */
  stream(command: content.RegistryBlob, signal: AbortSignal): Promise<{ body: AsyncIterable<Uint8Array> }>;
  /** The identity token, or empty. SECRET. */
  login(command: content.Login, signal: AbortSignal): Promise<string>;
}
