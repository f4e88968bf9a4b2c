// How a session's client is asked whether it has an ssh agent.
import { expect, test } from "vitest";
import { askedAgent } from "../../hosts/buildkit/agent.js";
import { CallFailed, TooLarge, type Caller } from "../../hosts/buildkit/conversation.js";

const WANTED = { id: "default", message: 10 };

/** A client whose answer is these messages, or this error. */
function answering(...answers: (Uint8Array | Error)[]): Caller {
  return () => ({
    send: async () => {},
    finish: () => {},
    cancel: () => {},
    messages: (async function* () {
      for (const answer of answers) {
        if (answer instanceof Error) throw answer;
        yield answer;
      }
    })(),
  });
}

const asked = (caller: Caller): Promise<unknown> => askedAgent(caller, WANTED, new AbortController().signal);

test("any answer says that there is one, also one that is too large to be read", async () => {
  expect(await asked(answering(new Uint8Array()))).toBeTypeOf("function");
  expect(await asked(answering(new TooLarge("the message has 600000 bytes")))).toBeTypeOf("function");
});

test("an error says that there is none, and so does the session's end", async () => {
  const words = { failure: { tag: "body-broke", val: "unset ssh forward key" } };
  await expect(asked(answering(new CallFailed(2, "unset ssh forward key")))).rejects.toMatchObject(words);
  await expect(asked(answering(new CallFailed(12, "")))).rejects.toMatchObject({ failure: { tag: "no-such" } });
  await expect(asked(answering())).rejects.toMatchObject({ failure: { tag: "interrupted" } });
});
