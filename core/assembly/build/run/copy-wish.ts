// What a COPY or an ADD copies, and where to.

import { Chosen, GivenFile } from "../../../../build/bindings/types";
import { digestOf, sha256HexOfText } from "../../text/sha256";
import { encodeUtf8 } from "../../text/utf8";
import { CopyStep, Source, SourceKind } from "../evaluation/step";

/** What is copied, and where to. */
export class CopyWish {
  /** Here-documents: names and contents. */
  given: GivenFile[] = [];
  /** Paths of the source that count as missing. */
  without: string[] = [];
  /** Tars are unpacked (ADD). */
  unpack: bool = false;
  /** Null for the files' own. */
  owner: string | null = null;
  /** -1 for the files' own. */
  mode: i32 = -1;

  constructor(
    /** `COPY` or `ADD`. */
    readonly keyword: string,
    /** Absolute; a slash at its end makes it a directory. */
    readonly to: string,
  ) {}
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

export function copyWish(copy: CopyStep, without: string[]): CopyWish {
  const wish = new CopyWish(copy.isAdd ? "ADD" : "COPY", copy.target);
  const contents = contentsOf(copy);
  for (let i = 0; i < contents.length; i++) {
    wish.given.push(new GivenFile(contents[i].text, encodeUtf8(contents[i].content)));
  }
  wish.without = without;
  wish.unpack = copy.unpack;
  // Files of another image keep their owners. Without a group, the user's name or number is the group's, too.
  const owner = copy.owner;
  if (owner.length > 0) wish.owner = owner.includes(":") ? owner : `${owner}:${owner}`;
  else wish.owner = copy.from.length > 0 ? null : "0:0";
  wish.mode = copy.mode.length > 0 ? modeOf(copy.mode) : -1;
  return wish;
}

/** Octal digits; -1 for anything else. */
export function modeOf(text: string): i32 {
  let mode = 0;
  if (text.length > 5) return -1;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 7) return -1;
    mode = mode * 8 + digit;
  }
  return mode <= 0o7777 ? mode : -1;
}
