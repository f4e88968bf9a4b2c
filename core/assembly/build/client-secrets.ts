// What the client of a build has and keeps to itself: secrets and ssh agents. None of them enters the core: it names each, and
// the host holds it, or forwards what is said to it.

import { Mount, MountType } from "./evaluation/run-mount";
import { Place } from "./run/place";
import { OpenWork } from "./run/work";

/** Waits for what a mount is for. */
export interface SecretClient {
  secretHeld(): void;
  /** `why`: what to say if the step cannot do without it. */
  secretMissing(why: string): void;
  /** It may be there, but cannot be had. */
  secretFailed(why: string): void;
}

/** Whom to ask for them. */
export abstract class ClientSecrets {
  /** `place`: becomes the secret or the agent that the mount is for. The client is told later, never at once. */
  abstract hold(mount: Mount, place: Place, client: SecretClient): OpenWork;

  /** Whether there are any of this type. */
  abstract offers(type: MountType): bool;
}

/** What to say of one that is not there, as BuildKit does. */
export function lackOf(mount: Mount): string {
  return mount.type == MountType.Ssh
    ? `no SSH key "${mount.id}" forwarded from the client`
    : `secret ${mount.id}: not found`;
}
