// Visits of published ports in a session: what they show, and that a branch and a link repeat them.

import { afterEach, expect, test } from "vitest";
import { createSession } from "../../hosts/browser/session/create.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { written } from "../../hosts/browser/session/request.js";
import type { Session } from "../../hosts/browser/session/session.js";
import { fromFragment, toFragment } from "../../hosts/browser/session/sharing/share.js";

const CORE = packagedCore();
const SECOND = 1_000_000_000n;
const open: Session[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

test("a published port answers, in a branch and behind a link too; without a listener it is refused", async () => {
  const session = await createSession({ core: CORE, pace: "stopped" });
  open.push(session);
  const create = written("POST", "/v1.41/containers/create?name=web", {
    ...{ Image: "busybox", Cmd: ["sh", "-c", "echo page > /tmp/index.html; exec httpd -f -h /tmp"] },
    ...{
      ExposedPorts: { "80/tcp": {} },
      HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "8080" }, { HostIp: "192.0.2.10", HostPort: "8082" }] } },
    },
  });
  for (const request of [create, written("POST", "/v1.41/containers/web/start")]) {
    await session.send(session.add(request).id);
    await session.advance(SECOND);
  }
  await session.visit(8080);
  expect(session.visits.value).toEqual([{ port: 8080, answer: null }]);
  await session.visit(8081);
  await session.visit(8082, "192.0.2.10");
  await session.advance(SECOND);
  const page = expect.stringMatching(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\npage\n$/s) as string;
  const seen = [
    { port: 8080, answer: page },
    { port: 8081, answer: "Connection refused" },
    { port: 8082, address: "192.0.2.10", answer: page },
  ];
  expect(session.visits.value).toEqual(seen);
  const branch = await session.branch(null);
  open.push(branch);
  expect(branch.visits.value).toEqual(session.visits.value);
  const { session: again, warnings } = await fromFragment(await toFragment(session), CORE);
  open.push(again);
  expect([warnings, again.visits.value]).toEqual([[], session.visits.value]);
});
