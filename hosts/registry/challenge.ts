// Parses a registry's `WWW-Authenticate` header (RFC 9110 §11.6.1).

/** One challenge of the header. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  scheme: string;
  /** Names in lower case. */
  parameters: Map<string, string>;
}

/** All challenges of a header's value, in order. Unreadable ones are left out. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  let rest = header;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, "");
    const parameter = PARAMETER.exec(rest);
    const scheme = SCHEME.exec(rest);
    if (parameter && challenges.length > 0) {
      const [all, name = "", quoted, plain = ""] = parameter;
      challenges[challenges.length - 1]?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain);
      rest = rest.slice(all.length);
    } else if (scheme?.[1]) {
      challenges.push({ scheme: scheme[1].toLowerCase(), parameters: new Map() });
      rest = rest.slice(scheme[0].length);
    } else {
      return challenges;
    }
  }
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(`^(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`);
const SCHEME = new RegExp(`^(${TOKEN})(?=\\s|,|$)`);
