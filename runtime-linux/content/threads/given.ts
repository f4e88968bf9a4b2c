// Bytes that somebody gives, piece by piece, as bytes to iterate over.

/** Must stop soon after `signal`. */
type Giver = (give: (piece: Uint8Array) => Promise<void>, signal: AbortSignal) => Promise<void>;

/** Begins when the first piece is wanted. A piece is valid until the next one is wanted. */
export async function* given(run: Giver): AsyncGenerator<Uint8Array> {
  const controller = new AbortController();
  let piece: { bytes: Uint8Array; used: () => void } | undefined;
  let [wake, free] = [(): void => {}, (): void => {}];
  const give = async (bytes: Uint8Array): Promise<void> => {
    // Nobody takes it any more.
    if (controller.signal.aborted) return;
    await new Promise<void>((used) => {
      piece = { bytes, used };
      wake();
    });
  };
  let isOver = false;
  const running = run(give, controller.signal).finally(() => {
    isOver = true;
    wake();
  });
  // Who stops early does not want to know of a failure.
  running.catch(() => {});
  try {
    for (;;) {
      if (piece === undefined && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      if (piece === undefined) break;
      const { bytes } = piece;
      free = piece.used;
      piece = undefined;
      yield bytes;
      free();
    }
    await running;
  } finally {
    controller.abort();
    free();
    piece?.used();
  }
}
