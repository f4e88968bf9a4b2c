// A container's files, as they are now.

import { useState } from "preact/hooks";
import type { FileSystem } from "../../../simulated/index.js";
import { useSession } from "../context.js";
import { byteSize } from "../words.js";

const MOST_BYTES = 4096;

export function Files({ container }: { container: string }) {
  const session = useSession();
  const [path, setPath] = useState("/");
  // Read to subscribe to it: commands change files.
  void session.steps.value.length;
  const files = session.files(container);
  if (files === null) return null;
  const entries = listed(files, path);
  return (
    <div>
      <h4>
        Files <code class="muted">{path}</code>
        {session.looking.value !== null && <span class="muted small"> as they are now</span>}
      </h4>
      <ul class="files wire">
        {path !== "/" && (
          <li>
            <button type="button" class="plain" onClick={() => setPath(parentOf(path))}>
              ..
            </button>
          </li>
        )}
        {entries.directory.map((name) => (
          <Entry key={name} files={files} path={joined(path, name)} name={name} open={setPath} />
        ))}
      </ul>
      {entries.text !== null && (
        <pre class="body" tabIndex={0} role="group" aria-label={path}>
          {entries.text}
        </pre>
      )}
    </div>
  );
}

function Entry({
  files,
  path,
  name,
  open,
}: {
  files: FileSystem;
  path: string;
  name: string;
  open: (path: string) => void;
}) {
  const { kind, size, target } = files.linkStatus(path);
  return (
    <li>
      <button type="button" class="plain" onClick={() => open(path)}>
        {kind === "directory" ? `${name}/` : name}
      </button>
      <span class="muted small clip">{kind === "file" ? byteSize(size) : kind === "symlink" ? `→ ${target}` : ""}</span>
    </li>
  );
}

/** A directory's names, or a file's text; both empty if it cannot be read. */
function listed(files: FileSystem, path: string): { directory: string[]; text: string | null } {
  try {
    const { kind, size } = files.status(path);
    if (kind === "directory") return { directory: files.list(path), text: null };
    const text = kind === "file" ? new TextDecoder().decode(files.read(path).subarray(0, MOST_BYTES)) : `a ${kind}`;
    return { directory: [], text: size > MOST_BYTES ? `${text}\n…` : text };
  } catch (error) {
    return { directory: [], text: error instanceof Error ? error.message : String(error) };
  }
}

function joined(path: string, name: string): string {
  return path === "/" ? `/${name}` : `${path}/${name}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
