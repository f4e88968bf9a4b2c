// A RUN whose program is for machines of another kind.

import { hostPlatform } from "../../image/host-platform";
import { Image } from "../../image/image";
import { platformFits } from "../../image/platform";

/** What execve(2) says of such a program. */
const FORMAT_ERROR = "exec format error";
/**
 * Exit codes of a program that cannot be run: crun's, that of a shell (POSIX, Shell Command Language, 2.8.2), runc's. Only
 * the log says why.
 */
const NOT_RUN: i32[] = [1, 126, 255];

/**
 * Adds what the client can do to the error of a RUN on this image, if the image is for another platform and this may be
 * why. `code`: exit code of the program that failed; 0 if none did.
 */
export function explained(why: string, code: i32, image: Image | null): string {
  if (image === null || (!NOT_RUN.includes(code) && !why.toLowerCase().includes(FORMAT_ERROR))) return why;
  const host = hostPlatform();
  if (platformFits(image.platform, host)) return why;
  return (
    `${why} (it may be because the image is for ${image.platform.text}, and this machine runs ${host.text}: begin the stage ` +
    `with FROM --platform=${host.text}, or let the kernel run such programs by binfmt_misc and QEMU)`
  );
}
