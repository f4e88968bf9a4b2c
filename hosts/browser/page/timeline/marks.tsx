// The marks of the timeline: one for each step, tall for a request, coloured for a refusal or a loss.

import { useMemo } from "preact/hooks";
import type { Step } from "../../../timeline/index.js";

type Mark = "asked" | "refused" | "other";

const MARKS: readonly Mark[] = ["other", "asked", "refused"];
const HEIGHT = 8;
const SHORT = 4;
/** More positions side by side than this cannot be told apart. */
const MOST_PLACES = 2000;

export function Marks({ steps }: { steps: readonly Step[] }) {
  const paths = useMemo(() => pathsOf(steps), [steps]);
  return (
    <svg
      class="marks"
      viewBox={`0 0 ${Math.max(1, Math.min(steps.length, MOST_PLACES) - 1)} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {MARKS.map((mark) => (
        <path key={mark} class={mark} d={paths[mark].join("")} vector-effect="non-scaling-stroke" />
      ))}
    </svg>
  );
}

/** One path for all marks of a kind. If there are very many steps, several share one position. */
export function pathsOf(steps: readonly Step[]): Record<Mark, string[]> {
  const paths: Record<Mark, string[]> = { other: [], asked: [], refused: [] };
  const places = Math.min(steps.length, MOST_PLACES);
  for (const [at, step] of steps.entries()) {
    const mark = markOf(step);
    const place = steps.length > 1 ? Math.round((at * (places - 1)) / (steps.length - 1)) : 0;
    const line = `M${place} 0v${mark === "other" ? SHORT : HEIGHT}`;
    if (paths[mark].at(-1) !== line) paths[mark].push(line);
  }
  return paths;
}

function markOf({ kind, input, replies }: Step): Mark {
  if (kind === "lost" || replies.some((reply) => /^[45]/.test(reply))) return "refused";
  return input?.tag === "request" ? "asked" : "other";
}
