// How the answers of the reference's BuildKit are compared, which is some years older than the one that we follow.

/** Why a recipe has an answer of its own. */
export const SENTENCES = "the sentences are those of the classic builder, which has the same parser and the same steps";
export const OWNERS = "an owner's name without a user is refused, as by the classic builder";
export const PLACES = "newer versions remove directories again that only a mount needed";

const UNCOMPARED: readonly RegExp[] = [
  // Only programs of Windows take note.
  /^ArgsEscaped /,
];

/** Newer versions keep the times of directories, and say how a step ended in other words. */
const NEWER: readonly (readonly [RegExp, string])[] = [
  [/^(.* directory \d+ \d+:\d+ ) (?:now|\d+) $/, "$1"],
  [/^executor failed running \[(.*)\]: exit code: (\d+)$/, 'process "$1" did not complete successfully: exit code: $2'],
];

/** The lines of an answer that are compared. */
export function compared(lines: readonly string[]): string[] {
  const left = lines.filter((line) => !UNCOMPARED.some((form) => form.test(line)));
  return left.map((line) => NEWER.reduce((text, [form, words]) => text.replace(form, words), line));
}
