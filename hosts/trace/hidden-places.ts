// Lists the places of values that a shared trace must not show: members of JSON (in requests, in the core's records)
// and parameters of queries, by name.

/**
 * `values`: the values of `NAME=value` and of maps. `attributes`: the values of maps, of which only those of build
 * arguments and labels are hidden elsewhere, too. `texts`: every text. `lines`: the commands in Dockerfile lines.
 */
export type Hiding = "values" | "attributes" | "texts" | "lines";

interface Place {
  name: RegExp;
  /** Only inside a member with such a name. */
  within?: RegExp;
  /** Only next to a member with such a name. */
  beside?: RegExp;
  hides: Hiding;
}

// Go's JSON decoder folds letters as Unicode does: `labelſ` is `labels`.
const PLACES: readonly Place[] = [
  { name: /^(?:env|environment|buildargs)$/iu, hides: "values" },
  // `label!` is the filter that excludes labels.
  { name: /^(?:labels?!?|annotations)$/iu, hides: "values" },
  // Options of drivers for volumes, networks, addresses and storage. A network share's `o` usually has its password.
  // `ipamOptions` is in the record of a network, which has `options` of its own.
  { name: /^(?:(?:ipam_?)?options|driver_?opts|storage_?opts?|log_?(?:opts?|options))$/iu, hides: "values" },
  { name: /^config$/iu, within: /^logconfig$/iu, hides: "values" },
  // Of BuildKit's calls, and of the records of its builds.
  { name: /^(?:frontend_?(?:attrs|opt)|(?:exporter_?)?attrs|exporter_?response|answer)$/iu, hides: "attributes" },
  { name: /^steps$/iu, beside: /^ref$/iu, hides: "texts" },
  { name: /^(?:cmd|command|entrypoint|args|arguments|shell|onbuild|created_?by)$/iu, hides: "texts" },
  { name: /^path$/iu, beside: /^args$/iu, hides: "texts" },
  { name: /^test$/iu, within: /^healthcheck$/iu, hides: "texts" },
  // The output of a health check.
  { name: /^output$/iu, hides: "texts" },
  { name: /^changes$/iu, hides: "lines" },
];

/** What to hide in the member `name` of `json`, which is itself the member `within`. Null if nothing. */
export function hidingOf(name: string, json: object, within: string): Hiding | null {
  const place = PLACES.find(
    (one) => one.name.test(name) && (one.within?.test(within) ?? true) && hasMember(json, one.beside),
  );
  return place?.hides ?? null;
}

function hasMember(json: object, name: RegExp | undefined): boolean {
  return name === undefined || Object.keys(json).some((one) => name.test(one));
}
