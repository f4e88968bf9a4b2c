// Which image of an index is pulled, and whether its config is the one that its manifest promises (surface §4.1, §4.6).

import { engine } from "../../state";
import { admitImage, Image, ParsedImage } from "../image";
import { hasDigest } from "../digest";
import { sizeProblem } from "../limits";
import { Manifest } from "../manifest";
import { bestPlatform, Platform } from "../platform";

/** Of the manifest, or of another index, that fits the platform best; empty if none does. */
export function digestFor(index: Manifest, platform: Platform): string {
  const images = index.images();
  const platforms: (Platform | null)[] = [];
  for (let i = 0; i < images.length; i++) platforms.push(images[i].platform);
  const at = bestPlatform(platforms, platform);
  return at < 0 ? "" : images[at].digest;
}

/** The image with this config, or why it cannot be pulled. */
export function pulledImage(config: Uint8Array, manifest: Manifest): ParsedImage {
  const parsed = admitImage(config, "invalid rootfs in image configuration");
  const image = parsed.image;
  if (image === null) return parsed;
  const problem = problemOf(image, config, manifest);
  return problem.length > 0 ? new ParsedImage(null, problem) : parsed;
}

function problemOf(image: Image, config: Uint8Array, manifest: Manifest): string {
  const digest = manifest.config!.digest;
  if (!hasDigest(config, digest)) return `image config verification failed for digest ${digest}`;
  const tooLarge = sizeProblem(manifest.layers);
  if (tooLarge.length > 0) return tooLarge;
  if (image.layers.length != manifest.layers.length) return "layers from manifest don't match image configuration";
  if (image.os.length == 0 || image.os == engine.options.machine.os) return "";
  return `image operating system "${image.os}" cannot be used on this platform: operating system is not supported`;
}
