// What a COPY or an ADD copies, and where to.

import { Chosen, MissingFiles, ModeChange } from "../../../../build/bindings/types";
import { Box } from "../../../../build/bindings/runtime";
import { digestOf, sha256HexOfText } from "../../text/sha256";
import { encodeUtf8 } from "../../text/utf8";
import { ModeRule } from "../evaluation/copy-mode";
import { wholeOwner } from "../evaluation/owner";
import { CopyStep, Source, SourceKind } from "../evaluation/step";

/** A here-document. */
export class WishedFile {
  constructor(
    readonly name: string,
    readonly content: Uint8Array,
  ) {}
}

/** What is copied, and where to. */
export class CopyWish {
  given: WishedFile[] = [];
  /** The directories above each file are kept, too. */
  parents: bool = false;
  /** By pattern: how many of its directories are not kept. */
  pivots: i32[] = [];
  /** The layer is that of a copy into an empty image (`--link`): no link on the way is followed. */
  isApart: bool = false;
  /** Null for the files' own. */
  owner: string | null = null;
  /** See `CopyStep`. */
  ownsAbove: bool = false;
  /** Changes of the files' own. */
  modes: ModeChange[] = [];

  constructor(
    /** `COPY` or `ADD`. */
    readonly keyword: string,
    /** Absolute; a slash at its end makes it a directory. */
    readonly to: string,
  ) {}

  pivotOf(pattern: u32): i32 {
    return <i32>pattern < this.pivots.length ? this.pivots[pattern] : 0;
  }
}

export function patternsOf(copy: CopyStep): string[] {
  const patterns: string[] = [];
  for (let i = 0; i < copy.sources.length; i++) {
    if (copy.sources[i].kind == SourceKind.Path) patterns.push(copy.sources[i].text);
  }
  return patterns;
}

export function contentsOf(copy: CopyStep): Source[] {
  return copy.sources.filter((source) => source.kind == SourceKind.Content);
}

/** The kind of what is copied, as the history names it. `count`: with here-documents, which may be all there is. */
export function labelOf(chosen: Chosen, count: i32): string {
  if (count != 1 || chosen.files.length != 1) return "multi:";
  return chosen.files[0].directory ? "dir:" : "file:";
}

/** `files`: the digest of the chosen files with its label; empty if only here-documents are copied. */
export function copyDigest(copy: CopyStep, files: string): string {
  const contents = contentsOf(copy);
  if (contents.length == 0) return files;
  let text = files;
  for (let i = 0; i < contents.length; i++) {
    const bytes = encodeUtf8(contents[i].content);
    text += `${contents[i].text}\n${digestOf(bytes)}\n`;
  }
  return `${contents.length == 1 && files.length == 0 ? "file" : "multi"}:${sha256HexOfText(text)}`;
}

/** `hidden`: patterns of files of the context that no copy sees. */
export function missingIn(copy: CopyStep, hidden: string[]): MissingFiles {
  return new MissingFiles(copy.from.length == 0 ? hidden : [], copy.excluded, copy.parents);
}

/** Whether the files of another image or stage keep their owners. */
export function keepsOwners(copy: CopyStep): bool {
  return copy.from.length > 0 && copy.owner.length == 0;
}

export function copyWish(copy: CopyStep): CopyWish {
  const wish = new CopyWish(copy.isAdd ? "ADD" : "COPY", copy.target);
  const contents = contentsOf(copy);
  for (let i = 0; i < contents.length; i++) {
    wish.given.push(new WishedFile(contents[i].text, encodeUtf8(contents[i].content)));
  }
  wish.parents = copy.parents;
  wish.isApart = copy.link;
  for (let i = 0; i < copy.sources.length; i++) {
    if (copy.sources[i].kind == SourceKind.Path) wish.pivots.push(copy.sources[i].pivot);
  }
  wish.ownsAbove = copy.ownsAbove;
  if (copy.owner.length > 0) wish.owner = wholeOwner(copy.owner);
  else wish.owner = keepsOwners(copy) ? null : "0:0";
  for (let i = 0; i < copy.modes.length; i++) wish.modes.push(changeOf(copy.modes[i]));
  return wish;
}

function changeOf(rule: ModeRule): ModeChange {
  const like: Box<u32> | null = rule.like < 0 ? null : new Box<u32>(rule.like);
  return new ModeChange(rule.removes, rule.keeps, rule.bits, rule.executable, like, rule.who);
}
