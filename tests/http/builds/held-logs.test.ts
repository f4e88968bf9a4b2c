// Logs of builds by BuildKit whose client reads too slowly for them to be opened when their command ends.
import { expect } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { rawTar } from "../../support/archives/tar.js";
import type { Json } from "../../support/engine-client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { messagesOf } from "../../support/buildkit/protocol.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { RawConnection } from "../../support/raw-http.js";

/** So long that a step's name alone is more than a stream may have unread. Its command is short. */
const LONG = `${" ".repeat(50 * 1024)}\\\n`.repeat(14);

onEngines("a log that waits for its client to read", (engine, kind) => {
  forgetsBuilds(engine, kind);
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  const containers = (): Promise<Json[]> => engine().read<Json[]>("/containers/json?all=1");

  /** Its client reads nothing. Its container has ended when this resolves. */
  async function begin(command: string): Promise<RawConnection> {
    const dockerfile = `FROM busybox\nRUN ["sh",${LONG} "-c", "${command}"]\n`;
    const context = rawTar([{ name: "Dockerfile", body: dockerfile }]);
    const connection = await RawConnection.open(engine().socketPath);
    connection.pause();
    connection.send(`POST /build?version=2&nocache=1 HTTP/1.1\r\nHost: d\r\nContent-Length: ${context.length}\r\n\r\n`);
    connection.send(context);
    await expect.poll(async () => (await containers()).map(({ State }) => State)).toEqual(["exited"]);
    return connection;
  }

  for (const end of ["true", "false"]) {
    ofOurs(`is told in full, and then its container goes (${end})`, async () => {
      const connection = await begin(`echo told; ${end}`);
      connection.resume();
      const { text } = await connection.response("POST");
      connection.close();
      expect(logsIn(text)).toBe("told\n");
      await expect.poll(containers).toEqual([]);
    });
  }

  ofOurs("goes with its client", async () => {
    const connection = await begin("echo told");
    connection.close();
    await expect.poll(containers).toEqual([]);
  });
});

function logsIn(text: string): string {
  const { decode } = messagesOf("StatusResponse");
  const lines = text.split("\r\n").filter((line) => line !== "");
  return lines
    .map((line) => JSON.parse(line) as { id?: string; aux: string })
    .filter(({ id }) => id === "moby.buildkit.trace")
    .flatMap(({ aux }) => (decode(Buffer.from(aux, "base64"))["logs"] ?? []) as { msg: Uint8Array }[])
    .map(({ msg }) => Buffer.from(msg).toString())
    .join("");
}
