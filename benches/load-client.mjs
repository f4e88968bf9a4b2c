// Asks for /_ping as fast as it can, in a process of its own: load-client.mjs SOCKET REQUESTS CONNECTIONS.
// Prints the milliseconds that all the requests took. Answers are counted by their last bytes, "\r\n\r\nOK".
import { connect } from "node:net";

const [socketPath, requests, connections] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const request = Buffer.from("GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n");
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
    socket.on("data", (bytes) => {
      if (bytes[bytes.length - 2] !== 0x4f || bytes[bytes.length - 1] !== 0x4b) return;
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
