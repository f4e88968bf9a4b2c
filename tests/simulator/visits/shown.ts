// Cases of the boundary that drawn stories come to hardly ever. A story of tests/simulator/stories shows each of them.

/** By case, the file of its story. */
export const SHOWN: Readonly<Record<string, string>> = {
  "change-kind deleted": "changed-in-all-ways.txt",
  "change-kind modified": "changed-in-all-ways.txt",
  "closing input-ended": "detached.txt",
  "closing failed": "source-that-breaks.txt",
  "content-command make-directory": "working-directory.txt",
  "deed skipped": "journal-damaged.txt",
  "failure-kind internal": "failures-of-a-host.txt",
  "failure-kind unsupported": "failures-of-a-host.txt",
  "process-command rewrite": "hosts-rewritten.txt",
  "process-state lost": "lost-while-away.txt",
  "process-state unstarted": "failed-while-away.txt",
};
