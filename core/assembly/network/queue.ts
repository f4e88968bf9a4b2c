// The queue of requests that wait until a network has been made or removed.

import { Network } from "./network";

/** Resumes the waiting requests. */
export function takeUpNetworkQueue(network: Network): void {
  const waiting = network.queue;
  network.queue = [];
  for (let i = 0; i < waiting.length; i++) waiting[i].again(waiting[i]);
}
