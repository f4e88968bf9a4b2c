// Turns inputs and outputs of the core into those of a shared trace: without the values that hidden-places.ts lists,
// and without bytes that cannot be searched for them.

import type { Input, Outcome, StepOutputs, engine, records } from "../shared/index.js";
import type { Opening } from "../driver/index.js";
import type { HiddenValues } from "./hidden-values.js";
import { hiddenPair } from "./hidden-values.js";

const NONE = new Uint8Array();
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Collects the values in an input. */
export function noteInput(values: HiddenValues, input: Input): void {
  if (input.tag === "reloaded") values.notePairs(input.val.labels);
  if (input.tag === "completed" && input.val.outcome.tag === "ok") noteBytes(values, bytesOf(input.val.outcome.val));
  if (input.tag !== "request") return;
  const { body, target } = input.val;
  if (body.tag === "whole") noteBytes(values, body.val);
  for (const [name, value] of parametersOf(target)) values.note({ [name]: jsonOr(value) });
}

export function noteOpening(values: HiddenValues, { options, records }: Opening): void {
  values.notePairs(options.labels);
  values.note({ logOptions: Object.fromEntries(options.logOptions) });
  noteStored(values, records);
}

export function noteStored(values: HiddenValues, stored: readonly engine.Stored[]): void {
  for (const { value } of stored) noteBytes(values, value);
}

export function noteRecords(values: HiddenValues, commands: readonly records.RecordCommand[]): void {
  for (const command of commands) if (command.tag === "put") noteBytes(values, command.val.value);
}

export function sharedInput(values: HiddenValues, input: Input): Input {
  if (isOutput(input)) return withoutBytes(values, input);
  const shown = walked(
    input,
    (text) => values.hide(text),
    (bytes) => documentIn(values, bytes),
  ) as Input;
  if (input.tag === "reloaded") return { tag: "reloaded", val: settings(values, input.val) };
  if (input.tag === "request" && shown.tag === "request") {
    const { target, body } = input.val;
    const whole: engine.Body = body.tag === "whole" ? { tag: "whole", val: documentIn(values, body.val) } : body;
    return { tag: "request", val: { ...shown.val, target: sharedTarget(values, target), body: whole } };
  }
  return shown;
}

/**
 * Whether it has the output or name of a process, or a page of the journal, with labels and commands of old
 * containers.
 */
function isOutput(input: Input): boolean {
  if (input.tag !== "completed") return input.tag === "exec-exited";
  const { outcome } = input.val;
  return outcome.tag === "ok" && (outcome.val.tag === "journal" || outcome.val.tag === "ps");
}

export function sharedOpening(values: HiddenValues, opening: Opening): Opening {
  const { options, ...others } = hiddenEverywhere<Opening>(values, { ...opening, records: [] });
  return {
    ...others,
    options: {
      ...options,
      labels: opening.options.labels.map(hiddenPair),
      logOptions: opening.options.logOptions.map(([name, value]) => [name, "x".repeat(value.length)]),
    },
    records: sharedStored(values, opening.records),
  };
}

export function sharedStored(values: HiddenValues, stored: readonly engine.Stored[]): engine.Stored[] {
  return stored.map(({ key, value }) => ({ key: values.hide(key), value: hiddenBytes(values, value) }));
}

/** Keeps the bytes of records only. Those of effects and replies are not needed to show what happened. */
export function sharedOutputs(values: HiddenValues, { records, effects, replies }: StepOutputs): StepOutputs {
  return {
    records: records.map((command) => {
      if (command.tag !== "put") return withoutBytes(values, command);
      const { key, value } = command.val;
      return { tag: "put", val: { key: values.hide(key), value: hiddenBytes(values, value) } };
    }),
    effects: effects.map((effect) => withoutBytes(values, effect)),
    replies: replies.filter(({ command }) => command.tag !== "chunk").map((reply) => withoutBytes(values, reply)),
  };
}

export function sharedNotes(values: HiddenValues, notes: readonly engine.Note[]): engine.Note[] {
  return notes.map((note) => withoutBytes(values, note));
}

function settings(values: HiddenValues, val: engine.Settings): engine.Settings {
  return { ...hiddenEverywhere(values, val), labels: val.labels.map(hiddenPair) };
}

function noteBytes(values: HiddenValues, bytes: Uint8Array | null): void {
  const json = bytes === null ? undefined : jsonOf(bytes);
  if (json !== undefined) values.note(json);
}

function bytesOf(outcome: Outcome): Uint8Array | null {
  if (outcome.tag === "bytes") return outcome.val;
  return outcome.tag === "resolved" ? outcome.val.bytes : null;
}

/** Leaves out a body that is not JSON, such as a form or a malformed create: it is unknown what in it is a value. */
function documentIn(values: HiddenValues, bytes: Uint8Array): Uint8Array {
  return jsonOf(bytes) === undefined ? NONE : hiddenBytes(values, bytes);
}

/** Hides values in JSON by their places, and in other texts by a search. Leaves out bytes that are not text. */
function hiddenBytes(values: HiddenValues, bytes: Uint8Array): Uint8Array {
  const json = jsonOf(bytes);
  if (json !== undefined) return encoder.encode(JSON.stringify(values.hideIn(json)));
  const text = textOf(bytes);
  return text === null ? NONE : encoder.encode(values.hide(text));
}

function sharedTarget(values: HiddenValues, target: string): string {
  const mark = target.indexOf("?");
  if (mark < 0) return values.hide(target);
  const parameters = parametersOf(target).map(([name, value]) => {
    const json = jsonOr(value);
    // Malformed filters: it is unknown what in them is a value.
    if (typeof json === "string" && MAYBE_JSON.test(json)) return `${encodeURIComponent(values.hide(name))}=x`;
    const shown = (values.hideIn({ [name]: json }) as Record<string, unknown>)[values.hide(name)];
    const text = typeof json === "string" ? (shown as string) : JSON.stringify(shown);
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  });
  return `${values.hide(target.slice(0, mark))}?${parameters.join("&")}`;
}

function parametersOf(target: string): [string, string][] {
  const mark = target.indexOf("?");
  return mark < 0 ? [] : [...new URLSearchParams(target.slice(mark + 1))];
}

const MAYBE_JSON = /^\s*[{[]/;

/** Only objects and arrays become JSON. Numbers and the like stay texts. */
function jsonOr(text: string): unknown {
  if (!MAYBE_JSON.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  const json = text === null ? "" : jsonOr(text);
  return typeof json === "string" ? undefined : json;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function hiddenEverywhere<Value>(values: HiddenValues, value: Value): Value {
  return walked(
    value,
    (text) => values.hide(text),
    (bytes) => hiddenBytes(values, bytes),
  ) as Value;
}

function withoutBytes<Value>(values: HiddenValues, value: Value): Value {
  return walked(
    value,
    (text) => values.hide(text),
    () => NONE,
  ) as Value;
}

function walked(value: unknown, text: (text: string) => string, bytes: (bytes: Uint8Array) => Uint8Array): unknown {
  if (typeof value === "string") return text(value);
  if (value instanceof Uint8Array) return bytes(value);
  if (Array.isArray(value)) return value.map((one) => walked(one, text, bytes));
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walked(one, text, bytes)]));
}
