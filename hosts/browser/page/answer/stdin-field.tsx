// A field for input to the container's stdin.

import { useState } from "preact/hooks";
import type { Exchange } from "../../session/exchange.js";
import { usePlayground, useSession } from "../context.js";

export function StdinField({ exchange }: { exchange: Exchange }) {
  const playground = usePlayground();
  const session = useSession();
  const [line, setLine] = useState("");
  const ended = !exchange.typable.value;
  const terminal = exchange.view.value.kind === "terminal";
  const type = (): void => {
    setLine("");
    void playground.run(session.type(exchange.number, `${line}${terminal ? "\r" : "\n"}`));
  };
  return (
    <form
      class="stdin"
      onSubmit={(event) => {
        event.preventDefault();
        type();
      }}
    >
      <label class="grow">
        <span class="unseen">Line for stdin</span>
        <input
          class="wire"
          placeholder={ended ? "stdin has ended" : "stdin"}
          disabled={ended}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={line}
          onInput={(event) => setLine(event.currentTarget.value)}
        />
      </label>
      <button disabled={ended}>Type</button>
      <button type="button" disabled={ended} onClick={() => void playground.run(session.endInput(exchange.number))}>
        End input
      </button>
    </form>
  );
}
