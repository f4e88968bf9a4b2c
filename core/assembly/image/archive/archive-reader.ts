// Reads an archive and finds out which images it contains: from the
// list of `docker save`, or else from the index of an OCI image layout.

import {
  ArchivedFile,
  ContentCommandIngest,
  ContentCommandRead,
  Failure,
  FailureTag,
  Ingest,
  Outcome,
  OutcomeBytes,
  OutcomeIngested,
  ReadMember,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { FailureKind } from "../../failure/failure-kind";
import { failureText } from "../../failure/text";
import { AS_DOCUMENT } from "../../failure/thing";
import { jsonError, parseJson } from "../../json/reader";
import { Task } from "../../task";
import { hostPlatform } from "../host-platform";
import { documentLimit, tarLimits } from "../limits";
import { hasDigest } from "../digest";
import { Descriptor, Manifest, parseManifest } from "../manifest";
import { bestPlatform, Platform } from "../platform";
import { digestProblem } from "../reference";
import { ArchivedImage, blobPath, DOCKER_LIST, LAYOUT_INDEX, namesOf, readDockerList } from "./archive";

/** Waits for the content of an archive. */
export interface ArchiveOwner {
  archiveRead(images: ArchivedImage[]): void;
  archiveFailed(message: string): void;
}

enum Step {
  Ingest,
  List,
  Index,
  Manifest,
}

export class ArchiveReader extends Task {
  private readonly sizes: Map<string, u64> = new Map<string, u64>();
  private readonly images: ArchivedImage[] = [];
  /** Entries of a layout's index that are still to be read. */
  private descriptors: Descriptor[] = [];
  /** Names of the entry that is being read. */
  private tags: string[] = [];
  /** Digest of the requested document. */
  private expected: string = "";

  constructor(
    private readonly owner: ArchiveOwner,
    private readonly archive: string,
  ) {
    super();
  }

  begin(request: u64): void {
    askContent(this, Step.Ingest, new ContentCommandIngest(new Ingest(this.archive, request, tarLimits())));
  }

  /** Size of a member in bytes; 0 if there is none of that name. */
  sizeOf(path: string): u64 {
    return this.sizes.has(path) ? this.sizes.get(path) : 0;
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return this.fail(step == Step.Ingest ? brokenTar(failureText(failure)) : unreadText(failure));
    if (step == Step.Ingest) return this.takeFiles((<OutcomeIngested>outcome!).value);
    const bytes = (<OutcomeBytes>outcome!).value;
    if (step == Step.List) this.takeList(bytes);
    else if (step == Step.Index) this.takeIndex(bytes);
    else this.takeManifest(bytes);
  }

  private takeFiles(files: ArchivedFile[]): void {
    for (let i = 0; i < files.length; i++) this.sizes.set(files[i].path, files[i].size);
    if (this.sizes.has(DOCKER_LIST)) return this.read(Step.List, DOCKER_LIST);
    if (this.sizes.has(LAYOUT_INDEX)) return this.read(Step.Index, LAYOUT_INDEX);
    this.fail("invalid archive: does not contain a manifest.json");
  }

  private read(step: Step, path: string): void {
    askContent(this, step, new ContentCommandRead(new ReadMember(this.archive, path, documentLimit())));
  }

  private takeList(bytes: Uint8Array): void {
    const document = parseJson(bytes);
    if (document === null) return this.fail(jsonError());
    if (document.isNull) return this.fail("invalid manifest, manifest cannot be null (but can be [])");
    const images = readDockerList(document);
    if (images === null) return this.fail("invalid archive: manifest.json is no list of images");
    this.owner.archiveRead(images);
  }

  private takeIndex(bytes: Uint8Array): void {
    const manifest = this.parsed(bytes);
    if (manifest === null) return;
    if (!manifest.isIndex) return this.fail("invalid archive: index.json is no index");
    this.descriptors = manifest.images();
    this.lookNext();
  }

  /** Each entry of a layout's index is an image, or an index from which the entry for this machine is chosen. */
  private lookNext(): void {
    if (this.descriptors.length == 0) return this.owner.archiveRead(this.images);
    const descriptor = this.descriptors.shift();
    this.tags = namesOf(descriptor);
    this.readManifest(descriptor);
  }

  private readManifest(descriptor: Descriptor): void {
    const problem = digestProblem(descriptor.digest);
    if (problem.length > 0) return this.fail(`invalid archive: ${problem}: ${descriptor.digest}`);
    this.expected = descriptor.digest;
    this.read(Step.Manifest, blobPath(descriptor.digest));
  }

  /** The digest is checked here, since a layout may contain anything. So an index cannot refer to itself. */
  private takeManifest(bytes: Uint8Array): void {
    if (!hasDigest(bytes, this.expected)) return this.fail(otherDigest(this.expected));
    const manifest = this.parsed(bytes);
    if (manifest === null) return;
    if (manifest.isIndex) return this.choose(manifest.images());
    const image = new ArchivedImage(blobPath(manifest.config!.digest));
    image.digest = manifest.config!.digest;
    for (let i = 0; i < manifest.layers.length; i++) image.layers.push(blobPath(manifest.layers[i].digest));
    image.tags = this.tags;
    this.images.push(image);
    this.lookNext();
  }

  private choose(entries: Descriptor[]): void {
    const platforms: (Platform | null)[] = [];
    for (let i = 0; i < entries.length; i++) platforms.push(entries[i].platform);
    const at = bestPlatform(platforms, hostPlatform());
    if (at < 0) return this.fail(`no matching manifest for ${hostPlatform().text} in the manifest list entries`);
    this.readManifest(entries[at]);
  }

  private parsed(bytes: Uint8Array): Manifest | null {
    const parsed = parseManifest(bytes, "");
    if (parsed.manifest === null) this.fail(parsed.refusal!.message);
    return parsed.manifest;
  }

  private fail(message: string): void {
    this.owner.archiveFailed(message);
  }
}

/** A document of the archive is not what its digest says. */
export function otherDigest(digest: string): string {
  return `invalid archive: digest of ${digest} does not match`;
}

/** A member that was read is a document. */
export function unreadText(failure: Failure): string {
  return failureText(failure) + (failure.tag == FailureTag.TooLarge ? AS_DOCUMENT : "");
}

/** Docker unpacks in a separate process, and its text includes the exit status. */
export function brokenTar(message: string): string {
  return `Error processing tar file(exit status 1): ${message}`;
}

/** The failure lies in the tar itself, or in the lack of space for its content. */
export function isOfTar(kind: FailureKind): bool {
  return (
    kind == FailureKind.Corrupt ||
    kind == FailureKind.Invalid ||
    kind == FailureKind.Unsupported ||
    kind == FailureKind.Exhausted
  );
}
