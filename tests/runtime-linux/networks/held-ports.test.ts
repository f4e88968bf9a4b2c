// Published ports for sctp, which no socket holds.

import { expect, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { HeldPorts } from "../../../runtime-linux/networks/ports.js";
import { failed } from "../../support/failed.js";

function on(hostAddress: string, hostPort = 18309) {
  const ports = [{ hostAddress, hostPort, containerPort: 80, protocol: "sctp" }];
  return { address: "172.17.0.2", ipv6Address: "", ports, bridge: {} };
}

test("a port for sctp is refused while another container has it on an overlapping address", async () => {
  const held = new HeldPorts(libc);
  await held.take("one", on("127.0.0.1"));
  for (const address of ["127.0.0.1", "0.0.0.0"])
    expect(await failed(held.take("other", on(address)))).toEqual({
      tag: "port",
      val: { protocol: "sctp", address, port: 18309, error: "EADDRINUSE" },
    });
  await held.take("beside", on("127.0.0.2"));
  await held.take("above", on("127.0.0.1", 18310));
  held.release("one");
  await held.take("other", on("127.0.0.1"));
  held.releaseAll();
  await held.take("every", on("0.0.0.0"));
  expect(await failed(held.take("one", on("127.0.0.1")))).toMatchObject({ tag: "port" });
  held.releaseAll();
});
