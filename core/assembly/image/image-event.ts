// Events of images (surface §6.4), with the image's labels.

import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { engine } from "../state";
import { Image } from "./image";

/** `actor`: id or reference. `image`: the image with the labels; null if it was removed. */
export function emitImageEvent(action: string, actor: string, name: string, image: Image | null): void {
  const event = new Event("image", action, actor, engine.now.wall);
  if (image !== null) event.labelled(image.labelKeys, image.labelValues);
  eventRing.emit(event.with("name", name));
}
