// Requests to the kernel's networks. Needs root.

import { expect, test } from "vitest";
import { libc } from "../../runtime-linux/kernel/libc.js";
import { removeLink, setUp } from "../../runtime-linux/networks/links.js";
import { carryOut } from "../../runtime-linux/networks/netlink.js";
import { describeUnless } from "../support/on-engines.js";

const missing = process.getuid?.() === 0 ? null : "needs root";

describeUnless(missing, "requests", () => {
  const many = Array.from({ length: 1000 }, () => removeLink("crcnowhere"));

  test("may be more than a socket has room for the answers to", async () => {
    await carryOut(libc, ...many);
  });

  test("tell of the first that failed, wherever it is", async () => {
    const [one, other] = [setUp("crcone"), setUp("crcother")];
    await expect(carryOut(libc, ...many, one, other)).rejects.toThrow("ENODEV: set crcone up");
    await expect(carryOut(libc, one, ...many, other)).rejects.toThrow("ENODEV: set crcone up");
  });
});
