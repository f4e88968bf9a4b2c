// An event that is being composed. It is stored and sent as an entry (`entry.ts`).

import { compareTexts } from "../text/compare";

/** Prefix of the engine's own attributes. */
export const OWN = "coracle.";

export class Event {
  private readonly attributes: Map<string, string> = new Map<string, string>();
  private labelKeys: string[] = [];
  private labelValues: string[] = [];

  constructor(
    readonly type: string,
    readonly action: string,
    /** The actor's id. */
    readonly id: string,
    /** Nanoseconds since 1970. */
    readonly at: i64,
  ) {}

  with(key: string, value: string): Event {
    this.attributes.set(key, value);
    return this;
  }

  /**
   * Sets the labels of the event's subject, without copying them.
   * A later attribute takes precedence over a label of its name.
   */
  labelled(keys: string[], values: string[]): Event {
    if (ascends(keys)) {
      this.labelKeys = keys;
      this.labelValues = values;
    } else for (let i = 0; i < keys.length; i++) this.with(keys[i], values[i]);
    return this;
  }

  /**
   * Sorted by name, as Go writes maps. The engine's own attributes
   * come last, since some clients show them in this order.
   */
  inOrder(): Attributes {
    const all = new Attributes();
    const names = this.attributes.keys().sort();
    this.merge(all, names, false);
    this.merge(all, names, true);
    return all;
  }

  private merge(all: Attributes, names: string[], own: bool): void {
    let label = 0;
    for (let i = 0; i < names.length; i++) {
      if (isOwn(names[i]) != own) continue;
      label = this.mergeLabels(all, label, names[i], own);
      all.add(names[i], this.attributes.get(names[i]));
    }
    this.mergeLabels(all, label, "", own);
  }

  /** Adds the labels before `name`, or all remaining ones if it is empty. Returns the index of the next label. */
  private mergeLabels(all: Attributes, from: i32, name: string, own: bool): i32 {
    const keys = this.labelKeys;
    let at = from;
    for (; at < keys.length && (name.length == 0 || compareTexts(keys[at], name) < 0); at++) {
      if (isOwn(keys[at]) == own && !this.attributes.has(keys[at])) all.add(keys[at], this.labelValues[at]);
    }
    return at;
  }
}

/** Names and values. */
export class Attributes {
  readonly names: string[] = [];
  readonly texts: string[] = [];

  add(name: string, text: string): void {
    this.names.push(name);
    this.texts.push(text);
  }
}

/** Whether an attribute comes before another with a different name. */
export function precedes(name: string, other: string): bool {
  const own = isOwn(name);
  return own == isOwn(other) ? compareTexts(name, other) < 0 : !own;
}

function isOwn(name: string): bool {
  return name.startsWith(OWN);
}

function ascends(keys: string[]): bool {
  for (let i = 1; i < keys.length; i++) if (compareTexts(keys[i - 1], keys[i]) >= 0) return false;
  return true;
}
