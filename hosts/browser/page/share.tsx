// Shares the session: as a link, and as a script of curl lines.

import { useRef, useState } from "preact/hooks";
import { CopyButton } from "./copy-button.js";
import { usePlayground } from "./context.js";

export function Share() {
  const playground = usePlayground();
  const dialog = useRef<HTMLDialogElement>(null);
  const [link, setLink] = useState("");
  const open = async (): Promise<void> => {
    const text = await playground.run(playground.link());
    if (text === undefined) return;
    const url = new URL(location.href);
    url.hash = text;
    setLink(url.href);
    history.replaceState(null, "", url);
    dialog.current?.showModal();
  };
  const save = async (): Promise<void> => {
    const { curlScript } = await import("../notation/curl-script.js");
    download("session.sh", curlScript(playground.session.value.exchanges.value));
  };
  return (
    <>
      <button type="button" onClick={() => void open()}>
        Share
      </button>
      <dialog ref={dialog} aria-labelledby="share-title" class="stack">
        <h2 id="share-title">Share this session</h2>
        <p>
          The link holds all that was done, and opens to the same state. Credentials for registries are taken out of it;
          what you wrote into a container's command, variables or input is not. If the state is wrong, the link is a bug
          report.
        </p>
        <label class="stack tight">
          <span class="small muted">Link ({link.length} characters)</span>
          <input class="wire" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        </label>
        <form method="dialog" class="row">
          <CopyButton text={() => link} label="Copy the link" primary />
          <button type="button" onClick={() => void playground.run(save())}>
            Save as curl script
          </button>
          <span class="grow" />
          <button>Close</button>
        </form>
      </dialog>
    </>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/x-shellscript" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(url);
}
