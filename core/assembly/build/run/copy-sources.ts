// Where a COPY or an ADD takes its files from, and which ones it takes: of the context or another image, of web servers,
// and of git repositories.

import { Chosen, Failure, MissingFiles, Noun } from "../../../../build/bindings/types";
import { lacks } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Image } from "../../image/image";
import { platformError } from "../../image/platform";
import { sha256HexOfText } from "../../text/sha256";
import { DirectoryClient } from "../client-directories";
import { CopyStep } from "../evaluation/step";
import { Stage } from "../stages/stage";
import { imageSearch } from "./base/base-image";
import { ImageClient } from "./base/image-search";
import { BuildFacts } from "./build-facts";
import { contentsOf, copyDigest, keepsOwners, labelOf, missingIn, patternsOf } from "./copy-wish";
import { CopySource, FoundSources } from "./found-sources";
import { Wanted } from "./known-choices";
import { Place } from "./place";
import { Choice, ChoiceClient } from "./source";
import { GitSources, gitAddressesOf } from "./web/git-sources";
import { WebSources, WebSourcesClient, webAddressesOf } from "./web/web-sources";
import { OpenWork } from "./work";

/** Waits for the files. */
export interface SourcesClient {
  /** The client drops what was found. */
  sourcesFound(found: FoundSources): void;
  sourcesMissing(why: string): void;
}

export class CopySources implements ImageClient, ChoiceClient, WebSourcesClient, DirectoryClient, OpenWork {
  private work: OpenWork | null = null;
  private found: FoundSources = new FoundSources();
  /** Of the files of the context or the other image; empty if there are none. */
  private label: string = "";
  private hasCloned: bool = false;

  constructor(
    private readonly copy: CopyStep,
    private readonly stage: Stage,
    private readonly facts: BuildFacts,
    private readonly client: SourcesClient,
  ) {}

  begin(): void {
    const copy = this.copy;
    if (patternsOf(copy).length == 0) return this.fetch();
    if (copy.from.length == 0) return this.chooseInContext();
    if (this.stage.directory.length > 0) return this.fetchDirectory();
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
    this.facts.claims.claimImage(image);
    this.chooseFrom(image.chain);
  }

  imageMissing(why: string): void {
    this.fail(`invalid from flag value ${this.copy.from}: ${why}`);
  }

  directoryMoved(bytes: u64): void {
    this.facts.streamOf(this.stage.index).moved(bytes);
  }

  directoryCame(place: Place): void {
    this.choose(place);
  }

  directoryMissing(why: string): void {
    this.fail(why);
  }

  filesChosen(place: Place, chosen: Chosen): void {
    const copy = this.copy;
    const fetched = webAddressesOf(copy).length + gitAddressesOf(copy).length;
    const count = chosen.files.length + contentsOf(copy).length + fetched;
    if (count == 0) return this.failed("no source files were specified");
    const problem = copy.destinationProblem(count);
    if (problem.length > 0) return this.fail(problem);
    this.label = labelOf(chosen, count) + chosen.digest.slice("sha256:".length);
    this.found.sources.push(new CopySource(place, chosen.files, this.missing, [], copy.unpack));
    this.fetch();
  }

  filesNotChosen(failure: Failure): void {
    if (!lacks(failure, Noun.Member)) return this.failed(failureText(failure));
    this.failed(`file not found in build context or excluded by .dockerignore: ${failureText(failure)}`);
  }

  webFound(source: CopySource, digest: string): void {
    const before = this.label;
    this.label = before.length == 0 ? digest : `multi:${sha256HexOfText(`${before}\n${digest}`)}`;
    this.found.sources.push(source);
    this.clone();
  }

  webMissing(why: string): void {
    this.failed(why);
  }

  cancel(): void {
    const work = this.work;
    if (work !== null) work.cancel();
    this.found.drop();
  }

  private get missing(): MissingFiles {
    return missingIn(this.copy, this.facts.hidden);
  }

  private search(name: string): void {
    const search = imageSearch(this.stage, this.facts, this);
    if (search === null) return this.fail(platformError());
    this.work = search;
    search.begin(name, false);
  }

  private chooseInContext(): void {
    if (!this.facts.hasContext) return this.failed("missing build context");
    this.choose(this.facts.context);
  }

  private fetchDirectory(): void {
    const directories = this.facts.directories;
    if (directories === null) return this.failed("no local sources enabled");
    const place = new Place(null);
    this.found.own(place);
    this.facts.streamOf(this.stage.index).transfers(this.stage.directory);
    this.work = directories.fetch(this.stage.directory, place, this);
  }

  private chooseFrom(chain: string | null): void {
    const place = new Place(chain);
    this.found.own(place);
    this.choose(place);
  }

  private choose(place: Place): void {
    const copy = this.copy;
    const wanted = new Wanted(patternsOf(copy), this.missing, copy.parents, keepsOwners(copy));
    const choice = new Choice(place, wanted, this);
    this.work = choice;
    choice.begin();
  }

  private fetch(): void {
    if (webAddressesOf(this.copy).length == 0) return this.clone();
    const place = new Place(null);
    this.found.own(place);
    const work = new WebSources(this.copy, place, this.facts.streamOf(this.stage.index), this);
    this.work = work;
    work.begin();
  }

  private clone(): void {
    if (this.hasCloned || gitAddressesOf(this.copy).length == 0) return this.finish();
    this.hasCloned = true;
    const place = new Place(null);
    this.found.own(place);
    const work = new GitSources(this.copy, place, this);
    this.work = work;
    work.begin();
  }

  private finish(): void {
    const found = this.found;
    this.found = new FoundSources();
    found.digest = copyDigest(this.copy, this.label);
    this.client.sourcesFound(found);
  }

  private failed(why: string): void {
    this.fail(`${this.copy.isAdd ? "ADD" : "COPY"} failed: ${why}`);
  }

  private fail(why: string): void {
    this.found.drop();
    this.client.sourcesMissing(why);
  }
}
