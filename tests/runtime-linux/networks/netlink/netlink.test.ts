// Requests to the kernel's networks. Needs root.

import { expect, test } from "vitest";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { removeLink, setUp } from "../../../../runtime-linux/networks/netlink/links.js";
import { findLink } from "../../../../runtime-linux/networks/netlink/look-ups.js";
import { attribute, carryOut, Netlink } from "../../../../runtime-linux/networks/netlink/netlink.js";
import { describeUnless } from "../../../support/on-engines.js";

const missing = process.getuid?.() === 0 ? null : "needs root";

describeUnless(missing, "requests", () => {
  const many = Array.from({ length: 1000 }, () => removeLink("crcnowhere"));

  test("may have more answers than a socket's buffer can hold", async () => {
    await carryOut(libc, ...many);
  });

  test("report the first that failed, at any place", async () => {
    const [one, other] = [setUp("crcone"), setUp("crcother")];
    await expect(carryOut(libc, ...many, one, other)).rejects.toThrow("ENODEV: set crcone up");
    await expect(carryOut(libc, one, ...many, other)).rejects.toThrow("ENODEV: set crcone up");
  });

  test("find nothing only if there is nothing", async () => {
    expect(await findLink(libc, "crcnowhere")).toBeUndefined();
    const netlink = Netlink.open(libc);
    const unknown = { about: "ask the unknown", type: 9999, flags: 0, body: new Uint8Array(16), settled: [] };
    await expect(netlink.find(unknown).finally(() => netlink.close())).rejects.toThrow("ENOTSUP: ask the unknown");
  });

  test("have no attribute whose length 16 bits cannot tell", () => {
    expect(attribute(1, new Uint8Array(0xffff - 4))).toHaveLength(0x10000);
    expect(() => attribute(1, new Uint8Array(0xffff - 3))).toThrow(RangeError);
  });
});
