// Opens a trace that another engine recorded: chosen, or dropped onto the page. The file stays in the browser.

import { useRef } from "preact/hooks";
import { usePlayground } from "./context.js";
import type { Playground } from "./playground.js";

export function OpenTrace() {
  const playground = usePlayground();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="plain" onClick={() => input.current?.click()}>
        <span>
          Open<span class="rest"> a trace</span>
        </span>
      </button>
      <input
        ref={input}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label="Trace file"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void playground.run(playground.openTrace(file));
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Event handlers for the whole page. */
export function dropped(playground: Playground): {
  onDragOver: (e: DragEvent) => void;
  onDrop: (e: DragEvent) => void;
} {
  return {
    onDragOver: (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    },
    onDrop: (event) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      event.preventDefault();
      void playground.run(playground.openTrace(file));
    },
  };
}
