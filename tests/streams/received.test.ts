// A web server's file is asked for when its first bytes are wanted: nobody else would close the connection.
import { expect, test } from "vitest";
import { received } from "../../hosts/streams/received.js";

const file = { tag: "web", val: { address: "http://web.example/x" } } as const;
const bodies = {
  take(): never {
    throw new Error("no body");
  },
  session(): never {
    throw new Error("no session");
  },
  upload(): never {
    throw new Error("no session");
  },
  credentials(): never {
    throw new Error("no session");
  },
  secret(): never {
    throw new Error("no session");
  },
  deliver(): never {
    throw new Error("no session");
  },
  agent(): never {
    throw new Error("no session");
  },
  document(): never {
    throw new Error("no session");
  },
  blob(): never {
    throw new Error("no session");
  },
  give(): never {
    throw new Error("no session");
  },
};

test("the connection of a web server is opened and closed by who reads", async () => {
  const happened: string[] = [];
  const web = {
    download: async () => {
      happened.push("asked");
      return { body: pieces(happened), size: 4 };
    },
  };
  const report = (_phase: string, current: bigint, total: bigint): void => void happened.push(`${current}/${total}`);
  const never = received(file, { bodies, web }, report, new AbortController().signal);
  await never[Symbol.asyncIterator]().return?.();
  expect(happened).toEqual([]);
  for await (const _piece of received(file, { bodies, web }, report, new AbortController().signal)) break;
  expect(happened).toEqual(["asked", "0/4", "2/4", "closed"]);
});

async function* pieces(happened: string[]): AsyncGenerator<Uint8Array> {
  try {
    yield new Uint8Array(2);
    yield new Uint8Array(2);
  } finally {
    happened.push("closed");
  }
}
