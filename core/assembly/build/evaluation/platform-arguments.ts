// Predefined build arguments about platforms: `FROM --platform=$BUILDPLATFORM`, `ARG TARGETARCH`.

import { Platform } from "../../image/platform";
import { BuildArguments } from "./build-arguments";

/** `target`: what is built for; `own`: the machine's. A client may give other values. */
export function declarePlatforms(given: BuildArguments, target: Platform, own: Platform): void {
  declareParts(given, "TARGET", target);
  declareParts(given, "BUILD", own);
}

function declareParts(given: BuildArguments, prefix: string, platform: Platform): void {
  given.declareGlobal(`${prefix}PLATFORM`, platform.text);
  given.declareGlobal(`${prefix}OS`, platform.os);
  given.declareGlobal(`${prefix}ARCH`, platform.architecture);
  given.declareGlobal(`${prefix}VARIANT`, platform.variant);
}
