// A button that copies a text to the clipboard and confirms it in place.

import { useState } from "preact/hooks";

export interface CopyButtonProps {
  text: () => string;
  label?: string;
  primary?: boolean;
}

export function CopyButton({ text, label = "Copy", primary = false }: CopyButtonProps) {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid("Copied");
    } catch {
      setSaid("The browser does not allow it");
    }
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <button type="button" class={primary ? "primary" : ""} onClick={() => void copy()}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
