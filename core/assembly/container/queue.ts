// Requests that met a container in an in-between status wait with it until that is over.

import { Container } from "./container";

/** Takes up the requests that waited. One of them may bring the container into such a status again: the rest queue anew. */
export function takeUpQueue(container: Container): void {
  const waiting = container.queue;
  container.queue = [];
  for (let i = 0; i < waiting.length; i++) waiting[i].again(waiting[i]);
}
