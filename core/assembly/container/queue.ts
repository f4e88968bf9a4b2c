// The queue of requests that wait until a container leaves a transitional state.

import { Container } from "./container";

/** Resumes the waiting requests. If one of them starts another transition, the rest queue again. */
export function takeUpQueue(container: Container): void {
  const waiting = container.queue;
  container.queue = [];
  for (let i = 0; i < waiting.length; i++) waiting[i].again(waiting[i]);
}
