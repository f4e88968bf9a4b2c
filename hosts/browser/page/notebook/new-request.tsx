// Starts a new cell: choose an endpoint, or type a curl line or a docker command.

import { useState } from "preact/hooks";
import type { Endpoint } from "../../reference/reference.js";
import { usePlayground } from "../context.js";
import { VERSIONS } from "../references.js";
import { draft } from "./draft.js";
import { TypedLine } from "./typed-line.js";

export function NewRequest() {
  const playground = usePlayground();
  const reference = playground.reference.value;
  const [chosen, setChosen] = useState("");
  const choose = (key: string): void => {
    const endpoint = reference?.endpoints.find((one) => keyOf(one) === key);
    if (endpoint === undefined) return;
    playground.add(draft(endpoint, playground.version.value, playground.session.value.world.value));
    setChosen("");
  };
  return (
    <section class="new-request" aria-label="New request">
      <h3>Next request</h3>
      <TypedLine />
      <div class="row">
        <label class="grow">
          <span class="unseen">Endpoint</span>
          <select value={chosen} onChange={(event) => choose(event.currentTarget.value)} disabled={reference === null}>
            <option value="">or choose an endpoint…</option>
            {reference?.tags.map((tag) => (
              <optgroup key={tag.name} label={tag.title}>
                {reference.endpoints
                  .filter((one) => one.tag === tag.name)
                  .map((one) => (
                    <option key={keyOf(one)} value={keyOf(one)}>
                      {one.method} {one.path} – {one.summary}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <label class="row">
          <span class="small muted">API version</span>
          <select
            value={playground.version.value}
            onChange={(event) => (playground.version.value = event.currentTarget.value)}
          >
            {VERSIONS.map((version) => (
              <option key={version}>{version}</option>
            ))}
          </select>
        </label>
      </div>
    </section>
  );
}

function keyOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}
