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

test("nor is it removed, connected or disconnected by such a prefix", () => {
  const engine = new EagerEngine([twin("0"), twin("1")]);
  const { Id } = JSON.parse(engine.request("POST", "/containers/create", { Image: "busybox" }).body) as { Id: string };
  // As in Docker, a container that does not run is only told that it is not connected.
  expect(engine.request("POST", `/containers/${Id}/start`).status).toBe(204);
  for (const [method, path, body] of [
    ["DELETE", "/networks/bb"],
    ["POST", "/networks/bb/connect", { Container: Id }],
    ["POST", "/networks/bb/disconnect", { Container: Id }],
  ] as const) {
    const answer = engine.request(method, path, body);
    const message = "network bb is ambiguous (3 matches found based on ID prefix)";
    expect([path, answer.status, JSON.parse(answer.body)]).toEqual([path, 400, { message }]);
  }
});

test("networks are listed by patterns of their ids, and by their scope", () => {
  const engine = new EagerEngine([twin("0"), twin("1")]);
  const listed = (filters: unknown): string[] => {
    const { body } = engine.request("GET", `/networks?filters=${encodeURIComponent(JSON.stringify(filters))}`);
    return (JSON.parse(body) as { Name: string }[]).map(({ Name }) => Name).sort();
  };
  expect(listed({ id: ["^bbb"] })).toEqual(["bridge", "twin-0", "twin-1"]);
  expect(listed({ id: ["1$"] })).toEqual(["twin-1"]);
  expect(listed({ id: ["^bbb"], name: ["twin"] })).toEqual(["twin-0", "twin-1"]);
  expect(listed({ scope: ["local"] })).toEqual(["bridge", "host", "none", "twin-0", "twin-1"]);
  expect(listed({ scope: ["swarm"] })).toEqual([]);
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
