// A RUN whose program is for machines of another kind.

import { hostPlatform } from "../../image/host-platform";
import { Image } from "../../image/image";
import { platformFits } from "../../image/platform";

/** Adds what the client can do to the error of a RUN on this image, if the image is for another platform. */
export function explained(why: string, image: Image | null): string {
  if (image === null) return why;
  const host = hostPlatform();
  if (platformFits(image.platform, host)) return why;
  return (
    `${why} (the image is for ${image.platform.text}, and this machine runs ${host.text}: begin the stage with ` +
    `FROM --platform=${host.text}, or let the kernel run such programs by binfmt_misc and QEMU)`
  );
}
