// A session's client that has stopped, but leaves its connection open.
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { endOnceStopped } from "../../hosts/node/grpc/session-pulse.js";

let server: Http2Server | undefined;
let session: ClientHttp2Session | undefined;
afterEach(() => {
  session?.destroy();
  server?.close();
});

/** `answer`: of the client, which is the server of the calls. */
async function sessionWith(answer: (stream: ServerHttp2Stream, path: string) => void): Promise<ClientHttp2Session> {
  server = createServer();
  server.on("stream", (stream, headers) => answer(stream, String(headers[":path"])));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  endOnceStopped(session, 20_000_000n);
  return session;
}

test("answers without a status are those of a client that has stopped", async () => {
  const asked: string[] = [];
  const stopped = await sessionWith((stream, path) => {
    asked.push(path);
    stream.respond({ ":status": 200 }, { endStream: true });
  });
  await once(stopped, "close");
  expect(asked).toEqual(["/grpc.health.v1.Health/Check"]);
});

test("a client that breaks the call off has stopped", async () => {
  const stopped = await sessionWith((stream) => stream.close(constants.NGHTTP2_CANCEL));
  await once(stopped, "close");
  expect(stopped.destroyed).toBe(true);
});

test("a client that knows no such call has not stopped, and is asked again", async () => {
  let times = 0;
  const asked = new Promise<void>((resolve) => {
    void sessionWith((stream) => {
      stream.respond({ ":status": 200, "grpc-status": "12" }, { endStream: true });
      if (++times === 3) resolve();
    });
  });
  await asked;
  expect(session!.destroyed).toBe(false);
});

test("a client that is slow to answer has not stopped, and is asked once", async () => {
  let times = 0;
  const slow = await sessionWith(() => {
    times++;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([times, slow.destroyed]).toEqual([1, false]);
});
