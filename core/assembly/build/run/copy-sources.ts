// Where a COPY or an ADD takes its files from, and which ones it takes.

import { Chosen, ChosenFile, Failure, Noun } from "../../../../build/bindings/types";
import { lacks } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Image } from "../../image/image";
import { platformError } from "../../image/platform";
import { CopyStep } from "../evaluation/step";
import { Stage } from "../stages/stage";
import { ImageClient, imageSearch } from "./base-image";
import { BuildFacts } from "./build-facts";
import { contentsOf, copyDigest, keepsOwners, labelOf, missingIn, patternsOf } from "./copy-wish";
import { Place } from "./place";
import { Choice, ChoiceClient } from "./source";
import { OpenWork } from "./work";

/** Waits for the files. */
export interface SourcesClient {
  /**
   * `foreign`: where another image's files are, which the client drops; null for the context. `digest`: of all that is
   * copied, for history and cache.
   */
  sourcesFound(foreign: Place | null, files: ChosenFile[], digest: string): void;
  sourcesMissing(why: string): void;
}

export class CopySources implements ImageClient, ChoiceClient, OpenWork {
  private work: OpenWork | null = null;
  private foreign: Place | null = null;

  constructor(
    private readonly copy: CopyStep,
    private readonly stage: Stage,
    private readonly facts: BuildFacts,
    private readonly client: SourcesClient,
  ) {}

  begin(): void {
    const copy = this.copy;
    if (patternsOf(copy).length == 0) return this.client.sourcesFound(null, [], copyDigest(copy, ""));
    if (copy.from.length == 0) return this.choose(this.facts.context, true);
    const origin = this.facts.stages.origin(copy.from, this.stage.index);
    if (origin.problem.length > 0) return this.fail(origin.problem);
    if (origin.stage < 0) return this.search(origin.image);
    if (!this.facts.stages.needed.includes(origin.stage)) {
      return this.fail(`stage ${copy.from} was not built: only a trigger of the base image needs it`);
    }
    const image = this.facts.imageOf(origin.stage);
    this.chooseFrom(image === null ? null : image.chain);
  }

  imageFound(image: Image): void {
    this.facts.claims.claimStack(image.chain);
    this.chooseFrom(image.chain);
  }

  imageMissing(why: string): void {
    this.fail(why);
  }

  filesChosen(_place: Place, chosen: Chosen): void {
    const copy = this.copy;
    const count = chosen.files.length + contentsOf(copy).length;
    if (count == 0) return this.failed("no source files were specified");
    const problem = copy.destinationProblem(count);
    if (problem.length > 0) return this.fail(problem);
    const foreign = this.foreign;
    this.foreign = null;
    const files = labelOf(chosen, count) + chosen.digest.slice("sha256:".length);
    this.client.sourcesFound(foreign, chosen.files, copyDigest(copy, files));
  }

  filesNotChosen(failure: Failure): void {
    if (!lacks(failure, Noun.Member)) return this.failed(failureText(failure));
    this.failed(`file not found in build context or excluded by .dockerignore: ${failureText(failure)}`);
  }

  cancel(): void {
    const work = this.work;
    if (work !== null) work.cancel();
    this.leave();
  }

  private search(name: string): void {
    const search = imageSearch(this.stage, this.facts, this);
    if (search === null) return this.fail(platformError());
    this.work = search;
    search.begin(name, false);
  }

  private chooseFrom(chain: string | null): void {
    const place = new Place(chain);
    this.foreign = place;
    this.choose(place, false);
  }

  private choose(place: Place, mounted: bool): void {
    const copy = this.copy;
    const missing = missingIn(copy, this.facts.hidden);
    const choice = new Choice(place, patternsOf(copy), missing, copy.parents, keepsOwners(copy), this);
    this.work = choice;
    choice.begin(mounted);
  }

  private failed(why: string): void {
    this.fail(`${this.copy.isAdd ? "ADD" : "COPY"} failed: ${why}`);
  }

  private fail(why: string): void {
    this.leave();
    this.client.sourcesMissing(why);
  }

  private leave(): void {
    const place = this.foreign;
    this.foreign = null;
    if (place !== null) place.drop();
  }
}
