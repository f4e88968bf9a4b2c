// Arithmetic of addresses of both families, and which addresses of a subnet are given out.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("network-door");
}, 60_000);

describe("subnets", () => {
  test.each([
    ["10.1.2.3/8", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
    ["10.1.2.3/31", "10.1.2.2", "10.1.2.3", "10.1.2.4"],
    ["10.1.2.3/32", "10.1.2.3", "10.1.2.3", "10.1.2.4"],
    ["0.0.0.0/0", "0.0.0.0", "255.255.255.255", "0.0.0.0"],
    ["fd00::1/64", "fd00::", "fd00::ffff:ffff:ffff:ffff", "fd00:0:0:1::"],
    ["fd00::1/48", "fd00::", "fd00::ffff:ffff:ffff:ffff:ffff", "fd00:0:1::"],
    ["fd00::3/127", "fd00::2", "fd00::3", "fd00::4"],
    ["fd00:1:2:3:4:5:6:7/72", "fd00:1:2:3::", "fd00:1:2:3:ff:ffff:ffff:ffff", "fd00:1:2:3:100::"],
    ["::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::"],
  ])("%s goes from %s to %s, and then comes %s", (subnet, ...ends) => {
    expect(door.call("ends", subnet)).toEqual(ends);
  });

  test.each([
    ["10.1.0.0/16", "10.1.255.255", true],
    ["10.1.0.0/16", "10.2.0.0", false],
    ["fd00::/64", "fd00::ffff", true],
    ["fd00::/64", "fd00:0:0:1::", false],
    ["::/0", "10.1.0.0", false],
  ])("%s contains %s: %s", (subnet, address, isInside) => {
    expect(door.call("contains", subnet, address)).toBe(isInside);
  });

  test.each([
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["10.0.0.0/16", "10.1.0.0/16", false],
    ["fd00::/48", "fd00:0:0:7::/64", true],
    ["0.0.0.0/0", "::/0", false],
  ])("%s and %s share addresses: %s", (one, other, shares) => {
    expect([door.call("share", one, other), door.call("share", other, one)]).toEqual([shares, shares]);
  });

  test("a set of subnets tells what two of them tell of one another", () => {
    // Few addresses, so that there are blocks beside, around, inside and equal to others.
    const digit = randomFrom(7);
    let taken = 0;
    for (let round = 0; round < 200; round++) {
      const subnets = Array.from({ length: 2 + digit(20) }, () =>
        digit(3) === 0 ? `fd00::${digit(16).toString(16)}/${122 + digit(7)}` : `10.0.0.${digit(64)}/${24 + digit(9)}`,
      );
      const half = Math.floor(subnets.length / 2);
      const kept = subnets.slice(0, half);
      const wanted = subnets.slice(half).map((subnet) => {
        const isTaken = kept.some((other) => door.call("share", other, subnet));
        if (!isTaken) kept.push(subnet);
        return isTaken ? "taken" : "free";
      });
      taken += wanted.filter((told) => told === "taken").length;
      expect([subnets, door.call("gather", subnets)]).toEqual([subnets, wanted]);
    }
    expect(taken).toBeGreaterThan(100);
  });

  test.each([
    ["10.1.0.0/24", "10.1.0.0/24"],
    ["FD00:0::/64", "fd00::/64"],
    ["10.1.0.1", "10.1.0.1"],
    ["010.1.0.0/24", ""],
    ["10.1.0.0/024", ""],
    ["10.1.0.0/33", ""],
    ["::ffff:10.0.0.0/24", ""],
    ["::ffff:10.0.0.1", ""],
    ["10.1.0.01", ""],
    ["", ""],
  ])("a network's configuration may have %j: %j", (text, shown) => {
    expect(door.call("strict", text)).toBe(shown);
  });
});

describe("the addresses of a subnet", () => {
  test.each<[string, string, string[], string[]]>([
    ["10.1.0.0/29", "10.1.0.0/29", ["take", "take"], ["10.1.0.1", "10.1.0.2", "4"]],
    // The lowest free one is next.
    [
      "10.1.0.0/29",
      "10.1.0.0/29",
      ["take", "take", "free 10.1.0.1", "take"],
      ["10.1.0.1", "10.1.0.2", "10.1.0.1", "4"],
    ],
    // The network's own address and the broadcast address belong to nobody.
    [
      "10.1.0.0/30",
      "10.1.0.0/30",
      ["fixed 10.1.0.0", "fixed 10.1.0.3", "take", "take", "take"],
      ["refused", "refused", "10.1.0.1", "10.1.0.2", "none", "0"],
    ],
    ["10.1.0.0/31", "10.1.0.0/31", ["take", "take", "take"], ["10.1.0.0", "10.1.0.1", "none", "0"]],
    [
      "255.255.255.254/31",
      "255.255.255.254/31",
      ["take", "take", "take"],
      ["255.255.255.254", "255.255.255.255", "none", "0"],
    ],
    ["10.1.0.5/32", "10.1.0.5/32", ["take", "take"], ["10.1.0.5", "none", "0"]],
    // The engine chooses from the range alone; clients may ask for others.
    [
      "10.1.0.0/24",
      "10.1.0.252/30",
      ["fixed 10.1.0.5", "take", "free 10.1.0.5", "take", "take", "take"],
      ["taken", "10.1.0.252", "10.1.0.253", "10.1.0.254", "none", "0"],
    ],
    [
      "10.1.0.0/24",
      "10.1.0.0/24",
      ["fixed 10.1.0.1", "fixed 10.1.0.1", "take"],
      ["taken", "refused", "10.1.0.2", "252"],
    ],
    ["fd00::/126", "fd00::/126", ["take", "take", "take", "take"], ["fd00::1", "fd00::2", "fd00::3", "none", "0"]],
  ])("%s, of which %s is chosen from: %j gives %j", (subnet, range, deeds, given) => {
    expect(door.call("pool", subnet, range, deeds)).toEqual(given);
  });
});
