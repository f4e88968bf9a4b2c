// Several problems in one message, as Docker joins them.

/** A single problem gets no bullet. */
export function listOfProblems(problems: string[]): string {
  return problems.length == 1 ? problems[0] : `* ${problems.join("\n* ")}`;
}
