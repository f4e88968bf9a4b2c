// Keys of the console line: arrows move through earlier lines, Tab completes.

import type { World } from "../../../timeline/index.js";
import type { complete, Names } from "../../notation/complete.js";
import type { History } from "../../notation/history.js";

export interface Keyed {
  readonly line: string;
  readonly choices: readonly string[];
}

type Complete = typeof complete;

/** The new line after an arrow key; null if the key has its usual effect. */
export function moved(event: KeyboardEvent, history: History): Keyed | null {
  if (isModified(event)) return null;
  if (event.key === "ArrowUp") return earlierLine(history.earlier((event.currentTarget as HTMLInputElement).value));
  return event.key === "ArrowDown" ? earlierLine(history.later()) : null;
}

/** Whether the key completes the line. */
export function completes(event: KeyboardEvent): boolean {
  return event.key === "Tab" && !isModified(event) && (event.currentTarget as HTMLInputElement).value.trim() !== "";
}

/** The completed line; null if there is nothing to complete. */
export function completed(field: HTMLInputElement, complete: Complete, names: Names): Keyed | null {
  const caret = field.selectionStart ?? field.value.length;
  const { line, choices } = complete(field.value.slice(0, caret), names);
  const whole = line + field.value.slice(caret).replace(/^ (?=.|$)/, line.endsWith(" ") ? "" : " ");
  return whole === field.value && choices.length === 0 ? null : { line: whole, choices };
}

function isModified({ ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey || shiftKey;
}

function earlierLine(line: string | null): Keyed | null {
  return line === null ? null : { line, choices: [] };
}

/** The names of everything in the world. */
export function namesOf({ containers, images, networks, volumes }: World): Names {
  return {
    container: containers.map(({ name }) => name),
    image: images.flatMap(({ tags }) => tags).map((tag) => tag.replace(/:latest$/, "")),
    network: networks.map(({ name }) => name),
    volume: volumes.map(({ name }) => name),
  };
}
