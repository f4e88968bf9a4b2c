// The progress of a pull: a bar for each layer.

import type { Bar, View } from "../../session/view/view.js";
import { byteSize } from "../words.js";

export function ProgressView({ view }: { view: Extract<View, { kind: "progress" }> }) {
  return (
    <div class="progress">
      {view.bars.map((bar) => (
        <BarRow key={bar.id} bar={bar} />
      ))}
      <pre class="body" tabIndex={0} role="group" aria-label="Progress">
        {view.lines.join("\n")}
      </pre>
      {view.error !== null && (
        <p class="refused" role="alert">
          {view.error}
        </p>
      )}
    </div>
  );
}

function BarRow({ bar }: { bar: Bar }) {
  const amount = bar.total > 0 ? `${byteSize(bar.current)} of ${byteSize(bar.total)}` : "";
  const done = /complete|exists/i.test(bar.status);
  return (
    <div class="bar">
      <code>{bar.id || "–"}</code>
      <progress
        aria-label={`${bar.id} ${bar.status}`}
        max={bar.total || 1}
        value={done ? bar.total || 1 : bar.current}
      />
      <span class="small muted">
        {bar.status} {!done && amount}
      </span>
    </div>
  );
}
