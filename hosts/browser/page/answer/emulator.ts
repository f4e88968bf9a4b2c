// The terminal emulator, in its own chunk.

import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";

/** `typed` is called with the user's keys, encoded as by a terminal. */
export function openEmulator(parent: HTMLElement, typed: (text: string) => void): Terminal {
  const style = getComputedStyle(parent);
  const terminal = new Terminal({
    rows: 12,
    fontFamily: style.fontFamily,
    fontSize: 12,
    convertEol: false,
    cursorBlink: false,
    screenReaderMode: true,
    theme: { background: "#0d1213", foreground: "#e3e9ea", cursor: "#67c9d1", selectionBackground: "#2d5c61" },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(parent);
  fit.fit();
  // If text is selected, Ctrl-C only copies it. Handlers outside the terminal cannot see that selection.
  terminal.attachCustomKeyEventHandler((event) => {
    const isCopying = event.ctrlKey && event.key === "c" && terminal.hasSelection();
    if (isCopying) event.stopPropagation();
    return !isCopying;
  });
  terminal.onData(typed);
  return terminal;
}
