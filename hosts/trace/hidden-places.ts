// Where values stand that a shared trace must not show: members of JSON and parameters of queries, by their names.

/** `values`: of `NAME=value` and of maps, whose names stay. `texts`: every text. `lines`: what Dockerfiles run. */
export type Hiding = "values" | "texts" | "lines";

interface Place {
  name: RegExp;
  /** Only in a member of that name. */
  within?: RegExp;
  /** Only where another member has that name. */
  beside?: RegExp;
  hides: Hiding;
}

// Readers of JSON fold letters as Unicode does: `labelſ` is `labels`.
const PLACES: readonly Place[] = [
  { name: /^(?:env|environment|buildargs)$/iu, hides: "values" },
  // `label!`, too: what a filter leaves out.
  { name: /^(?:labels?!?|annotations)$/iu, hides: "values" },
  // Of drivers of volumes, networks, addresses, storage: a share's `o` has its password, as a rule.
  { name: /^(?:options|driver_?opts|storage_?opts?|log_?(?:opts?|options))$/iu, hides: "values" },
  { name: /^config$/iu, within: /^logconfig$/iu, hides: "values" },
  { name: /^(?:cmd|command|entrypoint|args|arguments|shell|onbuild|created_?by)$/iu, hides: "texts" },
  { name: /^path$/iu, beside: /^args$/iu, hides: "texts" },
  { name: /^test$/iu, within: /^healthcheck$/iu, hides: "texts" },
  // What a health check has said.
  { name: /^output$/iu, hides: "texts" },
  { name: /^changes$/iu, hides: "lines" },
];

/** What is hidden of the member `name` of `json`, itself the member `within`; null if nothing is by that. */
export function hidingOf(name: string, json: object, within: string): Hiding | null {
  const place = PLACES.find(
    (one) => one.name.test(name) && (one.within?.test(within) ?? true) && hasMember(json, one.beside),
  );
  return place?.hides ?? null;
}

function hasMember(json: object, name: RegExp | undefined): boolean {
  return name === undefined || Object.keys(json).some((one) => name.test(one));
}
