// A multiplexed stream: as plain text, or frame by frame with an explanation of the eight header bytes.

import { useState } from "preact/hooks";
import type { Frame, View } from "../../session/view/view.js";
import { HexDump, hex } from "./hex-dump.js";

const SHOWN_FRAMES = 60;

export function FramesView({ view }: { view: Extract<View, { kind: "frames" }> }) {
  const [asBytes, setAsBytes] = useState(false);
  return (
    <>
      {asBytes ? <Frames view={view} /> : <Output frames={view.frames} />}
      <button type="button" class="plain small" aria-pressed={asBytes} onClick={() => setAsBytes(!asBytes)}>
        {asBytes ? "Show as text" : "Show the bytes"}
      </button>
    </>
  );
}

function Output({ frames }: { frames: readonly Frame[] }) {
  const decoder = new TextDecoder();
  return (
    <pre class="body" tabIndex={0} role="log" aria-label="Output">
      {frames.map((frame, at) => (
        <span key={at} class={frame.stream}>
          {decoder.decode(frame.bytes)}
        </span>
      ))}
      {frames.length === 0 && <span class="muted">No output yet.</span>}
    </pre>
  );
}

function Frames({ view: { frames, rest } }: { view: Extract<View, { kind: "frames" }> }) {
  return (
    <ol class="frames" aria-label="Frames">
      {frames.length > SHOWN_FRAMES && <li class="muted small">{frames.length - SHOWN_FRAMES} earlier frames</li>}
      {frames.slice(-SHOWN_FRAMES).map((frame, at) => (
        <li key={at}>
          <Header frame={frame} />
          <HexDump bytes={frame.bytes} label={`Payload, ${frame.stream}`} />
        </li>
      ))}
      {rest.length > 0 && (
        <li>
          <p class="small muted">Incomplete frame:</p>
          <HexDump bytes={rest} label="Rest" />
        </li>
      )}
    </ol>
  );
}

function Header({ frame: { header, stream, bytes } }: { frame: Frame }) {
  return (
    <dl class="frame-header wire">
      <div>
        <dt>{hex(header.subarray(0, 1))}</dt>
        <dd>{stream}</dd>
      </div>
      <div>
        <dt>{hex(header.subarray(1, 4))}</dt>
        <dd>always zero</dd>
      </div>
      <div>
        <dt>{hex(header.subarray(4, 8))}</dt>
        <dd>size, big-endian: {bytes.length}</dd>
      </div>
    </dl>
  );
}
