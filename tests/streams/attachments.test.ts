// An exit is reported only after attached clients have the output.

import { expect, test, vi } from "vitest";
import type { Input, LogBytes, Stdio } from "../../hosts/shared/host.js";
import { Attachment } from "../../hosts/streams/attach.js";
import { Attachments } from "../../hosts/streams/attachments.js";
import { NO_STREAMS } from "../support/no-streams.js";

const EXITED: Input = {
  tag: "exited",
  val: { container: "web", run: 1, exit: { code: 0, outOfMemory: false, lost: false, at: 0n } },
};
/** Much longer than anything here takes. */
const PATIENCE = { timeout: 60_000 };
const LINE = new TextEncoder().encode("2026-01-01T00:00:00.000000000+00:00 stdout F hello\n");

test("an exit is reported when attached clients have the output", async () => {
  const { attachments, begin, takeAll } = await attached();
  const happened = vi.fn();
  attachments.inOrder(happened)(EXITED);
  begin();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(happened).not.toHaveBeenCalled();
  takeAll();
  await vi.waitFor(() => expect(happened).toHaveBeenCalledWith(EXITED), PATIENCE);
});

test("without attached clients it is reported at once, and so is everything else", () => {
  const attachments = new Attachments(stdioOf());
  const happened = vi.fn();
  attachments.inOrder(happened)(EXITED);
  expect(happened).toHaveBeenCalledTimes(1);
});

test("a client that does not read delays it by at most two seconds", async () => {
  const { attachments, begin } = await attached();
  const happened = vi.fn();
  const asked = Date.now();
  attachments.inOrder(happened)(EXITED);
  begin();
  await vi.waitFor(() => expect(happened).toHaveBeenCalled(), PATIENCE);
  expect(Date.now() - asked).toBeGreaterThan(1900);
});

const RUN = { container: "web", run: 1, history: true, ended: false, live: true };

/** A client whose socket accepts nothing until `takeAll`. */
async function attached(): Promise<{ attachments: Attachments; begin: () => void; takeAll: () => void }> {
  const stdio = stdioOf();
  const attachment = await Attachment.bind(
    {
      head: { status: 200, headers: "" },
      stdio: { tag: "run", val: RUN },
      stdin: false,
      stdout: true,
      stderr: true,
      framing: "multiplexed",
      keepAfterInput: true,
      detachKeys: new Uint8Array(),
    },
    RUN,
    stdio,
  );
  const attachments = new Attachments(stdio);
  attachments.add("web", attachment);
  const gates: (() => void)[] = [];
  const client = {
    write: () => new Promise<boolean>((resolve) => gates.push(() => resolve(true))),
    bytes: async function* (): AsyncIterable<Uint8Array> {},
  };
  const begin = (): void => {
    void attachment.run(client, new AbortController().signal, new AbortController().signal);
  };
  return { attachments, begin, takeAll: () => gates.forEach((open) => open()) };
}

function stdioOf(): Stdio {
  const log: LogBytes = {
    size: async () => LINE.length,
    start: async () => 0,
    read: async (offset, into) => {
      const rest = LINE.subarray(offset, offset + into.length);
      into.set(rest);
      return rest.length;
    },
    watch: () => () => {},
    close: async () => {},
  };
  return {
    log: async () => log,
    stdin: () => ({ write: async () => {}, end: () => {}, release: () => {} }),
    ...NO_STREAMS,
  };
}
