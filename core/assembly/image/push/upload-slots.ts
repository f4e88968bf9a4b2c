// Which layers are being sent: five at a time over all pushes. A layer that pauses keeps its slot.

import { LayerPush } from "./layer-push";

/** Docker's `max-concurrent-uploads`. */
export const UPLOADS_AT_ONCE: i32 = 5;

class UploadSlots {
  private readonly waiting: LayerPush[] = [];
  private readonly active: LayerPush[] = [];

  /** Begins the push, at once or when a slot is free. */
  queue(push: LayerPush): void {
    this.waiting.push(push);
    this.proceed();
  }

  isQueued(push: LayerPush): bool {
    return this.waiting.includes(push);
  }

  /** The push has ended, or was given up. */
  leave(push: LayerPush): void {
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

function remove(from: LayerPush[], push: LayerPush): bool {
  const at = from.indexOf(push);
  if (at < 0) return false;
  from.splice(at, 1);
  return true;
}

export const uploadSlots: UploadSlots = new UploadSlots();
