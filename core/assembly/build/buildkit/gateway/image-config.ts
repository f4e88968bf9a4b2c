// LLBBridge.ResolveImageConfig: the config of an image that is here, or else of one in a registry. Its layers are not fetched.

import { Credentials, Failure, Outcome } from "../../../../../build/bindings/types";
import { Call } from "../../../call";
import { hostPlatform } from "../../../image/host-platform";
import { Image } from "../../../image/image";
import { Platform, platformFits } from "../../../image/platform";
import { ProgressStream } from "../../../image/progress-stream";
import { ConfigReader, Pull, PullOwner } from "../../../image/pull/pull-task";
import { parseReference, Reference, referenceError } from "../../../image/reference";
import { imageStore } from "../../../image/store";
import { Json } from "../../../json/json";
import { JsonWriter } from "../../../json/writer";
import { Refusal, RefusalKind } from "../../../refusal";
import { CredentialsClient, CredentialsSource } from "../../credentials";
import { OpenWork } from "../../run/work";
import { CallError, Code, notBuilt, objectIn, unknownError } from "../grpc-reply";
import { Question } from "./question";

/** `ResolveMode` of a client that wants the registry's image (moby/buildkit, solver/pb/attr.go). */
const PULL = "pull";
/** `ResolverType` of registries; the other one is of layouts in a store of the client's. */
const REGISTRY: i64 = 0;

export class ImageConfig extends Question implements CredentialsClient, PullOwner, ConfigReader {
  private readonly name: string;
  private readonly always: bool;
  private readonly resolver: i64;
  private readonly platform: Platform;
  private asking: OpenWork | null = null;
  private pull: Pull | null = null;

  constructor(
    call: Call,
    message: Json,
    private readonly credentials: CredentialsSource,
  ) {
    super(call);
    this.name = message.stringOf("Ref");
    this.always = message.stringOf("ResolveMode") == PULL;
    this.resolver = message.i64Of("ResolverType");
    this.platform = platformIn(objectIn(message, "Platform"));
  }

  /** It asks the host for nothing itself. */
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  credentialsFound(credentials: Credentials | null): void {
    this.asking = null;
    const stream = new ProgressStream(this.call);
    stream.quiet = true;
    const pull = new Pull(stream, this, this.reference(), this.platform, false, credentials);
    this.pull = pull;
    pull.beginWith(this);
  }

  credentialsMissing(why: string): void {
    this.asking = null;
    this.fail(unknownError(why));
  }

  configRead(image: Image): void {
    const digest = this.pull!.digest;
    this.pull = null;
    this.tell(image, digest);
  }

  pullPauses(): void {}

  /** Only the config is asked for. */
  pulled(_image: Image): void {}

  notPulled(refusal: Refusal): void {
    this.pull = null;
    if (this.isOver) return;
    const code = refusal.kind == RefusalKind.NotFound ? Code.NotFound : Code.Unknown;
    this.fail(new CallError(code, refusal.message));
  }

  protected ask(): void {
    if (this.resolver != REGISTRY) return this.fail(notBuilt("the config of an image in a layout"));
    const local = imageStore.lookUp(this.name).image;
    // Without a digest, as Docker's BuildKit tells it: an image of the store may have none of a manifest.
    if (!this.always && local !== null && platformFits(local.platform, this.platform)) return this.tell(local, "");
    const named = parseReference(this.name);
    if (named === null) return this.fail(unknownError(referenceError()));
    this.asking = this.credentials.find(named.withDefaultTag(), this);
  }

  protected giveUp(): void {
    const asking = this.asking;
    this.asking = null;
    if (asking !== null) asking.cancel();
    const pull = this.pull;
    this.pull = null;
    if (pull !== null) pull.clientGone();
  }

  private reference(): Reference {
    return parseReference(this.name)!.withDefaultTag();
  }

  private tell(image: Image, digest: string): void {
    const json = new JsonWriter().beginObject();
    if (digest.length > 0) json.stringField("Digest", digest);
    json.key("Config").base64(image.config);
    json.stringField("Ref", this.name);
    this.answer(json.endObject());
  }
}

/** The machine's if the client names none. */
function platformIn(given: Json): Platform {
  const os = given.stringOf("OS");
  const architecture = given.stringOf("Architecture");
  if (os.length == 0 || architecture.length == 0) return hostPlatform();
  return new Platform(os, architecture, given.stringOf("Variant")).normalised();
}
