// Failures as text: `no-such user zoe`, `call open /x ENOENT`. First comes the case of `failure` in core/wit, then its
// fields in the order of the WIT. A name that the WIT does not have is an error. There are two general exceptions:
// a field that is true stands as its name, anywhere; and `said`, what another program said, comes last, since it may be
// several words. Cases with a spelling of their own are in `spelledOut`.

import { FORMS } from "../../../build/core/forms.js";
import type { Form } from "../../../core/bindgen/forms.js";
import type { failures } from "../../../hosts/shared/host.js";
import { ANSWERED } from "../registry/registry-failures.js";
import { registryAnswer } from "./registry-answer.js";

const SAID = "said";
const FROM_ANSWERS: ReadonlySet<string> = ANSWERED;

/** What stands for fields that the text leaves out. */
export interface Omitted {
  text: string;
  number: number;
}

const NOTHING: Omitted = { text: "", number: 0 };

/** `omitted`: by default empty texts, and 0. */
export function failureFrom([tag = "", ...words]: readonly string[], omitted = NOTHING): failures.Failure {
  if (tag === "answer" || tag === "token-answer") return registryAnswer(tag === "token-answer", words);
  return new Words(spelledOut(tag, words), omitted).whole(FORMS.failure) as failures.Failure;
}

/** The words in the general form. */
function spelledOut(tag: string, words: readonly string[]): string[] {
  const [first = "", second = "", ...rest] = words;
  // `exchange URL timeout`: the method makes no difference, and the reason tells whether there was an answer.
  if (tag === "exchange") return [tag, "GET", ...words, ...(FROM_ANSWERS.has(second) ? ["answered"] : [])];
  // `start-broke no-terminal ENXIO`: what was said may be the name of an error.
  if (tag === "start-broke")
    return [tag, first, ...(/^E[A-Z]+$/.test(second) ? words.slice(1) : ["", ...words.slice(1)])];
  // `tool ps killed`: there is no exit code.
  if (tag === "tool" && second === "killed") return [tag, first, "", ...rest];
  return [tag, ...words];
}

/** Words that are read one by one. */
class Words {
  readonly #words: string[];
  readonly #omitted: Omitted;

  constructor(words: string[], omitted: Omitted) {
    this.#words = words;
    this.#omitted = omitted;
  }

  whole(form: Form): unknown {
    const value = this.#value(form, true);
    if (this.#words.length > 0) throw new Error(`too many words for a failure: ${this.#words.join(" ")}`);
    return value;
  }

  /** `isLast`: a text takes all remaining words. */
  #value(form: Form, isLast: boolean): unknown {
    if (form === "string") return this.#text(isLast);
    if (form === "number") return Number(this.#words.shift() ?? this.#omitted.number);
    if (form === "bigint") return BigInt(this.#words.shift() ?? this.#omitted.number);
    if (form === "bool") return false;
    if ("enum" in form) return this.#oneOf(form.enum);
    if ("record" in form) return this.#record(form.record, isLast);
    if ("variant" in form) return this.#variant(form.variant, isLast);
    return "list" in form ? this.#list(form.list) : this.#option(form.option);
  }

  #text(isLast: boolean): string {
    const words = this.#words.splice(0, isLast ? this.#words.length : 1);
    return words.length === 0 ? this.#omitted.text : words.join(" ");
  }

  #oneOf(names: readonly string[]): string {
    const name = this.#words.shift() ?? "";
    if (!names.includes(name)) throw new Error(`${name} is none of ${names.join(", ")}`);
    return name;
  }

  #record(fields: Readonly<Record<string, Form>>, isLast: boolean): Record<string, unknown> {
    const ordered = Object.entries(fields).sort(([a], [b]) => Number(a === SAID) - Number(b === SAID));
    const flags = ordered.filter(([, form]) => form === "bool").map(([name]) => [name, this.#take(name)] as const);
    const others = ordered.filter(([, form]) => form !== "bool");
    const values = others.map(
      ([name, form], i) => [name, this.#value(form, isLast && i === others.length - 1)] as const,
    );
    return Object.fromEntries([...flags, ...values].filter(([, value]) => value !== undefined));
  }

  /** Whether the word was there. */
  #take(word: string): boolean {
    const at = this.#words.indexOf(word);
    if (at >= 0) this.#words.splice(at, 1);
    return at >= 0;
  }

  #variant(cases: Readonly<Record<string, Form | null>>, isLast: boolean): { tag: string; val?: unknown } {
    const tag = this.#oneOf(Object.keys(cases));
    const form = cases[tag]!;
    return form === null ? { tag } : { tag, val: this.#value(form, isLast) };
  }

  #list(form: Form): unknown {
    const words = this.#words.splice(0);
    if (form === "number") return Uint32Array.from(words, Number);
    if (form !== "string") throw new Error("only lists of numbers and texts can be read");
    return words;
  }

  /** No word, or an empty one, is no value. */
  #option(form: Form): unknown {
    if (this.#words[0] === "") return void this.#words.shift();
    return this.#words.length === 0 ? undefined : this.#value(form, false);
  }
}
