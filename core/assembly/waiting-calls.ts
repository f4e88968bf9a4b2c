// Requests that wait until something has ended, such as a transition of a container or the removal of a network.

import { Call } from "./call";

/** Resumes the requests, each from its beginning. If one of them makes the others wait again, they queue again. */
export function resumeCalls(queue: Call[]): void {
  const waiting = queue.splice(0);
  for (let i = 0; i < waiting.length; i++) waiting[i].again(waiting[i]);
}
