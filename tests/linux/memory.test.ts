// The daemon's memory does not grow with the number of requests.
import { connect } from "node:net";
import { expect, test } from "vitest";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { rssKibibytes } from "../support/processes.js";

const missing = missingLinux();

const REQUESTS = 4000;
/** How far the heaps of core and host grow with their first work, times three. */
const MEBIBYTES_MAX = 50;

describeUnless(missing, "memory", () => {
  test("hardly grows over thousands of requests with large answers", async () => {
    const daemon = await startCoracle();
    try {
      const engine = new EngineClient(daemon.socketPath);
      for (let i = 0; i < 20; i += 1) await engine.create({ Cmd: ["true"] });
      const before = rssKibibytes(daemon.pid());
      await askRepeatedly(daemon.socketPath, "/containers/json?all=1", REQUESTS);
      expect((rssKibibytes(daemon.pid()) - before) / 1024).toBeLessThan(MEBIBYTES_MAX);
    } finally {
      await daemon.close();
    }
  });
});

/** Sends one request after the other on one connection. */
function askRepeatedly(socketPath: string, target: string, times: number): Promise<void> {
  const request = `GET ${target} HTTP/1.1\r\nHost: docker\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let left = times;
    let answer = "";
    const socket = connect(socketPath, () => socket.write(request));
    socket.on("error", reject);
    socket.on("data", (bytes) => {
      answer += bytes.toString("latin1");
      if (!isWhole(answer)) return;
      if (!answer.startsWith("HTTP/1.1 200")) reject(new Error(answer));
      answer = "";
      left -= 1;
      if (left > 0) return void socket.write(request);
      socket.destroy();
      resolve();
    });
  });
}

/** Long answers are chunked. */
function isWhole(answer: string): boolean {
  return answer.endsWith("\r\n0\r\n\r\n");
}
