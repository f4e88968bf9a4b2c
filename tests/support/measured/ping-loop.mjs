// Sends /_ping to an engine again and again in its own process, so that a delay of the test is not taken for a delay of
// the engine. Arguments: socket, process id. Prints a newline after the first answer; ends when its standard input
// closes, and then prints its results.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [socketPath = "", pid = ""] = process.argv.slice(2);
const EVERY_MS = 5;
const found = { failed: 0, milliseconds: [], shares: [] };

let over = false;
process.stdin.on("end", () => (over = true)).resume();

/** Milliseconds that a process's main thread ran, and waited for a processor (Documentation/scheduler/sched-stats). */
function scheduled(who) {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${who}/schedstat`, "utf8").split(" ").map(Number);
  return { ran: ran / 1e6, waited: waited / 1e6 };
}

function ping(socket) {
  return new Promise((resolve, reject) => {
    socket.once("data", (bytes) => resolve(bytes.toString("latin1").endsWith("\r\n\r\nOK")));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed")));
    socket.write("GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n");
  }).finally(() => socket.removeAllListeners().on("error", () => {}));
}

const socket = connect(socketPath);
await new Promise((resolve) => socket.once("connect", resolve));
while (!over) {
  const [engine, own, began] = [scheduled(pid), scheduled("self"), performance.now()];
  if (!(await ping(socket))) found.failed += 1;
  const took = performance.now() - began;
  const late = scheduled("self").waited - own.waited;
  found.milliseconds.push(Math.max(0, took - late));
  if (found.milliseconds.length === 1) process.stdout.write("\n");
  found.shares.push(Math.min(took, Math.max(0, scheduled(pid).ran - engine.ran - late)));
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}
socket.destroy();
process.stdout.write(JSON.stringify(found));
