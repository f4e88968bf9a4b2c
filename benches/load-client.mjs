// Replaces load-client.c if there is no C compiler: load-client.mjs SOCKET TARGET REQUESTS CONNECTIONS [STATUS BODY].
// Prints how many milliseconds all requests took.
import { connect } from "node:net";

const [socketPath, target] = process.argv.slice(2);
const [requests, connections] = process.argv.slice(4, 6).map(Number);
const [status = "200", body] = process.argv.slice(6);
const about =
  body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
const request = Buffer.from(
  `${body === undefined ? "GET" : "POST"} ${target} HTTP/1.1\r\nHost: docker\r\n${about}\r\n${body ?? ""}`,
);
let sent = 0;
let answered = 0;
let began = 0n;

const sockets = await Promise.all(
  Array.from(
    { length: connections },
    () =>
      new Promise((resolve, reject) => {
        const socket = connect(socketPath, () => resolve(socket));
        socket.once("error", reject);
      }),
  ),
);

await new Promise((resolve, reject) => {
  for (const socket of sockets) {
    socket.on("error", reject);
    let answer = "";
    socket.on("data", (bytes) => {
      answer += bytes.toString("latin1");
      if (!isWhole(answer)) return;
      if (!answer.startsWith(`HTTP/1.1 ${status}`)) reject(new Error(answer));
      answer = "";
      answered += 1;
      if (answered === requests) resolve();
      else if (sent < requests) ask(socket);
    });
  }
  began = process.hrtime.bigint();
  for (const socket of sockets) ask(socket);
});
console.log(Number(process.hrtime.bigint() - began) / 1e6);
for (const socket of sockets) socket.destroy();

function ask(socket) {
  sent += 1;
  socket.write(request);
}

/** By its length, or chunked (RFC 9112, 6.3). */
function isWhole(answer) {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, end));
  return length === null ? answer.endsWith("\r\n0\r\n\r\n") : answer.length === end + 4 + Number(length[1]);
}
