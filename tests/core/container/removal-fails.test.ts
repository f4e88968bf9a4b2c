// Removals in which any host operation fails: the container is `dead` with the reason, stays so over restarts, and can
// be removed once the host works again.

import { describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS, NETWORKS } from "../support/fixtures.js";
import { Opened } from "../records/opened.js";

const FIRST = new Map([...FIRST_RECORDS, ...BUSYBOX_RECORDS]);
const COMMANDS = ["processes reap", "content unmount", "networks leave-all", "content drop-container", "volumes drop"];
const BUSY = "it is busy";

class Host {
  failing = "";
  readonly fails = ({ to, command }: { to: string; command: { tag: string } }): string | undefined =>
    `${to} ${command.tag}` === this.failing ? BUSY : undefined;
}

describe.each(["1", "0"])("with force=%s", (force) => {
  test.each(COMMANDS)("%s fails", (command) => {
    const host = new Host();
    const found = { chains: [BUSYBOX_CHAIN], networks: [NETWORKS.get("bridge")!] };
    const engine = new Opened(FIRST, found, host.fails).settle();
    const { text } = engine.call("POST", "/containers/create?name=box", { Image: "busybox", Volumes: { "/data": {} } });
    const { Id } = JSON.parse(text) as { Id: string };
    expect(engine.call("POST", "/containers/box/start").status).toBe(204);
    host.failing = command;
    if (force === "0") {
      // Its run ends by itself; what cannot be released then is left for the removal.
      engine.happen({
        tag: "exited",
        val: { container: Id, run: 1, exit: { code: 0, outOfMemory: false, lost: false, at: 1n } },
      });
    } else engine.exitsByKill = Id;
    const refused = engine.call("DELETE", `/containers/box?force=${force}&v=1`);
    expect([command, refused]).toEqual([
      command,
      { status: 500, text: `{"message":"cannot remove container \\"box\\": ${BUSY}"}\n` },
    ]);
    const stateOf = (of: Opened) => of.json<{ State: object }>("/containers/box/json").State;
    expect(stateOf(engine)).toMatchObject({ Status: "dead", Dead: true, Running: false, Error: BUSY });
    expect(engine.call("POST", "/containers/box/start").status).toBe(409);
    // Neither a restart nor another failure changes its state.
    const again = new Opened(engine.records, { ...found, containers: [Id] }, host.fails).settle();
    expect(stateOf(again)).toMatchObject({ Status: "dead", Error: BUSY });
    expect(again.call("DELETE", "/containers/box?v=1").status).toBe(500);
    expect(stateOf(again)).toMatchObject({ Status: "dead", Error: BUSY });
    host.failing = "";
    expect(again.call("DELETE", `/containers/box?force=${force}&v=1`).status).toBe(204);
    expect(again.call("GET", "/containers/box/json").status).toBe(404);
    expect([...again.records.keys()].filter((key) => /^(container|volume|commit)\//.test(key))).toEqual([]);
  });
});

test.each(COMMANDS)("%s fails while a removal continues after a restart", (command) => {
  const host = new Host();
  const engine = new Opened(FIRST, { chains: [BUSYBOX_CHAIN] }, host.fails).settle();
  engine.call("POST", "/containers/create?name=box", { Image: "busybox", Volumes: { "/data": {} } });
  const records = new Map(engine.records);
  const [key, record] = [...records].find(([one]) => one.startsWith("container/"))!;
  const id = key.slice("container/".length);
  const removing = record
    .replace(/"status":\d+/, '"status":7')
    .replace('"removeVolumes":false', '"removeVolumes":true')
    .replace('"unclean":false', '"unclean":true');
  const network = NETWORKS.get("bridge")!;
  const found = {
    chains: [BUSYBOX_CHAIN],
    containers: [id],
    joins: [{ container: id, network, address: "172.17.0.2", ipv6Address: "" }],
  };
  host.failing = command;
  const again = new Opened(records.set(key, removing), found, host.fails).settle();
  const inspected = again.call("GET", "/containers/box/json");
  // Nothing waits for a network join that its record does not contain.
  if (command === "networks leave-all") return expect(inspected.status).toBe(404);
  expect(JSON.parse(inspected.text)).toMatchObject({ State: { Status: "dead", Error: BUSY } });
  host.failing = "";
  expect(again.call("DELETE", "/containers/box?v=1").status).toBe(204);
});
