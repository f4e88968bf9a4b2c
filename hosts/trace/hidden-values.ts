// Collects values that a shared trace must not show (of environments, labels, options and commands), and hides them
// wherever they occur.

import { hidingOf } from "./hidden-places.js";
import type { Hiding } from "./hidden-places.js";

/** A shorter value is hidden only in its own place. Elsewhere it may occur by chance. */
const LEAST = 4;
/** A word of a command that many other texts contain, too: a program, a subcommand, a number. */
const COMMON = /^(?:[a-z/._-]{0,15}|\d+)$/i;
/** A secret in a list of options that is one text: `o=username=x,password=y`. */
const SECRET_OPTION = /(?:^|,)[^,=]*(?:pass|secret|token|cred|key)[^,=]*=([^,]*)/gi;
/** Dockerfile instructions in an image's history and in the `changes` of a commit. */
const DOCKERFILE = /(?:^|\s)(?:ENV|LABEL|ARG)\s+(.*)$/is;
/** Everything after the first name: it is unknown here how the other values are quoted, and where they end. */
const BEHIND_NAME = /((?:^|\s)(?:ENV|LABEL|ARG)\s+[^\s=]+[\s=])(.*)$/is;
/** Instructions that run something, and everything after them, since a line may continue on the next. */
const RUNNING = /((?:^|\n)\s*(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK|SHELL|ONBUILD)\s)(.*)$/is;
/** Build arguments in an image's history: `|2 NAME=value OTHER=value /bin/sh -c …`. */
const ARGUMENTS = /\|\d+((?:\s+[A-Za-z_]\w*=\S*)+)/;

/** An attribute of a build by BuildKit that has a value of its author. */
const ATTRIBUTE = /^(?:build-arg|label):/;

interface Node {
  next: Map<number, Node>;
  ends: boolean;
}

export class HiddenValues {
  readonly #root: Node = { next: new Map(), ends: false };

  /** Collects the values in a document and in its texts. `within`: the name of the member that holds the document. */
  note(json: unknown, within = ""): void {
    if (Array.isArray(json)) return json.forEach((one) => this.note(one, within));
    if (typeof json === "string") return this.#noteText(json);
    if (typeof json !== "object" || json === null) return;
    for (const [name, value] of Object.entries(json)) {
      const hiding = hidingOf(name, json, within);
      if (hiding === "values") this.#noteAll(value);
      if (hiding === "attributes") this.#noteAttributes(value);
      if (hiding === "texts") this.#noteWords(value);
      this.note(value, name);
    }
  }

  /** Collects the values of `NAME=value` pairs. */
  notePairs(pairs: readonly string[]): void {
    for (const pair of pairs) this.add(valueOf(pair));
  }

  add(value: string): void {
    if (value.length < LEAST) return;
    // Also in the form that a quoted text has.
    for (const form of new Set([value, JSON.stringify(value).slice(1, -1)])) {
      let node = this.#root;
      for (let at = 0; at < form.length; at++) node = nextOf(node, form.charCodeAt(at));
      node.ends = true;
    }
  }

  /** The same text with each collected value replaced by as many other characters. */
  hide(text: string): string {
    let hidden = "";
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const length = this.#longestAt(text, at);
      if (length === 0) continue;
      hidden += text.slice(from, at) + standIn(length);
      from = at + length;
      at = from - 1;
    }
    return from === 0 ? text : hidden + text.slice(from);
  }

  /** A copy of a document without the values: whole in their own places, and wherever else they occur. */
  hideIn(json: unknown, within = ""): unknown {
    if (typeof json === "string")
      return this.hide(
        json.replace(BEHIND_NAME, (_all, before: string, values: string) => before + standIn(values.length)),
      );
    if (Array.isArray(json)) return json.map((one) => this.hideIn(one, within));
    if (typeof json !== "object" || json === null) return json;
    const entries = Object.entries(json).map(([name, value]) => {
      const shown = hidden(value, hidingOf(name, json, within));
      return [this.hide(name), this.hideIn(shown, name)] as const;
    });
    return Object.fromEntries(entries);
  }

  #noteAll(value: unknown): void {
    if (Array.isArray(value)) this.notePairs(value.filter((one) => typeof one === "string"));
    else if (typeof value === "object" && value !== null) {
      for (const [name, one] of Object.entries(value)) this.#noteOption(typeof one === "string" ? one : valueOf(name));
    }
  }

  /** Others, such as the name of a Dockerfile, are no secrets, and occur in many places. */
  #noteAttributes(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [name, one] of Object.entries(value)) if (ATTRIBUTE.test(name) && typeof one === "string") this.add(one);
  }

  #noteOption(value: string): void {
    this.add(value);
    for (const [, secret = ""] of value.matchAll(SECRET_OPTION)) this.add(secret);
  }

  #noteWords(value: unknown): void {
    if (typeof value === "string" && !COMMON.test(value)) this.add(value);
    if (Array.isArray(value)) for (const one of value) this.#noteWords(one);
  }

  #noteText(text: string): void {
    const words = DOCKERFILE.exec(text)?.[1] ?? "";
    for (const [, quoted, plain] of words.matchAll(/=(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)) this.add(quoted ?? plain ?? "");
    // The old form `ENV NAME value`.
    if (!words.includes("=")) this.add(words.replace(/^\S+\s*/, ""));
    for (const pair of ARGUMENTS.exec(text)?.[1]?.trim().split(/\s+/) ?? []) this.add(valueOf(pair));
  }

  #longestAt(text: string, from: number): number {
    let node: Node | undefined = this.#root;
    let longest = 0;
    for (let at = from; at < text.length; at++) {
      node = node.next.get(text.charCodeAt(at));
      if (node === undefined) break;
      if (node.ends) longest = at + 1 - from;
    }
    return longest;
  }
}

function nextOf(node: Node, unit: number): Node {
  const known = node.next.get(unit);
  if (known !== undefined) return known;
  const added: Node = { next: new Map(), ends: false };
  node.next.set(unit, added);
  return added;
}

function hidden(value: unknown, hiding: Hiding | null): unknown {
  if (hiding === "values" || hiding === "attributes") return blanked(value);
  if (hiding === "texts") return blank(value);
  if (hiding === "lines") return withoutCommands(value);
  return value;
}

function withoutCommands(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCommands);
  if (typeof value !== "string") return value;
  return value.replace(RUNNING, (_all, word: string, command: string) => word + standIn(command.length));
}

/** Keeps `NAME=`, also in a key, as in filters (`{"label":{"NAME=value":true}}`). Hides all other values. */
function blanked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => (typeof one === "string" ? hiddenPair(one) : blank(one)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) =>
    typeof one === "string" ? [name, standIn(one.length)] : [hiddenPair(name), blank(one)],
  );
  return Object.fromEntries(entries) as unknown;
}

/** Replaces all texts but the names. */
function blank(value: unknown): unknown {
  if (typeof value === "string") return standIn(value.length);
  if (Array.isArray(value)) return value.map(blank);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blank(one)]));
}

export function hiddenPair(pair: string): string {
  const value = valueOf(pair);
  return pair.slice(0, pair.length - value.length) + standIn(value.length);
}

/** Empty if there is no `=`. */
function valueOf(pair: string): string {
  const equals = pair.indexOf("=");
  return equals < 0 ? "" : pair.slice(equals + 1);
}

function standIn(length: number): string {
  return "x".repeat(length);
}
