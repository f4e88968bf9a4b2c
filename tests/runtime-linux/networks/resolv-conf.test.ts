// A container's resolv.conf, made of the requested settings and the machine's.
import { expect, test } from "vitest";
import { resolvConf } from "../../../hosts/shared/resolv-conf.js";

const PUBLIC = ["8.8.8.8", "8.8.4.4"];
const OWN = "# of the machine\nsearch own.test\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions edns0\n";

test("without options: a copy", () => {
  expect(resolvConf(undefined, OWN, true, PUBLIC)).toBe(OWN);
  expect(resolvConf(undefined, OWN, false, PUBLIC)).toBe(OWN);
});

test.each([
  ["options rotate\n", "search own.test\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions rotate\n"],
  ["search a.test\n", "search a.test\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions edns0\n"],
  [
    "+options ndots:0\n",
    "search own.test\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions edns0\noptions ndots:0\n",
  ],
  [
    "nameserver 127.0.0.11\noptions rotate\n+options ndots:0\n",
    "search own.test\nnameserver 127.0.0.11\noptions rotate\noptions ndots:0\n",
  ],
  ["search .\n", "nameserver 192.0.2.1\nnameserver 192.0.2.2\noptions edns0\n"],
  ["nameserver 192.0.2.9\n", "search own.test\nnameserver 192.0.2.9\noptions edns0\n"],
])("%j: the rest comes from the machine", (asked, expected) => {
  expect(resolvConf(asked, OWN, true, PUBLIC)).toBe(expected);
});

test("servers that only the machine can reach are left out for a container with its own network", () => {
  const mixed = "nameserver 127.0.0.53\nnameserver 192.0.2.1\nnameserver ::1\nnameserver fe80::1%eth0\n";
  expect(resolvConf(undefined, mixed, true, PUBLIC)).toBe("nameserver 192.0.2.1\n");
  expect(resolvConf(undefined, mixed, false, PUBLIC)).toBe(mixed);
  expect(resolvConf("options rotate\n", mixed, true, PUBLIC)).toBe("nameserver 192.0.2.1\noptions rotate\n");
});

test("text after an address is ignored", () => {
  const noted = "nameserver 192.0.2.1 # office: first\nnameserver  ::1 # loopback\n";
  expect(resolvConf(undefined, noted, true, PUBLIC)).toBe("nameserver 192.0.2.1 # office: first\n");
});

test("if none is left, Docker's defaults are used; servers of the client stay", () => {
  const stub = "nameserver 127.0.0.53\noptions edns0\n";
  expect(resolvConf(undefined, stub, true, PUBLIC)).toBe("nameserver 8.8.8.8\nnameserver 8.8.4.4\noptions edns0\n");
  expect(resolvConf(undefined, "", true, PUBLIC)).toBe("nameserver 8.8.8.8\nnameserver 8.8.4.4\n");
  expect(resolvConf("nameserver ::1\n", stub, true, PUBLIC)).toBe("nameserver ::1\noptions edns0\n");
});
