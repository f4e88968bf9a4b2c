// The files of web servers that an ADD takes, and their digest.

import { Chosen, Downloaded, Failure, MissingFiles } from "../../../../../build/bindings/types";
import { failureText } from "../../../failure/text";
import { WebAddress } from "../../../image/import/web-address";
import { sha256HexOfText } from "../../../text/sha256";
import { CopyStep, SourceKind } from "../../evaluation/step";
import { BuildProgress } from "../build-progress";
import { CopySource } from "../found-sources";
import { Wanted } from "../known-choices";
import { Place } from "../place";
import { Choice, ChoiceClient } from "../source";
import { OpenWork } from "../work";
import { FetchClient, Fetching } from "./fetching";
import { fileNameOf, UNNAMED } from "./file-name";

/** Waits for the files. */
export interface WebSourcesClient {
  /** `digest`: of names, modes and bytes. */
  webFound(source: CopySource, digest: string): void;
  webMissing(why: string): void;
}

export function webAddressesOf(copy: CopyStep): string[] {
  const addresses: string[] = [];
  for (let i = 0; i < copy.sources.length; i++) {
    if (copy.sources[i].kind == SourceKind.Url) addresses.push(copy.sources[i].text);
  }
  return addresses;
}

export class WebSources implements FetchClient, ChoiceClient, OpenWork {
  private readonly addresses: string[];
  private readonly names: string[] = [];
  private work: OpenWork | null = null;

  /** `place`: gets the files; it is not mounted yet. */
  constructor(
    private readonly copy: CopyStep,
    private readonly place: Place,
    private readonly stream: BuildProgress,
    private readonly client: WebSourcesClient,
  ) {
    this.addresses = webAddressesOf(copy);
  }

  begin(): void {
    const work = new Fetching(this.addresses.length, this.place, this);
    this.work = work;
    work.begin();
  }

  addressAt(at: i32): WebAddress {
    return new WebAddress(this.addresses[at]);
  }

  fetchMoved(at: i32, current: u64, total: u64): void {
    if (current > 0 || total > 0) this.stream.amount("Downloading", "", at.toString(), current, total);
  }

  fileFetched(): void {
    this.stream.note("\n");
  }

  fetched(files: Downloaded[]): void {
    for (let i = 0; i < files.length; i++) {
      const problem = this.take(this.addresses[i], files[i]);
      if (problem.length > 0) return this.client.webMissing(problem);
    }
    const patterns: string[] = [];
    for (let i = 0; i < files.length; i++) patterns.push(i.toString());
    const choice = new Choice(this.place, new Wanted(patterns, this.missing, false, false), this);
    this.work = choice;
    choice.begin();
  }

  notFetched(why: string, _failure: Failure | null): void {
    this.client.webMissing(why);
  }

  filesChosen(place: Place, chosen: Chosen): void {
    const digest = sha256HexOfText(`${this.names.join("\n")}\n${chosen.digest}`);
    const source = new CopySource(place, chosen.files, this.missing, this.names, this.copy.unpackUrls);
    this.client.webFound(source, this.names.length == 1 ? digest : `multi:${digest}`);
  }

  filesNotChosen(failure: Failure): void {
    this.client.webMissing(failureText(failure));
  }

  cancel(): void {
    const work = this.work;
    if (work !== null) work.cancel();
  }

  private get missing(): MissingFiles {
    return new MissingFiles([], [], false);
  }

  /** Why the file cannot be taken; empty if it can. */
  private take(address: string, file: Downloaded): string {
    const wanted = this.copy.checksum;
    if (wanted.length > 0 && file.digest != wanted) return `digest mismatch ${file.digest}: ${wanted}`;
    const name = fileNameOf(withoutQuery(address), file.disposition);
    if (name.length == 0 && this.copy.destination.endsWith("/")) {
      return `cannot determine filename for source ${address}`;
    }
    this.names.push(name.length == 0 ? UNNAMED : name);
    return "";
  }
}

function withoutQuery(address: string): string {
  for (let i = 0; i < address.length; i++) if ("?#".includes(address.charAt(i))) return address.slice(0, i);
  return address;
}
