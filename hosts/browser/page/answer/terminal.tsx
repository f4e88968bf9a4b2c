// A terminal, for containers with a TTY. Its emulator is loaded on first use.

import type { Terminal as Emulator } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Exchange } from "../../session/exchange.js";
import { usePlayground, useSession } from "../context.js";
import { interrupt } from "../notebook/interrupt.js";
import type * as Emulators from "./emulator.js";

const CTRL_C = "\x03";

export function Terminal({ exchange, bytes }: { exchange: Exchange; bytes: Uint8Array }) {
  const playground = usePlayground();
  const session = useSession();
  const box = useRef<HTMLDivElement>(null);
  const written = useRef(0);
  const [emulator, setEmulator] = useState<Emulator | null>(null);
  const [isMissing, setMissing] = useState(false);

  useEffect(() => {
    let opened: Emulator | null = null;
    let left = false;
    const open = ({ openEmulator }: typeof Emulators): void => {
      if (left || box.current === null) return;
      opened = openEmulator(box.current, (text) => {
        if (exchange.typable.peek()) void session.type(exchange.number, text);
        else if (text === CTRL_C) interrupt(playground, [exchange]);
      });
      written.current = 0;
      setEmulator(opened);
    };
    import("./emulator.js").then(open, () => setMissing(true));
    return () => {
      left = true;
      opened?.dispose();
    };
  }, [exchange, session, playground]);

  useEffect(() => {
    if (emulator === null) return;
    emulator.write(bytes.subarray(written.current));
    written.current = bytes.length;
  }, [emulator, bytes]);

  if (isMissing) return <PlainText bytes={bytes} />;
  return <div ref={box} class="terminal" role="group" aria-label="Terminal" />;
}

function PlainText({ bytes }: { bytes: Uint8Array }) {
  return (
    <>
      <p class="small muted">
        The terminal could not be loaded, so this is its plain text. Reload the page to try again.
      </p>
      <pre class="body" tabIndex={0} role="log" aria-label="Output">
        {new TextDecoder().decode(bytes)}
      </pre>
    </>
  );
}
