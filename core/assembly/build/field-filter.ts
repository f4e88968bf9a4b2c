// Which things are meant, as clients of BuildKit say it (containerd, pkg/filters): `type==regular`, `id~=^ab`, `shared`.
// Several with commas between them all hold.

import { Regex } from "../text/regex";
import { Budget } from "./evaluation/budget";

/** What a filter is asked about. */
export abstract class Filtered {
  /** Empty: it has no such field. */
  abstract textOf(field: string): string;

  /** Whether this field is true or false. BuildKit only asks whether it is there; here its value may be written, too. */
  isFlag(_field: string): bool {
    return false;
  }

  isSet(_flag: string): bool {
    return false;
  }
}

enum Operator {
  Present,
  Equal,
  Unequal,
  Matches,
}

const OPERATORS: string[] = ["", "==", "!=", "~="];
/** In one call. */
const MOST_CONDITIONS: i32 = 100;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** One part of a filter. */
export abstract class Condition {
  /** What is wrong with it; empty if nothing is. */
  abstract get problem(): string;

  abstract matches(thing: Filtered): bool;
}

class FieldCondition extends Condition {
  /** Null if it is none, or if it is invalid. */
  readonly pattern: Regex | null;

  constructor(
    /** As it was written. */
    readonly shown: string,
    readonly field: string,
    readonly operator: Operator,
    readonly value: string,
    /** For the work of patterns. Once it is spent, they match nothing. */
    private readonly budget: Budget,
  ) {
    super();
    this.pattern = operator == Operator.Matches ? Regex.compile(value) : null;
  }

  get problem(): string {
    const isBroken = this.operator == Operator.Matches && this.pattern === null;
    return isBroken ? `the pattern of the filter ${this.shown} is not valid` : "";
  }

  matches(thing: Filtered): bool {
    if (thing.isFlag(this.field)) return thing.isSet(this.field) != this.isDenied;
    const text = thing.textOf(this.field);
    const pattern = this.pattern;
    switch (this.operator) {
      case Operator.Present:
        return text.length > 0;
      case Operator.Equal:
        return text.length > 0 && text == this.value;
      case Operator.Unequal:
        return text != this.value;
      default:
        if (pattern === null || !this.budget.work(<i64>text.length * pattern.size)) return false;
        return pattern.search(text);
    }
  }

  /** `shared==false`, `shared!=true`. */
  private get isDenied(): bool {
    const isNo = this.value == "false" || this.value == "0";
    return (this.operator == Operator.Unequal) != isNo;
  }
}

/** Of several texts, one has to hold. Without any, all things match. */
export class FieldFilter {
  /** What is wrong with the texts; empty if nothing is. */
  problem: string = "";
  private readonly alternatives: Condition[][] = [];
  private count: i32 = 0;
  private readonly budget: Budget = new Budget();

  constructor(texts: string[]) {
    for (let i = 0; i < texts.length && this.problem.length == 0; i++) {
      // Clients without a filter send an empty text.
      if (texts[i].length > 0) this.alternatives.push(this.conditionsIn(texts[i]));
    }
  }

  holdsFor(thing: Filtered): bool {
    for (let i = 0; i < this.alternatives.length; i++) if (allMatch(this.alternatives[i], thing)) return true;
    return this.alternatives.length == 0;
  }

  /** One condition; null if the text is none. */
  protected conditionIn(part: string): Condition | null {
    return fieldCondition(part, this.budget);
  }

  private conditionsIn(text: string): Condition[] {
    const found: Condition[] = [];
    const parts = partsOf(text);
    this.count += parts.length;
    if (this.count > MOST_CONDITIONS) this.problem = `there are more than ${MOST_CONDITIONS.toString()} filters`;
    for (let i = 0; i < parts.length && this.problem.length == 0; i++) {
      const condition = this.conditionIn(parts[i]);
      if (condition === null)
        this.problem = `the filter ${parts[i]} is no FIELD, FIELD==VALUE, FIELD!=VALUE or FIELD~=PATTERN`;
      else if (condition.problem.length > 0) this.problem = condition.problem;
      else found.push(condition);
    }
    return found;
  }
}

function allMatch(conditions: Condition[], thing: Filtered): bool {
  for (let i = 0; i < conditions.length; i++) if (!conditions[i].matches(thing)) return false;
  return true;
}

/** What is between commas. A value in quotes may have some. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code == BACKSLASH && isQuoted) at += 1;
    else if (code == QUOTE) isQuoted = !isQuoted;
    else if (code == COMMA && !isQuoted) {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  parts.push(text.slice(begin));
  return parts;
}

function fieldCondition(part: string, budget: Budget): Condition | null {
  let at = 0;
  while (at < part.length && isOfName(part.charCodeAt(at))) at++;
  if (at == 0) return null;
  const field = part.slice(0, at);
  if (at == part.length) return new FieldCondition(part, field, Operator.Present, "", budget);
  const operator = OPERATORS.indexOf(part.slice(at, at + 2));
  const value = unquoted(part.slice(at + 2));
  return operator < 0 ? null : new FieldCondition(part, field, <Operator>operator, value, budget);
}

function isOfName(code: i32): bool {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code == 0x5f || code == 0x2e;
}

function unquoted(value: string): string {
  const last = value.length - 1;
  if (last < 1 || value.charCodeAt(0) != QUOTE || value.charCodeAt(last) != QUOTE) return value;
  return value.slice(1, last).replaceAll('\\"', '"').replaceAll("\\\\", "\\");
}
