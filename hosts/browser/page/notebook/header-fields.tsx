// An editor for headers, one per line, as on the wire.

import type { WrittenRequest } from "../../session/request.js";

export interface HeaderFieldsProps {
  request: WrittenRequest;
  edit: (change: Partial<WrittenRequest>) => void;
}

export function HeaderFields({ request, edit }: HeaderFieldsProps) {
  const { headers } = request;
  const change = (at: number, part: 0 | 1, text: string): void => {
    const next = headers.map(([name, value], place): [string, string] =>
      place !== at ? [name, value] : part === 0 ? [text, value] : [name, text],
    );
    edit({ headers: next });
  };
  return (
    <details class="fold">
      <summary>Headers{headers.length > 0 && <span class="muted"> ({headers.length})</span>}</summary>
      <div class="stack tight">
        {headers.map(([name, value], at) => (
          <div key={at} class="header-field">
            <input
              class="wire"
              aria-label={`Name of header ${at + 1}`}
              value={name}
              onInput={(event) => change(at, 0, event.currentTarget.value)}
            />
            <input
              class="wire"
              aria-label={`Value of header ${at + 1}`}
              value={value}
              onInput={(event) => change(at, 1, event.currentTarget.value)}
            />
            <button
              type="button"
              class="plain icon"
              aria-label={`Remove header ${name || at + 1}`}
              onClick={() => edit({ headers: headers.filter((_, place) => place !== at) })}
            >
              ×
            </button>
          </div>
        ))}
        <div>
          <button type="button" onClick={() => edit({ headers: [...headers, ["", ""]] })}>
            Add a header
          </button>
        </div>
      </div>
    </details>
  );
}
