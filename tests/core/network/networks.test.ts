// Which network a client means by an id prefix that several networks have, and what hosts are told about a new one.

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

test("hosts are told of each trusted interface once", () => {
  const engine = new EagerEngine();
  const option = "com.docker.network.bridge.trusted_host_interfaces";
  const body = { Name: "trusting", Options: { [option]: "wg0:lan0::wg0:lan0" } };
  expect(engine.request("POST", "/networks/create", body).status).toBe(201);
  const told = engine.asked.flatMap(({ to, command }) => {
    const isMade = to === "networks" && command.tag === "make" && command.val.name === "trusting";
    return isMade ? [command.val.trustedInterfaces] : [];
  });
  expect(told).toEqual([["wg0", "lan0"]]);
});
