// The files of git repositories that an ADD takes, and their digest: a commit's id says what is in it.

import { Chosen, ChosenFile, Failure, MissingFiles } from "../../../../../build/bindings/types";
import { failureText } from "../../../failure/text";
import { sha256HexOfText } from "../../../text/sha256";
import { CopyStep, SourceKind } from "../../evaluation/step";
import { CopySource } from "../found-sources";
import { Wanted } from "../known-choices";
import { escaped } from "../paths";
import { Place } from "../place";
import { Choice, ChoiceClient } from "../source";
import { OpenWork } from "../work";
import { Cloning, CloningClient } from "./cloning";
import { GitAddress } from "./git-address";
import { WebSourcesClient } from "./web-sources";

export function gitAddressesOf(copy: CopyStep): string[] {
  const addresses: string[] = [];
  for (let i = 0; i < copy.sources.length; i++) {
    if (copy.sources[i].kind == SourceKind.Git) addresses.push(copy.sources[i].text);
  }
  return addresses;
}

export class GitSources implements CloningClient, ChoiceClient, OpenWork {
  private readonly addresses: GitAddress[] = [];
  private digest: string = "";
  private work: OpenWork | null = null;

  /** `place`: gets the files; it is not mounted yet. */
  constructor(
    private readonly copy: CopyStep,
    private readonly place: Place,
    private readonly client: WebSourcesClient,
  ) {
    const addresses = gitAddressesOf(copy);
    for (let i = 0; i < addresses.length; i++) this.addresses.push(new GitAddress(addresses[i]));
  }

  begin(): void {
    const work = new Cloning(this.addresses, this.copy.keepGit, this.place, this);
    this.work = work;
    work.begin();
  }

  cloned(commits: string[]): void {
    const patterns: string[] = [];
    let text = this.copy.keepGit ? "with .git" : "";
    for (let i = 0; i < commits.length; i++) {
      const directory = this.addresses[i].directory;
      text += `\n${commits[i]} ${directory}`;
      patterns.push(directory.length == 0 ? i.toString() : `${i.toString()}/${directory}`);
    }
    this.digest = `${commits.length == 1 ? "dir" : "multi"}:${sha256HexOfText(text)}`;
    const wanted = new Wanted(
      patterns.map<string>((path: string) => escaped(path)),
      NOTHING,
      false,
      false,
    );
    const choice = new Choice(this.place, wanted, this);
    this.work = choice;
    choice.begin();
  }

  notCloned(why: string): void {
    this.client.webMissing(why);
  }

  filesChosen(place: Place, chosen: Chosen): void {
    const missing = new MissingFiles([], this.copy.excluded, false);
    this.client.webFound(new CopySource(place, chosen.files, missing, [], false), this.digest);
  }

  filesNotChosen(failure: Failure): void {
    this.client.webMissing(failureText(failure));
  }

  cancel(): void {
    const work = this.work;
    if (work !== null) work.cancel();
  }
}

const NOTHING: MissingFiles = new MissingFiles([], [], false);
