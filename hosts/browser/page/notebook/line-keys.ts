// Keys of the console line: arrows move through earlier lines, Tab completes.

import type { World } from "../../../timeline/index.js";
import { complete, type Names } from "../../notation/complete.js";
import type { History } from "../../notation/history.js";

export interface Keyed {
  readonly line: string;
  readonly choices: readonly string[];
}

/** The new line after a key; null if the key has its usual effect. */
export function keyed(event: KeyboardEvent, history: History, names: () => Names): Keyed | null {
  const field = event.currentTarget as HTMLInputElement;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
  if (event.key === "ArrowUp") return earlierLine(history.earlier(field.value));
  if (event.key === "ArrowDown") return earlierLine(history.later());
  if (event.key !== "Tab" || field.value.trim() === "") return null;
  const caret = field.selectionStart ?? field.value.length;
  const { line, choices } = complete(field.value.slice(0, caret), names());
  const whole = line + field.value.slice(caret).replace(/^ (?=.|$)/, line.endsWith(" ") ? "" : " ");
  // If there is nothing to complete, Tab leaves the field as usual.
  return whole === field.value && choices.length === 0 ? null : { line: whole, choices };
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
