// Bodies of create with faults anywhere, or very large ones.

import { expect, test } from "vitest";
import { randomFrom } from "../../support/door.js";
import { type Created, type Json, create, created, door } from "./container-door.js";

test("bodies corrupted anywhere never trap", () => {
  const random = randomFrom(29);
  const fields = [
    "Image",
    "Cmd",
    "Env",
    "Labels",
    "Healthcheck",
    "HostConfig",
    "NetworkingConfig",
    "ExposedPorts",
    "StopTimeout",
  ];
  const hostFields = [
    "Memory",
    "Binds",
    "PortBindings",
    "Tmpfs",
    "LogConfig",
    "RestartPolicy",
    "Ulimits",
    "ConsoleSize",
  ];
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 5 : 8);
    if (kind === 0) return null;
    if (kind === 1) return random(2) === 0;
    if (kind === 2) return (random(2) ? 1 : -1) * random(100000);
    if (kind === 3) return ["", "a:b", "/a:/b", "80/tcp", "=", "\ud800", "no"][random(7)];
    if (kind === 4) return 1e300;
    if (kind === 5) return Array.from({ length: random(3) }, () => value(depth + 1));
    const names = ["", "80/tcp", "/x", "Test", "Type", "Name", "HostPort", "EndpointsConfig", ...hostFields];
    return Object.fromEntries(Array.from({ length: random(4) }, () => [names[random(names.length)], value(depth + 1)]));
  };
  for (let round = 0; round < 3000; round++) {
    const body = Object.fromEntries(Array.from({ length: random(6) }, () => [fields[random(fields.length)], value(0)]));
    const answer = create(body, 24 + random(32)) as Created;
    if (!Array.isArray(answer)) {
      door.call("merge", answer.config, { Env: ["A=b"], Volumes: { x: {} } });
      door.call("validate", answer.config, answer.hostConfig);
      door.call("defaults", answer.hostConfig, 55, "2");
    }
    door.call("merge", {}, value(0));
    door.call("validate", value(0), value(0));
  }
});

test("a body with very many names takes time proportional to their number", () => {
  const stepsFor = (count: number): number => {
    const labels = Object.fromEntries(Array.from({ length: count }, (_, i) => [`label-${i}`, "x"]));
    const before = door.steps;
    expect(Object.keys(created({ Image: "i", Labels: labels }).config["Labels"] as Json)).toHaveLength(count);
    return door.steps - before;
  };
  expect(stepsFor(40_000)).toBeLessThan(8 * 1.5 * stepsFor(5_000));
});
