// The parameter `platform` of inspect, history, save and load, and `platforms` of a removal: one or several platforms as
// JSON documents (surface §2.3, §3).

import { Call } from "../call";
import { parseJson } from "../json/reader";
import { badParameter, notFound, Refusal } from "../refusal";
import { encodeUtf8 } from "../text/utf8";
import { Image } from "./image";
import { Platform, platformError, readPlatform } from "./platform";

/** From the first of these versions on, history, save and load have it; from the second on, it may be repeated. */
export const WITH_PLATFORM: i32 = 48;
const WITH_PLATFORMS: i32 = 52;

/** The requested platforms, or the reason for refusing them. */
export class WantedPlatforms {
  readonly all: Platform[] = [];
  refusal: Refusal | null = null;

  /** `linux/amd64, linux/arm64` */
  get text(): string {
    const texts: string[] = [];
    for (let i = 0; i < this.all.length; i++) texts.push(this.all[i].text);
    return texts.join(", ");
  }

  /** Whether one of them is exactly this platform; true if none was requested. */
  admits(platform: Platform): bool {
    for (let i = 0; i < this.all.length; i++) {
      if (this.all[i].equals(platform)) return true;
    }
    return this.all.length == 0;
  }

  add(text: string): void {
    const document = parseJson(encodeUtf8(text));
    if (document === null) {
      this.refusal = badParameter("failed to parse platform");
      return;
    }
    const platform = readPlatform(document);
    if (platform === null) this.refusal = badParameter(platformError());
    else this.all.push(platform);
  }
}

/** For save and load. */
export function wantedPlatforms(call: Call): WantedPlatforms {
  const wanted = new WantedPlatforms();
  if (call.version < WITH_PLATFORM) return wanted;
  const texts = call.query.all("platform");
  for (let i = 0; i < texts.length && wanted.refusal === null; i++) {
    if (texts[i].length > 0) wanted.add(texts[i]);
  }
  if (texts.length > 1 && call.version < WITH_PLATFORMS) {
    wanted.refusal = badParameter("multiple platform parameters not supported");
  }
  return wanted;
}

/** For inspect and history: the image must be exactly for the requested platform, if there is one. */
export function refuseOtherPlatform(call: Call, image: Image): Refusal | null {
  const wanted = new WantedPlatforms();
  const text = call.query.first("platform");
  if (text.length > 0) wanted.add(text);
  if (wanted.refusal !== null || wanted.admits(image.platform)) return wanted.refusal;
  return otherPlatform(call.name, wanted.text, image);
}

/** `name`: the client's, of the image. `wanted`: the platform that it is not for. */
export function otherPlatform(name: string, wanted: string, image: Image): Refusal {
  return notFound(
    `image with reference ${name} was found but does not match the specified platform: ` +
      `wanted ${wanted}, actual: ${image.platform.text}`,
  );
}
