// The JSON body: first a plain text area, then, on first use, an editor with hints from the schema. Both have the same
// size and font, so that nothing moves.

import { useEffect, useRef } from "preact/hooks";
import { resolved, type Endpoint, type Reference } from "../../reference/reference.js";
import type { WrittenRequest } from "../../session/request.js";
import { usePlayground } from "../context.js";
import type { CodeEditor } from "./code-editor.js";

export interface BodyEditorProps {
  request: WrittenRequest;
  endpoint: Endpoint | null;
  edit: (change: Partial<WrittenRequest>) => void;
  /** Returns the current body, because a rendering may be older than the last key press. */
  current: () => string;
  /** A name that differs from those of other cells. */
  name: string;
}

export function BodyEditor({ request, endpoint, edit, current, name }: BodyEditorProps) {
  const { reference } = usePlayground();
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const latest = useRef({ endpoint, edit });
  latest.current = { endpoint, edit };
  useEffect(() => () => editor.current?.close(), []);
  useEffect(() => editor.current?.setText(current()), [request.body]);

  if (request.body === "" && !takesJson(reference.value, endpoint)) return null;

  const upgrade = async (area: HTMLTextAreaElement): Promise<void> => {
    const { openCodeEditor } = await import("./code-editor.js");
    if (editor.current !== null || box.current === null) return;
    editor.current = openCodeEditor({
      area,
      parent: box.current,
      hints: () => ({ reference: reference.value, body: latest.current.endpoint?.body ?? null }),
      changed: (body) => latest.current.edit({ body }),
    });
  };
  return (
    <div class="body-editor" ref={box} style={{ "--lines": Math.min(18, request.body.split("\n").length) }}>
      <label class="unseen" for={`body-${name}`}>
        Body
      </label>
      <textarea
        id={`body-${name}`}
        class="wire"
        spellcheck={false}
        autocapitalize="off"
        value={request.body}
        onInput={(event) => edit({ body: event.currentTarget.value })}
        onFocus={(event) => void upgrade(event.currentTarget)}
      />
    </div>
  );
}

/** Other bodies are archives, which cannot be typed. */
function takesJson(reference: Reference | null, endpoint: Endpoint | null): boolean {
  if (reference === null || endpoint?.body === undefined) return false;
  return resolved(reference, endpoint.body).type === "object";
}
