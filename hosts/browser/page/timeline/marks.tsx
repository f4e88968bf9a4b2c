// What stands along the timeline: a mark for each step, tall for a request, coloured where something was refused or lost.

import type { Step } from "../../../timeline/step.js";

type Mark = "asked" | "refused" | "other";

const MARKS: readonly Mark[] = ["other", "asked", "refused"];
const HEIGHT = 8;
const SHORT = 4;

export function Marks({ steps }: { steps: readonly Step[] }) {
  return (
    <svg
      class="marks"
      viewBox={`0 0 ${Math.max(1, steps.length - 1)} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {MARKS.map((mark) => (
        <path key={mark} class={mark} d={pathOf(steps, mark)} vector-effect="non-scaling-stroke" />
      ))}
    </svg>
  );
}

/** One path for all marks of a kind: there may be thousands. */
function pathOf(steps: readonly Step[], mark: Mark): string {
  return steps
    .map((step, place) => (markOf(step) === mark ? `M${place} 0v${mark === "other" ? SHORT : HEIGHT}` : ""))
    .join("");
}

function markOf({ kind, input, replies }: Step): Mark {
  if (kind === "lost" || replies.some((reply) => /^[45]/.test(reply))) return "refused";
  return input?.tag === "request" ? "asked" : "other";
}
