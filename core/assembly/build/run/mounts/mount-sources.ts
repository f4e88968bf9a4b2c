// Where the mounts of a RUN take their files from: the context, a stage or an image. All are known before the step is
// looked for in the cache, since their digest is part of its key.

import { Chosen, Failure, MissingFiles, Noun } from "../../../../../build/bindings/types";
import { lacks } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Image } from "../../../image/image";
import { platformError } from "../../../image/platform";
import { digestOf, sha256HexOfText } from "../../../text/sha256";
import { encodeUtf8 } from "../../../text/utf8";
import { Mount, MountType } from "../../evaluation/run-mount";
import { RunStep } from "../../evaluation/step";
import { pathFrom } from "../../evaluation/work-directory";
import { Stage } from "../../stages/stage";
import { imageSearch } from "../base/base-image";
import { ImageClient } from "../base/image-search";
import { BuildFacts } from "../build-facts";
import { Wanted } from "../known-choices";
import { Place } from "../place";
import { escaped } from "../paths";
import { Choice, ChoiceClient } from "../source";
import { OpenWork } from "../work";

/** A mount, and where its files are. */
export class MountSource {
  /** The context has its files. */
  inContext: bool = false;
  /** Otherwise: the chain that has them; null for no files. */
  chain: string | null = null;
  /** Path of the files there, without a slash at its beginning; empty for all of them. */
  path: string = "";

  constructor(readonly mount: Mount) {}
}

/** Waits for the sources. */
export interface MountSourcesClient {
  /** `digest`: of all files that are mounted; empty if there are none. */
  mountsFound(sources: MountSource[], digest: string): void;
  mountsMissing(why: string): void;
}

export class MountSources implements ImageClient, ChoiceClient, OpenWork {
  private readonly found: MountSource[] = [];
  private digests: string = "";
  private work: OpenWork | null = null;
  private advancing: bool = false;
  private failed: bool = false;

  constructor(
    private readonly run: RunStep,
    private readonly stage: Stage,
    private readonly facts: BuildFacts,
    private readonly client: MountSourcesClient,
  ) {}

  /** A loop, since a RUN may have hundreds of mounts whose files are known at once. */
  begin(): void {
    if (this.advancing) return;
    this.advancing = true;
    const mounts = this.run.mounts;
    while (this.found.length < mounts.length && this.work === null && !this.failed) this.find(this.current);
    this.advancing = false;
    if (this.found.length < mounts.length || this.failed) return;
    this.client.mountsFound(this.found, this.digests.length == 0 ? "" : sha256HexOfText(this.digests));
  }

  imageFound(image: Image): void {
    this.work = null;
    this.facts.claims.claimImage(image);
    this.take(image.chain);
  }

  imageMissing(why: string): void {
    this.fail(why);
  }

  filesChosen(_place: Place, chosen: Chosen): void {
    this.work = null;
    const source = this.sourceOf(this.current);
    if (chosen.files.length != 1) return this.fail(`${MISSING}${this.current.source}`);
    source.inContext = true;
    this.keep(source, chosen.digest);
  }

  filesNotChosen(failure: Failure): void {
    const why = failureText(failure);
    this.fail(lacks(failure, Noun.Member) ? MISSING + why : `RUN failed: ${why}`);
  }

  cancel(): void {
    const work = this.work;
    if (work !== null) work.cancel();
  }

  private get current(): Mount {
    return this.run.mounts[this.found.length];
  }

  private find(mount: Mount): void {
    const takesFiles = mount.type == MountType.Bind || mount.type == MountType.Cache;
    if (mount.script.length > 0) this.keep(this.sourceOf(mount), digestOf(encodeUtf8(mount.script)));
    else if (mount.type == MountType.Bind && mount.from.length == 0) this.choose(mount);
    else if (takesFiles && mount.from.length > 0) this.findFrom(mount);
    else this.found.push(new MountSource(mount));
  }

  private fail(why: string): void {
    this.failed = true;
    this.client.mountsMissing(why);
  }

  private choose(mount: Mount): void {
    const path = this.sourceOf(mount).path;
    // The name of a mount is no pattern.
    const patterns = [isPattern(path) ? escaped(path) : path];
    const missing = new MissingFiles(this.facts.hidden, [], true);
    const choice = new Choice(this.facts.context, new Wanted(patterns, missing, false, true), this);
    this.work = choice;
    choice.begin();
  }

  private findFrom(mount: Mount): void {
    const origin = this.facts.stages.origin(mount.from, this.stage.index);
    if (origin.problem.length > 0) return this.fail(origin.problem);
    if (origin.stage < 0) return this.search(origin.image);
    if (!this.facts.stages.needed.includes(origin.stage)) {
      const why = "was not built: only a trigger of the base image needs it";
      return this.fail(`stage ${mount.from} ${why}`);
    }
    const image = this.facts.imageOf(origin.stage);
    this.take(image === null ? null : image.chain);
  }

  private search(name: string): void {
    const search = imageSearch(this.stage, this.facts, this);
    if (search === null) return this.fail(platformError());
    this.work = search;
    search.begin(name, false);
  }

  /** A chain's name says what is in its files. */
  private take(chain: string | null): void {
    const source = this.sourceOf(this.current);
    source.chain = chain;
    this.keep(source, `${chain === null ? "" : chain}/${source.path}`);
  }

  private keep(source: MountSource, digest: string): void {
    this.digests += `${source.mount.target}\n${digest}\n`;
    this.found.push(source);
    this.begin();
  }

  private sourceOf(mount: Mount): MountSource {
    const source = new MountSource(mount);
    source.path = pathFrom("/", mount.source).slice(1);
    return source;
  }
}

const MISSING: string = "RUN failed: file not found in build context or excluded by .dockerignore: ";

function isPattern(path: string): bool {
  return path.includes("*") || path.includes("?") || path.includes("[") || path.includes("\\");
}
