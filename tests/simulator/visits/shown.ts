// Cases of the boundary that drawn stories come to hardly ever. A story of tests/simulator/stories shows each of them.

/** By case, the file of its story. */
export const SHOWN: Readonly<Record<string, string>> = {
  "body oversized": "failures-of-a-host.txt",
  "change-kind deleted": "changed-in-all-ways.txt",
  "change-kind modified": "changed-in-all-ways.txt",
  "closing detached": "detached.txt",
  "closing input-ended": "detached.txt",
  "closing failed": "source-that-breaks.txt",
  "compression deflate": "told-in-all-ways.txt",
  "compression gzip": "told-in-all-ways.txt",
  "content-command make-directory": "working-directory.txt",
  "deed set-aside": "record-torn.txt",
  "deed skipped": "journal-damaged.txt",
  "failure-kind busy": "failures-of-a-host.txt",
  "failure-kind exists": "failures-of-a-host.txt",
  "failure-kind internal": "failures-of-a-host.txt",
  "failure-kind registry": "failures-of-a-host.txt",
  "failure-kind unsupported": "failures-of-a-host.txt",
  "framing websocket-binary": "told-in-all-ways.txt",
  "framing websocket-text": "told-in-all-ways.txt",
  "input reloaded": "reloaded.txt",
  "journal-start position": "many-events.txt",
  "process-command rewrite": "hosts-rewritten.txt",
  "process-state lost": "lost-while-away.txt",
  "process-state unstarted": "failed-while-away.txt",
};
