// A short message that appears for a while: what was done, or why not. It may lie over what the user wants to press, so it
// can be closed.

import { useEffect } from "preact/hooks";
import { usePlayground } from "./context.js";

const SHOWN_MS = 8_000;

export function Notice() {
  const { notice } = usePlayground();
  const text = notice.value;
  const close = (): void => {
    notice.value = "";
  };
  useEffect(() => {
    if (text === "") return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="notice" data-empty={text === ""}>
      <p role="status">{text}</p>
      <button type="button" class="plain icon" aria-label="Close this message" onClick={close}>
        ×
      </button>
    </div>
  );
}
