// `/etc/resolv.conf` of a container (resolv.conf(5)): the client's lines, and the machine's own lines for the rest.

const KINDS = ["search", "nameserver", "options"];

/**
 * `asked`: the client's lines, and with a `+` lines in addition to them or the machine's; undefined for a copy of `own`, the machine's file. `apart`: the container has its own
 * network namespace. There loopback addresses are the container's own, and there is no IPv6. `others`: servers to use if
 * none of the machine's can be reached there.
 */
export function resolvConf(asked: string | undefined, own: string, apart: boolean, others: readonly string[]): string {
  const usable = apart ? reachable(own, others) : own;
  if (asked === undefined) return usable;
  const lines = KINDS.flatMap((kind) => {
    const wanted = linesOf(asked, kind);
    const chosen = wanted.length > 0 ? wanted : linesOf(usable, kind === "search" ? "search|domain" : kind);
    return [...chosen, ...linesOf(asked, `\\+${kind}`).map((line) => line.slice(1))];
  });
  return lines
    .filter((line) => line !== "search .")
    .map((line) => `${line}\n`)
    .join("");
}

/** The text without servers that cannot be reached. */
function reachable(text: string, others: readonly string[]): string {
  const isReachable = (line: string): boolean => !/^\s*nameserver\s+(127\.|\S*:)/.test(line);
  const lines = text.split("\n");
  const left = lines.filter(isReachable);
  if (linesOf(left.join("\n"), "nameserver").length > 0) return left.length === lines.length ? text : left.join("\n");
  return [...others.map((server) => `nameserver ${server}`), ...left].join("\n");
}

/** Lines that begin with a word. */
function linesOf(text: string, word: string): string[] {
  const starts = new RegExp(`^(${word})\\s`);
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => starts.test(line));
}
