// Everything that a client may send in one request can be stored, however many values its record has, without counting
// as damaged.

import { describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS } from "../support/fixtures.js";
import { Opened, type Records } from "./opened.js";

/** Nearly as many values as a request may hold (core/assembly/json/reader.ts). */
const MANY = 499_980;

const open = (records: Records, containers: string[]) => new Opened(records, { chains: [BUSYBOX_CHAIN], containers });

describe("a container with very many values", () => {
  const labels = Object.fromEntries(Array.from({ length: 260_000 }, (_, at) => [`l${at}`, ""]));
  test.each<[string, object]>([
    ["labels", { Labels: labels }],
    ["arguments", { Cmd: Array.from({ length: MANY }, () => "a") }],
    ["variables", { Cmd: ["true"], Env: Array.from({ length: MANY }, (_, at) => `A${at % 9}=`) }],
  ])("%s", { timeout: 60_000 }, (_what, config) => {
    const engine = open(new Map([...FIRST_RECORDS, ...BUSYBOX_RECORDS]), []);
    const body = { Image: "busybox", ...config, HostConfig: { NetworkMode: "bridge" } };
    const created = engine.call("POST", "/v1.55/containers/create?name=big", body);
    expect(created.status).toBe(201);
    const { Id } = JSON.parse(created.text) as { Id: string };

    const again = open(engine.records, [Id]);
    expect(again.setAside).toEqual([]);
    expect(again.call("POST", "/v1.55/containers/big/start").status).toBe(204);
    const launch = again.asked.find(({ command }) => command.tag === "launch");
    expect(launch).toBeDefined();
  });
});
