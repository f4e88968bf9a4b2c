// The folder of the page, which `docker build .` sends: the files of the newest request that has some.

import type { TextFile, WrittenRequest } from "./request.js";

/** What the folder holds at first: a Dockerfile, and a file that it copies. */
export const FIRST_FILES: readonly TextFile[] = [
  {
    name: "Dockerfile",
    text: `FROM busybox
RUN sleep 2; date > /built
COPY greeting /greeting
RUN cat /greeting /built > /page
CMD ["cat", "/page"]
`,
  },
  { name: "greeting", text: "Good morning\n" },
];

/** `requests`: those of the notebook, in their order. */
export function folderIn(requests: readonly WrittenRequest[]): readonly TextFile[] {
  return requests.findLast(({ files }) => files !== undefined)?.files ?? FIRST_FILES;
}
