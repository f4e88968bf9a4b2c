// Fields for the query parameters in the reference of this endpoint. They stay in sync with the target.

import type { Endpoint, Parameter } from "../../reference/reference.js";
import type { WrittenRequest } from "../../session/request.js";
import { usePlayground } from "../context.js";
import { targetParts, withQuery } from "./endpoint.js";

export interface ParameterFieldsProps {
  request: WrittenRequest;
  endpoint: Endpoint | null;
  edit: (change: Partial<WrittenRequest>) => void;
}

export function ParameterFields({ request, endpoint, edit }: ParameterFieldsProps) {
  const { reference } = usePlayground();
  const parameters = endpoint?.parameters.filter((one) => one.in === "query") ?? [];
  // Until the reference is loaded it is unknown whether there are any, so the place is kept.
  if (parameters.length === 0 && reference.value !== null) return null;
  const { query } = targetParts(request.target);
  const set = new Set(query.keys()).size;
  return (
    <details class="fold">
      <summary>Parameters{set > 0 && <span class="muted"> ({set} set)</span>}</summary>
      <div class="fields">
        {parameters.map((parameter) => (
          <label key={parameter.name} class="field">
            <span class="wire">{parameter.name}</span>
            <ParameterInput
              parameter={parameter}
              value={query.get(parameter.name) ?? ""}
              change={(value) => edit({ target: withQuery(request.target, parameter.name, value) })}
            />
            {parameter.description && <span class="small muted">{parameter.description}</span>}
          </label>
        ))}
      </div>
    </details>
  );
}

interface ParameterInputProps {
  parameter: Parameter;
  value: string;
  change: (value: string) => void;
}

function ParameterInput({ parameter, value, change }: ParameterInputProps) {
  const choices = parameter.type === "boolean" ? ["true", "false"] : parameter.enum;
  const preset = parameter.default === undefined ? "" : String(parameter.default);
  if (choices === undefined) {
    return (
      <input
        class="wire"
        value={value}
        placeholder={preset}
        inputMode={parameter.type === "integer" ? "numeric" : "text"}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  }
  const known = value === "" || choices.includes(value) ? choices : [...choices, value];
  return (
    <select value={value} onChange={(event) => change(event.currentTarget.value)}>
      <option value="">{preset === "" ? "not sent" : `not sent (${preset})`}</option>
      {known.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
