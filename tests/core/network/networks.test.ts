// Which network a client means by an id prefix that several networks have.

import { expect, test } from "vitest";
import { EagerEngine } from "../support/eager-engine.js";

const twin = (end: string) => {
  const id = `${"b".repeat(63)}${end}`;
  const network = { id, name: `twin-${end}`, driver: "null", created: 0, subnet: "", gateway: "", interfaceName: "" };
  return [`network/${id}`, new TextEncoder().encode(JSON.stringify(network))] as const;
};

test("a prefix of several ids is ambiguous, a whole id never", () => {
  const engine = new EagerEngine([twin("0"), twin("1")]);
  const found = (reference: string) => {
    const { status, body } = engine.request("GET", `/networks/${reference}`);
    const { Name, message } = JSON.parse(body) as { Name?: string; message?: string };
    return [status, Name ?? message];
  };
  expect(found("bb")).toEqual([400, "3 matches found based on ID prefix: network bb is ambiguous"]);
  expect(found("b".repeat(64))).toEqual([200, "bridge"]);
  expect(found(`${"b".repeat(63)}1`)).toEqual([200, "twin-1"]);
  expect(found("e")).toEqual([200, "none"]);
  expect(found("f")).toEqual([404, "network f not found"]);
});
