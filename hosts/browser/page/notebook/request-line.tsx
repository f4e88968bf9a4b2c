// Method, target and the send button. A long target wraps instead of being cut off, because what matters often follows
// a long id.

import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import type { WrittenRequest } from "../../session/request.js";

const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD"];

export interface RequestLineProps {
  request: WrittenRequest;
  edit: (change: Partial<WrittenRequest>) => void;
  sending: boolean;
  /** The content after the button. */
  children: ComponentChildren;
}

export function RequestLine({ request, edit, sending, children }: RequestLineProps) {
  return (
    <div class="request-line">
      <select
        aria-label="Method"
        class="wire"
        value={request.method}
        onChange={(event) => edit({ method: event.currentTarget.value })}
      >
        {(METHODS.includes(request.method) ? METHODS : [...METHODS, request.method]).map((method) => (
          <option key={method}>{method}</option>
        ))}
      </select>
      <textarea
        aria-label="Path and query"
        class="wire target"
        rows={1}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={request.target}
        onInput={(event) => edit({ target: event.currentTarget.value.replace(/\s/g, "") })}
        onKeyDown={sendOnEnter}
      />
      <button class="primary" aria-busy={sending} title="Ctrl+Enter">
        Send
      </button>
      {children}
    </div>
  );
}

function sendOnEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
