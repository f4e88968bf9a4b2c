// The options `context:NAME` and `context:NAME::PLATFORM` of the frontend `dockerfile.v0`: named contexts
// (moby/buildkit, frontend/dockerui/namedcontext.go).

import { Json } from "../../../json/json";
import { hostPlatform } from "../../../image/host-platform";
import { parsePlatform, Platform, platformFits } from "../../../image/platform";
import { isGitContext } from "../../run/web/git-address";
import { NamedContext } from "../../stages/named-context";
import { familiarContext } from "../../stages/stage-names";
import { CallError, notBuilt, unknownError } from "../grpc-reply";
import { imageOfInput } from "../results";

const PREFIX = "context:";
const PLATFORM = "::";
const IMAGE = "docker-image:";
const DIRECTORY = "local:";
const LAYOUT = "oci-layout:";
const RESULT = "input:";
const NO_ADDRESS: string[] = [IMAGE, DIRECTORY, LAYOUT];
const GITHUB = "github.com/";

export function isContextOption(key: string): bool {
  return key.startsWith(PREFIX);
}

/** Whether it may name a user, a password or a query. The digest of an image begins with `@`, too. */
export function mayNameSecrets(value: string): bool {
  for (let i = 0; i < NO_ADDRESS.length; i++) if (value.startsWith(NO_ADDRESS[i])) return false;
  return value.includes("@") || value.includes("?");
}

export class ContextOptions {
  private readonly common: NamedContext[] = [];
  private readonly special: NamedContext[] = [];
  /** By the same index: of `special`. */
  private readonly platforms: string[] = [];

  /** Returns why it cannot be had. */
  take(key: string, value: string, inputs: Json): CallError | null {
    const shown = key.slice(PREFIX.length);
    const colons = shown.indexOf(PLATFORM);
    const name = colons < 0 ? shown : shown.slice(0, colons);
    const context = new NamedContext(familiarContext(name.toLowerCase()), shown);
    if (colons < 0) {
      this.common.push(context);
    } else {
      this.special.push(context);
      this.platforms.push(shown.slice(colons + PLATFORM.length));
    }
    return read(context, value, inputs);
  }

  /** Those of a build for this platform, null for the machine's. One that names it comes before one that names none. */
  chosen(platform: Platform | null): NamedContext[] {
    const wanted = platform === null ? hostPlatform() : platform;
    const contexts: NamedContext[] = [];
    for (let i = 0; i < this.special.length; i++) {
      const own = parsePlatform(this.platforms[i], hostPlatform());
      if (own !== null && platformFits(own, wanted)) contexts.push(this.special[i]);
    }
    return contexts.concat(this.common);
  }
}

function read(context: NamedContext, value: string, inputs: Json): CallError | null {
  const shown = context.shown;
  if (value.startsWith(IMAGE)) context.image = withoutSlashes(value.slice(IMAGE.length));
  else if (value.startsWith(DIRECTORY)) context.directory = value.slice(DIRECTORY.length);
  else if (isGitContext(value)) takeRepository(context, value);
  else if (value.startsWith("http://") || value.startsWith("https://")) context.address = value;
  else if (value.startsWith("*")) return notBuilt(`the context ${shown} at an address with a user or a query`);
  else if (value.startsWith(LAYOUT)) return notBuilt(`the context ${shown} in an OCI layout`);
  else if (value.startsWith(RESULT)) return takeResult(context, imageOfInput(inputs, value.slice(RESULT.length)));
  else return unknownError(unsupported(shown, value));
  return null;
}

/** `image`: empty if the client names none of ours. */
function takeResult(context: NamedContext, image: string): CallError | null {
  context.image = image;
  if (image.length > 0) return null;
  return unknownError(
    `the context ${context.shown} is no result of a build of this engine, or it was pruned: build it again`,
  );
}

function takeRepository(context: NamedContext, value: string): void {
  context.address = value.startsWith(GITHUB) ? `https://${value}` : value;
  context.isRepository = true;
}

function unsupported(shown: string, value: string): string {
  const colon = value.indexOf(":");
  if (colon < 0) return `invalid context specifier ${value} for ${shown}`;
  return `unsupported context source ${value.slice(0, colon)} for ${shown}`;
}

function withoutSlashes(text: string): string {
  return text.startsWith("//") ? text.slice(2) : text;
}
