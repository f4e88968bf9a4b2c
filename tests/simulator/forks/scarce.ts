// Kinds of outputs that drawn stories reach rarely. Each has a story in tests/simulator/stories that shows it, so that
// it does not depend on the number of seeds.

/** The file of each kind's story. In every story, the engine is cut off after the first output of such a kind. */
export const SCARCE: Readonly<Record<string, string>> = {
  "content clone": "repository-cloned.txt",
  "content find-credentials": "credentials-asked.txt",
  "content flush-layers": "load-not-flushed.txt",
  "content free-space": "cache-pruned-for-room.txt",
  "content forward-agent": "agents-forwarded.txt",
  "content hold-secret": "secrets-held.txt",
  "content keep-log": "logs-kept.txt",
  "content send-files": "outputs-sent.txt",
  "content send-images": "outputs-sent.txt",
  "content give-blobs": "cache-kept-by-client.txt",
  "content read-document": "cache-kept-by-client.txt",
  "content list-files": "results-looked-at.txt",
  "content make-directory": "working-directory.txt",
  "processes limit": "attended.txt",
  "processes ps": "attended.txt",
  "processes resize": "attended.txt",
  "processes rewrite": "hosts-rewritten.txt",
};
