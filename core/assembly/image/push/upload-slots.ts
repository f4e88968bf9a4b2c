// Which layers are being sent: five at a time over all pushes. A layer that pauses keeps its slot.

import { Task } from "../../task";

/** Docker's `max-concurrent-uploads`. */
export const UPLOADS_AT_ONCE: i32 = 5;

/** Something to send. */
export abstract class Uploading extends Task {
  /** It has a slot, until it leaves. */
  abstract begin(): void;
}

class UploadSlots {
  private readonly waiting: Uploading[] = [];
  private readonly active: Uploading[] = [];

  /** Begins the push, at once or when a slot is free. */
  queue(push: Uploading): void {
    this.waiting.push(push);
    this.proceed();
  }

  isQueued(push: Uploading): bool {
    return this.waiting.includes(push);
  }

  /** The push has ended, or was given up. */
  leave(push: Uploading): void {
    remove(this.waiting, push);
    if (remove(this.active, push)) this.proceed();
  }

  private proceed(): void {
    while (this.active.length < UPLOADS_AT_ONCE && this.waiting.length > 0) {
      const push = this.waiting.shift();
      this.active.push(push);
      push.begin();
    }
  }
}

function remove(from: Uploading[], push: Uploading): bool {
  const at = from.indexOf(push);
  if (at < 0) return false;
  from.splice(at, 1);
  return true;
}

export const uploadSlots: UploadSlots = new UploadSlots();
