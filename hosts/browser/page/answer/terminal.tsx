// A terminal, for containers with a TTY. Its emulator is loaded when the first one is shown.

import type { Terminal as Emulator } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Exchange } from "../../session/exchange.js";
import { useSession } from "../context.js";

export function Terminal({ exchange, bytes }: { exchange: Exchange; bytes: Uint8Array }) {
  const session = useSession();
  const box = useRef<HTMLDivElement>(null);
  const written = useRef(0);
  const [emulator, setEmulator] = useState<Emulator | null>(null);

  useEffect(() => {
    let opened: Emulator | null = null;
    let left = false;
    void import("./emulator.js").then(({ openEmulator }) => {
      if (left || box.current === null) return;
      opened = openEmulator(box.current, (text) => {
        if (exchange.typable.peek()) void session.type(exchange.number, text);
      });
      written.current = 0;
      setEmulator(opened);
    });
    return () => {
      left = true;
      opened?.dispose();
    };
  }, [exchange, session]);

  useEffect(() => {
    if (emulator === null) return;
    emulator.write(bytes.subarray(written.current));
    written.current = bytes.length;
  }, [emulator, bytes]);

  return <div ref={box} class="terminal" role="group" aria-label="Terminal" />;
}
