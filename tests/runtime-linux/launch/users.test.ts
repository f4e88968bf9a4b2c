// Users and groups by name, from a container's files.

import { expect, it, vi } from "vitest";
import { identify } from "../../../hosts/shared/users.js";

const PASSWD = `root:x:0:0:root:/root:/bin/sh
alice:x:1000:100:Alice:/home/alice:/bin/sh
1001:x:2000:200::/odd:/bin/sh
broken line
bob:x:1001:300::/home/bob:/bin/sh
`;
const GROUP = `root:x:0:
users:x:100:bob
wheel:x:10:root,alice
5:x:55:alice
`;

it.each([
  ["", [], { uid: 0, gid: 0, groups: [0, 10], home: "/root" }],
  ["alice", [], { uid: 1000, gid: 100, groups: [100, 10, 55], home: "/home/alice" }],
  ["1000", [], { uid: 1000, gid: 100, groups: [100, 10, 55], home: "/home/alice" }],
  ["alice:users", [], { uid: 1000, gid: 100, groups: [100], home: "/home/alice" }],
  ["alice:7", [], { uid: 1000, gid: 7, groups: [7], home: "/home/alice" }],
  [":wheel", [], { uid: 0, gid: 10, groups: [10], home: "/root" }],
  ["1001", [], { uid: 2000, gid: 200, groups: [200], home: "/odd" }], // a name made of digits takes precedence
  ["4242", [], { uid: 4242, gid: 0, groups: [0], home: "/" }],
  ["4242:4243", ["wheel", "99", "99"], { uid: 4242, gid: 4243, groups: [4243, 10, 99], home: "/" }],
  ["alice:5", [], { uid: 1000, gid: 55, groups: [55], home: "/home/alice" }],
])("%j with %j is %j", (user, more, expected) => {
  expect(identify(user, more, PASSWD, GROUP)).toEqual(expected);
});

it.each([
  ["carol", [], { tag: "no-such", val: { what: "user", name: "carol" } }],
  ["alice:staff", [], { tag: "no-such", val: { what: "group", name: "staff" } }],
  ["alice", ["staff"], { tag: "no-such", val: { what: "added-group", name: "staff" } }],
  ["2147483648", [], { tag: "id-range", val: 2147483647 }],
  ["-1", [], { tag: "id-range", val: 2147483647 }],
])("%j with %j is refused", (user, more, what) => {
  expect(() => identify(user, more, PASSWD, GROUP)).toThrow(expect.objectContaining({ failure: what }) as Error);
});

it("needs no files for numbers", () => {
  expect(identify("5:6", [], "", "")).toEqual({ uid: 5, gid: 6, groups: [6], home: "/" });
  expect(identify("", [], "", "")).toEqual({ uid: 0, gid: 0, groups: [0], home: "/" });
});

it("is not blocked by the content of a container's files", () => {
  const long = `${"\n".repeat(16 << 20)}last:x:7:8::/last:/bin/sh`;
  const spies = (["split", "slice", "indexOf", "lastIndexOf", "trim"] as const).map((name) =>
    vi.spyOn(String.prototype, name),
  );
  try {
    expect(identify("last", ["last"], long, long)).toEqual({ uid: 7, gid: 8, groups: [8, 7], home: "/last" });
    // There are millions of lines.
    expect(spies.flatMap(({ mock }) => mock.calls).length).toBeLessThan(100);
    const parts = spies.flatMap(({ mock }) =>
      mock.results.map(({ value }) => (Array.isArray(value) ? value.length : 0)),
    );
    expect(Math.max(...parts)).toBeLessThan(10);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});
