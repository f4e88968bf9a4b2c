// What the client of a build has and keeps to itself: secrets. None of them enters the core: it names each, and the host holds it.

import { Mount } from "./evaluation/run-mount";
import { Place } from "./run/place";
import { OpenWork } from "./run/work";

/** Waits for a secret. */
export interface SecretClient {
  secretHeld(): void;
  secretMissing(): void;
  /** It may be there, but cannot be had. */
  secretFailed(why: string): void;
}

/** Whom to ask for them. */
export abstract class ClientSecrets {
  /** `place`: becomes the secret that the mount is for. The client is told later, never at once. */
  abstract hold(mount: Mount, place: Place, client: SecretClient): OpenWork;

  /** Whether there are any. */
  abstract get areOffered(): bool;
}
