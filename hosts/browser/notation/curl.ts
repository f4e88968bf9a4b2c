// Parses curl lines: the options that are used for requests to an engine (curl(1)).

import type { Parsed, PlannedRequest } from "./notation.js";

type Header = readonly [name: string, value: string];

/** What the options ask for. */
interface Asked {
  method: string | null;
  headers: Header[];
  /** Headers that curl must leave out. */
  without: Set<string>;
  data: string[] | null;
  json: boolean;
  inQuery: boolean;
  urls: string[];
  remarks: string[];
}

/** Options without a value that have no effect here. */
const SILENT = new Set(
  "-s --silent -S --show-error -i --include -v --verbose -N --no-buffer -f --fail --fail-with-body -L --location -k --insecure -g --globoff -# --progress-bar --compressed --http1.1 --http1.0 --no-progress-meter -O -J --trace-time".split(
    " ",
  ),
);
/** Options with a value that have no effect here. */
const SILENT_WITH_VALUE = new Set(
  "-o --output -m --max-time --connect-timeout -w --write-out --retry --retry-delay --abstract-unix-socket --trace --trace-ascii -A --user-agent".split(
    " ",
  ),
);
/** Short options that take a value, possibly in the same word. */
const SHORT_WITH_VALUE = "XHdomwuATFbce";

/** Parses the words of a command that begins with `curl`. */
export function parseCurl(words: readonly string[]): Parsed {
  const asked: Asked = {
    ...{ method: null, headers: [], without: new Set<string>(), data: null, json: false, inQuery: false },
    ...{ urls: [], remarks: [] },
  };
  const problem = readOptions(separated(words.slice(1)), asked);
  if (problem !== null) return { ok: false, ...problem };
  if (asked.urls.length === 0) return { ok: false, message: "curl needs a URL", at: null };
  const requests: PlannedRequest[] = [];
  for (const url of asked.urls) {
    const target = targetOf(url);
    if (target === null) return { ok: false, message: "this is not a URL of the engine: it needs a path", at: url };
    requests.push(requestOf(asked, target));
  }
  return { ok: true, notation: "curl", requests, remarks: asked.remarks };
}

interface Problem {
  message: string;
  at: string | null;
}

/** `-sXPOST` becomes `-s -X POST`. `--data=x` stays, because curl does not have that form. */
function separated(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    if (!/^-[^-]./.test(word)) return [word];
    const letters = [...word.slice(1)];
    const last = letters.findIndex((letter) => SHORT_WITH_VALUE.includes(letter));
    if (last < 0) return letters.map((letter) => `-${letter}`);
    const value = letters.slice(last + 1).join("");
    return [...letters.slice(0, last + 1).map((letter) => `-${letter}`), ...(value === "" ? [] : [value])];
  });
}

function readOptions(words: readonly string[], asked: Asked): Problem | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-") || word === "-") asked.urls.push(word);
    else if (SILENT.has(word)) continue;
    else if (word === "-I" || word === "--head") asked.method ??= "HEAD";
    else if (word === "-G" || word === "--get") asked.inQuery = true;
    else {
      const value = words[++at];
      if (value === undefined) return { message: `curl: ${word} needs a value`, at: word };
      const problem = readOption(word, value, asked);
      if (problem !== null) return problem;
    }
  }
  return null;
}

function readOption(option: string, value: string, asked: Asked): Problem | null {
  switch (option) {
    case "--unix-socket":
      return null;
    case "--url":
      asked.urls.push(value);
      return null;
    case "-X":
    case "--request":
      asked.method = value;
      return null;
    case "-H":
    case "--header":
      return readHeader(value, asked);
    case "-u":
    case "--user":
      asked.headers.push(["Authorization", `Basic ${base64(value)}`]);
      return null;
    case "-d":
    case "--data":
    case "--data-ascii":
    case "--data-binary":
    case "--json":
      if (value.startsWith("@")) return { message: "the page has no files to send: write the body itself", at: value };
      asked.json ||= option === "--json";
      asked.data = [...(asked.data ?? []), value];
      return null;
    case "--data-raw":
      asked.data = [...(asked.data ?? []), value];
      return null;
    case "--data-urlencode":
      asked.data = [...(asked.data ?? []), encodedPair(value)];
      return null;
    default:
      if (SILENT_WITH_VALUE.has(option)) return null;
      return { message: `curl: ${option} is not supported here`, at: option };
  }
}

function readHeader(line: string, asked: Asked): Problem | null {
  const parts = /^([^:;\s]+)\s*([:;])\s*(.*)$/s.exec(line);
  if (parts === null) return { message: "a header has the form Name: value", at: line };
  const [, name, sign, value] = parts as unknown as [string, string, string, string];
  if (sign === ":" && value === "") asked.without.add(name.toLowerCase());
  else asked.headers.push([name, value]);
  return null;
}

function requestOf(asked: Asked, target: string): PlannedRequest {
  const data = asked.data === null ? null : asked.data.join(asked.json ? "" : "&");
  const has = (name: string): boolean =>
    asked.without.has(name) || asked.headers.some(([one]) => one.toLowerCase() === name);
  const headers = [...asked.headers];
  if (data !== null && !asked.inQuery) {
    if (asked.json && !has("content-type")) headers.push(["Content-Type", "application/json"]);
    if (asked.json && !has("accept")) headers.push(["Accept", "application/json"]);
    if (!asked.json && !has("content-type")) {
      headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
      asked.remarks.push(
        "Without -H 'Content-Type: application/json' curl declares the body as a form, so it is sent that way.",
      );
    }
  }
  const inQuery = asked.inQuery && data !== null;
  return {
    method: asked.method ?? (data === null || asked.inQuery ? "GET" : "POST"),
    target: inQuery ? `${target}${target.includes("?") ? "&" : "?"}${data}` : target,
    headers,
    body: inQuery ? "" : (data ?? ""),
    purpose: "",
    background: false,
  };
}

/**
 * The path and query; the host does not matter. Also accepts the old forms: `http:/v1.24/…`, and the version in place
 * of a host.
 */
function targetOf(url: string): string | null {
  const after = url.replace(/^(https?|unix|http\+unix):/, "");
  const path = after.startsWith("//") ? after.slice(2) : after;
  if (after.startsWith("/") && !after.startsWith("//")) return after;
  if (/^v\d+\.\d+\//.test(path)) return `/${path}`;
  const slash = path.indexOf("/");
  if (slash < 0) return path === "" || path.includes("?") ? null : "/";
  return path.slice(slash);
}

function encodedPair(value: string): string {
  const equals = value.indexOf("=");
  if (equals < 0) return encodeURIComponent(value);
  return `${value.slice(0, equals)}${equals > 0 ? "=" : ""}${encodeURIComponent(value.slice(equals + 1))}`;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
