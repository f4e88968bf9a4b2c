// Addresses of both families, and the ports in a container's configuration.

import { isIPv4, isIPv6 } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("network-door");
}, 60_000);

describe("addresses", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["::", "::"],
    ["::1", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["fe80::", "fe80::"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["::127.0.0.1", "::7f00:1"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
  ])("%s is shown as %s", (address, shown) => {
    expect(door.call("canonical", address)).toBe(shown);
  });

  test.each([
    "",
    "banana",
    "1.2.3",
    "1.2.3.256",
    ":",
    ":::",
    ":::1",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "g::",
    "[::1]",
    "fe80::1%lo",
    "1.2.3.4::",
    "::1.2.3",
    "1:2:3:4:5:6:7:1.2.3.4",
    " ::1",
    "::1/64",
  ])("%j is not an address", (text) => {
    expect(door.call("canonical", text)).toBe("");
    // Node accepts a zone as part of an address.
    expect(isIPv4(text) || (isIPv6(text) && !text.includes("%"))).toBe(false);
  });

  test("random texts are addresses if Node says so, and a shown address is shown the same again", () => {
    const random = randomFrom(11);
    const pieces = ["0", "1", "ffff", "db8", ":", ":", ":", "::", ".", "127.0.0.1", "%"];
    let addresses = 0;
    for (let round = 0; round < 4000; round++) {
      const text = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join("");
      const shown = String(door.call("canonical", text));
      const isOne = isIPv4(text) || (isIPv6(text) && !text.includes("%"));
      expect([text, shown !== ""]).toEqual([text, isOne]);
      if (!isOne) continue;
      addresses++;
      expect(door.call("canonical", shown)).toBe(shown);
      if (isIPv6(shown)) expect(shown).toBe(new URL(`http://[${text}]/`).hostname.slice(1, -1));
    }
    expect(addresses).toBeGreaterThan(50);
  });

  test.each([
    ["0.0.0.0", "127.0.0.1", true],
    ["::", "::1", true],
    ["::1", "::1", true],
    ["0.0.0.0", "::", false],
    ["0.0.0.0", "::1", false],
    ["127.0.0.1", "::", false],
    ["::1", "2001:db8::1", false],
  ])("%s and %s overlap: %s", (a, b, overlapping) => {
    expect([door.call("overlapping", a, b), door.call("overlapping", b, a)]).toEqual([overlapping, overlapping]);
  });
});

describe("requested ports", () => {
  const bound = (bindings: object, ipv6 = true) => door.call("wishes", { PortBindings: bindings }, {}, ipv6);
  const on = (HostIp: string, HostPort: string) => ({ HostIp, HostPort });

  test("without an address on both families, where the machine has both", () => {
    const bindings = { "80": [on("", "8080")], "81/tcp": [on("", "")], "82/UDP": [] };
    expect(bound(bindings)).toEqual([
      "8080-8080 on 0.0.0.0 :: to 80/tcp",
      "0-0 on 0.0.0.0 :: to 81/tcp",
      "0-0 on 0.0.0.0 :: to 82/udp",
    ]);
    expect(bound(bindings, false)).toEqual([
      "8080-8080 on 0.0.0.0 to 80/tcp",
      "0-0 on 0.0.0.0 to 81/tcp",
      "0-0 on 0.0.0.0 to 82/udp",
    ]);
    expect(bound({ "80/tcp": [on("::", "8080")] }, false)).toEqual(["8080-8080 on :: to 80/tcp"]);
  });

  test("sctp is asked for on both families, too: the container's addresses decide where it is published", () => {
    expect(bound({ "80/sctp": [on("", "8080")] })).toEqual(["8080-8080 on 0.0.0.0 :: to 80/sctp"]);
  });

  test("overlapping addresses share one port; others are two requests", () => {
    expect(bound({ "80/tcp": [on("127.0.0.1", ""), on("0:0::1", ""), on("127.0.0.1", "")] })).toEqual([
      "0-0 on 127.0.0.1 ::1 to 80/tcp",
      "0-0 on 127.0.0.1 to 80/tcp",
    ]);
    expect(bound({ "80/tcp": [on("", "8080-8090"), on("::1", "8080-8090"), on("::1", "8080")] })).toEqual([
      "8080-8090 on 0.0.0.0 :: to 80/tcp",
      "8080-8090 on ::1 to 80/tcp",
      "8080-8080 on ::1 to 80/tcp",
    ]);
  });

  test("all exposed ports, ranges split, except those with their own bindings", () => {
    const config = { ExposedPorts: { "80": {}, "8000-8002/udp": {}, "81/tcp": {}, "banana/tcp": {}, "9/x": {} } };
    const host = { PublishAllPorts: true, PortBindings: { "80/tcp": [on("127.0.0.1", "8080")] } };
    expect(door.call("wishes", host, config, false)).toEqual([
      "8080-8080 on 127.0.0.1 to 80/tcp",
      "0-0 on 0.0.0.0 to 8000/udp",
      "0-0 on 0.0.0.0 to 8001/udp",
      "0-0 on 0.0.0.0 to 8002/udp",
      "0-0 on 0.0.0.0 to 81/tcp",
    ]);
  });

  test.each([
    ["80", ["80/tcp"]],
    ["80/UDP", ["80/udp"]],
    ["80-82/sctp", ["80/sctp", "81/sctp", "82/sctp"]],
    ["82-80/tcp", []],
    ["0/tcp", []],
    ["70000/tcp", []],
    ["/tcp", []],
    ["", []],
    ["80/", []],
  ])("%j is %j", (spec, keys) => {
    expect(door.call("keys", spec)).toEqual(keys);
  });
});

describe("refused ports", () => {
  const on = (HostIp: string, HostPort: string) => [{ HostIp, HostPort }];
  test.each([
    [{ "80/tcp": on("::1", "8080-8090"), 81: on("", "0"), "82/UDP": on("127.0.0.1", "53/udp"), "9/sctp": null }, ""],
    [{ "80-81/tcp": on("", "") }, 'invalid port specification: "80-81"'],
    [{ "0/tcp": on("", "") }, 'invalid port specification: "0"'],
    [{ "banana/tcp": on("", "") }, 'invalid port specification: "banana"'],
    [{ "80/foo": on("", "") }, 'invalid port specification: "80/foo"'],
    [{ "80/udp/tcp": on("", "") }, 'invalid port specification: "80/udp/tcp"'],
    [{ "80//tcp": on("", "") }, 'invalid port specification: "80//tcp"'],
    [{ "80/tcp": on("", "8085-8080") }, 'invalid port specification: "8085-8080"'],
    [{ "80/tcp": on("", "0-10") }, 'invalid port specification: "0-10"'],
    [{ "80/tcp": on("", "70000") }, 'invalid port specification: "70000"'],
    [{ "80/tcp": on("banana", "") }, 'invalid IP address: "banana"'],
    [{ "80/tcp": on("[::1]", "") }, 'invalid IP address: "[::1]"'],
    [{ "80/sctp": on("::1", "") }, ""],
  ])("%j: %s", (bindings, text) => {
    expect(door.call("refusal", bindings)).toBe(text);
  });
});
