// Whether the page has room for one column only, as `layout.css` has it.

import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";

const query = matchMedia("(max-width: 800px)");
const matches = signal(query.matches);
query.addEventListener("change", () => (matches.value = query.matches));

export const narrow: ReadonlySignal<boolean> = matches;
