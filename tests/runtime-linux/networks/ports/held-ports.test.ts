// Published ports that nothing forwards: of sctp, which no socket holds, and those of a network without a program.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { Forwards } from "../../../../runtime-linux/networks/forward/forwards.js";
import { HeldPorts } from "../../../../runtime-linux/networks/ports/ports.js";
import { Paths } from "../../../../runtime-linux/paths.js";
import { failed } from "../../../support/failed.js";

const root = mkdtempSync(join(tmpdir(), "coracle-held-"));
const forwards = new Forwards(libc, new Paths({ data: join(root, "data"), exec: join(root, "exec") }));
afterAll(async () => {
  await forwards.close();
  rmSync(root, { recursive: true });
});

function on(hostAddress: string, hostPort = 18309) {
  const ports = [{ hostAddress, hostPort, containerPort: 80, protocol: "sctp" }];
  return { address: "172.17.0.2", ipv6Address: "", ports, bridge: {} };
}

test("a port for sctp is refused while another container has it on an overlapping address", async () => {
  const held = new HeldPorts(libc, forwards);
  await held.take("one", on("127.0.0.1"));
  for (const address of ["127.0.0.1", "0.0.0.0"])
    expect(await failed(held.take("other", on(address)))).toEqual({
      tag: "port",
      val: { protocol: "sctp", address, port: 18309, error: "EADDRINUSE" },
    });
  await held.take("beside", on("127.0.0.2"));
  await held.take("above", on("127.0.0.1", 18310));
  await held.release("one");
  await held.take("other", on("127.0.0.1"));
  held.releaseOwn();
  await held.take("every", on("0.0.0.0"));
  expect(await failed(held.take("one", on("127.0.0.1")))).toMatchObject({ tag: "port" });
  held.releaseOwn();
});

test("without a program, a port of IPv6 is held, and that of IPv4 stays free", async () => {
  const held = new HeldPorts(libc, forwards);
  const ports = ["tcp", "udp"].map((protocol) => ({ ...on("::1", 18311).ports[0]!, protocol }));
  await held.take("one", { ...on("::1"), ports, bridge: { proxies: false } });
  await expect(listen("::1")).rejects.toThrow("EADDRINUSE");
  await listen("127.0.0.1");
  for (const port of ports)
    expect(await failed(held.take("other", { ...on("::1"), ports: [port], bridge: { proxies: false } }))).toEqual({
      tag: "port",
      val: { protocol: port.protocol, address: "::1", port: 18311, error: "EADDRINUSE" },
    });
  held.releaseOwn();
  await listen("::1");
});

/** Another program that serves the port, for a moment. */
async function listen(address: string): Promise<void> {
  const server = createServer().listen(18311, address);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
