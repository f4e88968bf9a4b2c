// A web server in the test's process, on the test's side of the veth: files, refusals, and answers that break off.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebServer {
  /** `http://ADDRESS:PORT`. */
  readonly url: string;
  /** `METHOD target` of every request, in order, with its `Authorization` behind it if it has one. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** `answers`: what is at each path. Other paths are 404. */
export async function startWebServer(
  address: string,
  answers: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>>,
): Promise<WebServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push([method, url, headers.authorization].filter((word) => word !== undefined).join(" "));
    const answer = answers[url.split("?")[0] ?? ""];
    if (answer === undefined) response.writeHead(404).end("nothing here\n");
    else answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${address}:${(server.address() as AddressInfo).port}`, asked, close };
}

/** Sends the bytes, with their length. */
export function file(bytes: Buffer): (response: ServerResponse) => void {
  return (response) => void response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
}
