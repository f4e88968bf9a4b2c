// Requests to the kernel's networks. Needs root.

import { expect, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { removeLink, setUp } from "../../../runtime-linux/networks/links.js";
import { carryOut } from "../../../runtime-linux/networks/netlink.js";
import { describeUnless } from "../../support/on-engines.js";

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
});
