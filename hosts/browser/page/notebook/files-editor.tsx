// An editor for the files of an archive, which is the body of a request: the context of a build.

import type { TextFile, WrittenRequest } from "../../session/request.js";

export interface FilesEditorProps {
  files: readonly TextFile[];
  edit: (change: Partial<WrittenRequest>) => void;
}

export function FilesEditor({ files, edit }: FilesEditorProps) {
  const change = (at: number, part: Partial<TextFile>): void =>
    edit({ files: files.map((file, place) => (place === at ? { ...file, ...part } : file)) });
  return (
    <div class="files-editor stack tight" role="group" aria-label="Files of the archive">
      {files.map(({ name, text }, at) => (
        <div key={at} class="file-field">
          <div class="row">
            <input
              class="wire grow"
              aria-label={`Name of file ${at + 1}`}
              spellcheck={false}
              autocapitalize="off"
              value={name}
              onInput={(event) => change(at, { name: event.currentTarget.value })}
            />
            <button
              type="button"
              class="plain icon"
              aria-label={`Remove file ${name || at + 1}`}
              onClick={() => edit({ files: files.filter((_, place) => place !== at) })}
            >
              ×
            </button>
          </div>
          <textarea
            class="wire"
            aria-label={`Text of file ${name || at + 1}`}
            spellcheck={false}
            autocapitalize="off"
            rows={Math.min(18, text.split("\n").length)}
            value={text}
            onInput={(event) => change(at, { text: event.currentTarget.value })}
          />
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => edit({ files: [...files, { name: "", text: "" }] })}>
          Add a file
        </button>
        <span class="muted small">The body is a tar of these files.</span>
      </div>
    </div>
  );
}
