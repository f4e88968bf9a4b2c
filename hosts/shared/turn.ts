// One turn of the event loop. When it is over, all microtasks queued before have run.

/** Resolves in the next turn of the event loop, without the 4 ms that browsers add to timers. */
export const turn: () => Promise<void> = typeof setImmediate === "function" ? turnOfNode : turnsOf(newChannel);

function turnOfNode(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Turns by messages to oneself. The channel is made at the first call. */
export function turnsOf(make: () => MessageChannel): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let port: MessagePort | null = null;
  return () => {
    if (port === null) {
      const channel = make();
      channel.port2.onmessage = () => waiting.shift()?.();
      port = channel.port1;
    }
    const over = new Promise<void>((resolve) => void waiting.push(resolve));
    port.postMessage(null);
    return over;
  };
}

function newChannel(): MessageChannel {
  return new MessageChannel();
}
