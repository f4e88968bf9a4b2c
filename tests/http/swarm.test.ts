// Swarm endpoints: this engine is not in a swarm, and says so as Docker does.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const NO_MANAGER =
  'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and ' +
  "try again.";
const OBJECTS = ["nodes", "services", "tasks", "secrets", "configs"];

onEngines("outside a swarm", (engine, kind) => {
  const answered = async (method: string, path: string, body?: unknown) => {
    const answer = await engine().call(method, path, body);
    return [answer.status, answer.header("content-type"), messageOf(answer)];
  };
  const refused = [503, "application/json", NO_MANAGER];

  test.each(["/swarm", "/swarm/unlockkey", "/services/x/logs?stdout=1", "/tasks/x/logs?stderr=1"])(
    "GET %s",
    async (path) => expect(await answered("GET", path)).toEqual(refused),
  );

  test.each(OBJECTS)("lists and inspects no %s", async (name) => {
    for (const path of [`/${name}`, `/${name}?filters=%7B%22a%22%3A%5B%22b%22%5D%7D`, `/${name}/x`]) {
      expect([path, ...(await answered("GET", path))]).toEqual([path, ...refused]);
    }
  });

  test.each(OBJECTS.filter((name) => name !== "tasks"))("changes and removes no %s", async (name) => {
    expect(await answered("POST", `/${name}/x/update?version=1`, {})).toEqual(refused);
    expect(await answered("DELETE", `/${name}/x`)).toEqual(refused);
    if (name !== "nodes") expect(await answered("POST", `/${name}/create`, {})).toEqual(refused);
  });

  test("there is no swarm to change, unlock or leave", async () => {
    expect(await answered("POST", "/swarm/update?version=1", {})).toEqual(refused);
    expect(await answered("POST", "/swarm/unlock", { UnlockKey: "x" })).toEqual(refused);
    for (const path of ["/swarm/leave", "/swarm/leave?force=1"]) {
      expect(await answered("POST", path)).toEqual([503, "application/json", "This node is not part of a swarm"]);
    }
  });

  test("invalid requests are refused first", async () => {
    const number = 'strconv.ParseUint: parsing "x": invalid syntax';
    for (const [method, path, text] of [
      ["POST", "/swarm/update?version=x", `invalid swarm version 'x': ${number}`],
      ["POST", "/nodes/x/update?version=x", `invalid node version 'x': ${number}`],
      ["POST", "/services/x/update?version=x", `invalid service version 'x': ${number}`],
      ["POST", "/secrets/x/update", "invalid secret version"],
      ["POST", "/configs/x/update", "invalid config version"],
      ["GET", "/services?status=x", 'invalid value for status: x: strconv.ParseBool: parsing "x": invalid syntax'],
    ] as const) {
      const wanted = [path, 400, "application/json", text];
      expect([path, ...(await answered(method, path, method === "POST" ? {} : undefined))]).toEqual(wanted);
    }
    const [status] = await answered("GET", "/nodes?filters=nonsense");
    expect(status).toBe(engine().expected("bad-filter", 400, 500));
    const logs = await answered("GET", "/services/x/logs");
    expect(logs[0]).toBe(engine().expected("logs-stream-text", 400, 500));
    expect(logs[2]).toBe("Bad parameters: you must choose at least one stream");
    expect((await answered("POST", "/secrets/create", "{"))[0]).toBe(400);
    const [rotation] = await answered("POST", "/swarm/update?version=1&rotateManagerUnlockKey=x", {});
    expect(rotation).toBe(400);
  });

  test.each([
    ["/swarm/update?version=1", "swarm.Spec"],
    ["/swarm/unlock", "swarm.UnlockRequest"],
    ["/swarm/init", "swarm.InitRequest"],
    ["/swarm/join", "swarm.JoinRequest"],
    ["/nodes/x/update?version=1", "swarm.NodeSpec"],
    ["/services/create", "swarm.ServiceSpec"],
    ["/secrets/create", "swarm.SecretSpec"],
    ["/configs/x/update?version=1", "swarm.ConfigSpec"],
  ])("POST %s: a body that is no object is refused first", async (path, type) => {
    const text = `json: cannot unmarshal array into Go value of type ${type}`;
    const told = engine().expected("json-texts", `invalid JSON: ${text}`, text);
    expect(await answered("POST", path, [])).toEqual([400, "application/json", told]);
  });

  test("no swarm can be created or joined", async () => {
    const listening = { ListenAddr: "0.0.0.0:2377" };
    const nowhere = 'invalid ListenAddr "": invalid empty address';
    const spec = { Name: "mine" };
    for (const [path, body, text] of [
      ["/swarm/init", {}, nowhere],
      ["/swarm/join", { RemoteAddrs: ["192.0.2.1:2377"] }, nowhere],
      ["/swarm/init", { ...listening, Spec: spec }, 'swarm spec must be named "default"'],
      ["/swarm/join", listening, "at least 1 RemoteAddr is required to join"],
      ["/swarm/join", { ...listening, RemoteAddrs: [""] }, 'invalid remoteAddr "": invalid empty address'],
    ] as const) {
      expect([path, ...(await answered("POST", path, body))]).toEqual([path, 400, "application/json", text]);
    }
    if (kind === "reference") return; // it would create a swarm
    const lacking = "this engine has no swarm mode: it can neither begin nor join a swarm";
    expect(await answered("POST", "/swarm/init", listening)).toEqual([501, "application/json", lacking]);
    const joining = { ...listening, RemoteAddrs: ["192.0.2.1:2377"], JoinToken: "x" };
    expect(await answered("POST", "/swarm/join", joining)).toEqual([501, "application/json", lacking]);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("no volume belongs to a swarm", async () => {
    const answer = await engine().call("PUT", "/volumes/x?version=1", {}, { version: "1.42" });
    const text = "volume update only valid for cluster volumes, but swarm is unavailable";
    expect([answer.status, messageOf(answer)]).toEqual([503, text]);
  });
});
