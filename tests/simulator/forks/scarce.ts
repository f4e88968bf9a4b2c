// Kinds of outputs that drawn stories come to hardly ever, or not each time. A story of tests/simulator/stories shows each
// of them, so that no number of seeds is needed for it.

/** By kind, the file of its story. Wherever the first of such a kind comes, the engine is cut off behind it. */
export const SCARCE: Readonly<Record<string, string>> = {
  "content make-directory": "working-directory.txt",
  "processes limit": "attended.txt",
  "processes ps": "attended.txt",
  "processes resize": "attended.txt",
  "processes rewrite": "hosts-rewritten.txt",
};
