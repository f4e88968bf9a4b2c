// Shows a body according to its type.

import { useState } from "preact/hooks";
import { jsonText } from "../../session/view/json-text.js";
import type { Exchange } from "../../session/exchange.js";
import type { View } from "../../session/view/view.js";
import { FramesView } from "./frames.js";
import { HexDump } from "./hex-dump.js";
import { ProgressView } from "./progress.js";
import { Terminal } from "./terminal.js";

export function BodyView({ exchange }: { exchange: Exchange }) {
  const view = exchange.view.value;
  if (view.kind === "frames") return <FramesView view={view} />;
  if (view.kind === "progress") return <ProgressView view={view} />;
  if (view.kind === "terminal") return <Terminal exchange={exchange} bytes={view.bytes} />;
  if (view.kind === "binary") return <HexDump bytes={view.bytes} label="Body" />;
  const text = textOf(view);
  return text === null ? null : <LongText text={text} label="Body" />;
}

function textOf(view: View): string | null {
  if (view.kind === "json") return jsonText(view.value);
  if (view.kind === "lines") return view.values.map((value) => JSON.stringify(value)).join("\n");
  return view.kind === "text" ? view.text : null;
}

const FEW_LINES = 24;

/** Long bodies start folded, so that the world next to them does not move. */
function LongText({ text, label }: { text: string; label: string }) {
  const [whole, setWhole] = useState(false);
  const lines = text.split("\n");
  const long = lines.length > FEW_LINES;
  return (
    <>
      <pre class="body" tabIndex={0} role="group" aria-label={label}>
        {long && !whole ? lines.slice(0, FEW_LINES - 4).join("\n") : text}
      </pre>
      {long && (
        <button type="button" class="plain small" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      )}
    </>
  );
}
