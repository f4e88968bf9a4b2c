// Whether the page is in its one-column layout, as in `layout.css`.

import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";

const query = matchMedia("(max-width: 800px)");
const matches = signal(query.matches);
query.addEventListener("change", () => (matches.value = query.matches));

export const narrow: ReadonlySignal<boolean> = matches;
