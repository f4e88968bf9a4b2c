// A short message that appears for a while: what was done, or why not.

import { useEffect } from "preact/hooks";
import { usePlayground } from "./context.js";

const SHOWN_MS = 8_000;

export function Notice() {
  const { notice } = usePlayground();
  const text = notice.value;
  useEffect(() => {
    if (text === "") return;
    const timer = setTimeout(() => (notice.value = ""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="notice" role="status" data-empty={text === ""}>
      {text}
    </p>
  );
}
