// Settings with which no container can be on a network: what each engine says about addresses, links, names and options
// of every kind, of a container that is not running.
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMON_VERSION, messageOf, type Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";

type Said = readonly [status: number, text: string];
/** `reference`: what it says instead. It looks at most settings only when the container starts. */
type Row = readonly [settings: unknown, status: number, text: string, reference?: Said];

const LATER: Said = [200, ""];
const GIVEN_ONLY =
  "user specified IP address is supported only when connecting to networks with user configured subnets";
const ROWS: readonly Row[] = [
  [address("x"), 400, "invalid IPv4 address: x", LATER],
  [address("10.61.0.5/24"), 400, "invalid IPv4 address: 10.61.0.5/24", LATER],
  [address(" 10.61.0.5"), 400, "invalid IPv4 address:  10.61.0.5", LATER],
  [address("010.61.0.5"), 400, "invalid IPv4 address: 010.61.0.5", LATER],
  [address("fd00::5"), 400, "invalid IPv4 address: fd00::5", LATER],
  [address("10.62.0.5"), 400, problem("no configured subnet contains IP address 10.62.0.5"), LATER],
  [{ IPAMConfig: { IPv6Address: "10.61.0.5" } }, 400, "invalid IPv6 address: 10.61.0.5", [400, GIVEN_ONLY]],
  [{ IPAMConfig: { IPv6Address: "x" } }, 400, "invalid IPv6 address: x", [400, GIVEN_ONLY]],
  [{ IPAMConfig: { IPv6Address: "fd00::5" } }, 400, problem(GIVEN_ONLY), [400, GIVEN_ONLY]],
  [{ IPAMConfig: { LinkLocalIPs: ["x"] } }, 400, "invalid link-local IP address: x", LATER],
  [{ IPAMConfig: { LinkLocalIPs: [""] } }, 400, "invalid link-local IP address: ", LATER],
  [{ Links: [""] }, 400, "empty string specified for links", LATER],
  [{ Links: ["a:b:c"] }, 400, "bad format for links: a:b:c", LATER],
  [{ Links: [":x"] }, 400, "bad format for links: :x", LATER],
  [{ Links: ["nobody"] }, 200, ""],
  [{ Aliases: ["", "a b", "a/b", "ä", "A", "a", "a", "x".repeat(300)] }, 200, ""],
  [{ Aliases: Array.from({ length: 10_000 }, (_, at) => `a${at}`) }, 200, ""],
  [{ DriverOpts: { nobody: "knows" } }, 200, ""],
  [
    { DriverOpts: { "com.docker.network.endpoint.sysctls": "x" } },
    400,
    "unrecognised network interface sysctl 'x'; represent 'net.X.Y.ethN.Z=V' as 'net.X.Y.IFNAME.Z=V'",
    LATER,
  ],
  [{ GwPriority: "x" }, 400, unread("string", "EndpointSettings.EndpointConfig.GwPriority", "int"), LATER],
  [{ GwPriority: 1.5 }, 400, unread("number 1.5", "EndpointSettings.EndpointConfig.GwPriority", "int"), LATER],
  [
    { GwPriority: 2 ** 70 },
    400,
    unread("number 1.1805916207174113e+21", "EndpointSettings.EndpointConfig.GwPriority", "int"),
    LATER,
  ],
  [null, 200, ""],
];

onEngines("endpoints that cannot be", (engine) => {
  let id = "";
  beforeAll(async () => {
    const IPAM = { Config: [{ Subnet: "10.61.0.0/24" }] };
    await engine().must(201, "POST", "/networks/create", { Name: "strict", IPAM });
    id = await engine().create({ Cmd: ["sleep", "1000"] });
  });
  afterAll(async () => {
    await engine().remove(id);
    await engine().must(204, "DELETE", "/networks/strict");
  });

  test("are refused with the status and the text of the newest engine, or when the container starts", async () => {
    for (const [EndpointConfig, status, text, reference] of ROWS) {
      const wanted = reference
        ? engine().expected<Said>("endpoint-bad-input", [status, text], reference)
        : [status, text];
      const body = { Container: id, EndpointConfig };
      const answer = await engine().call("POST", "/networks/strict/connect", body, { version: COMMON_VERSION });
      const said = [answer.status, answer.status < 300 ? "" : messageOf(answer)];
      expect(said, JSON.stringify(EndpointConfig).slice(0, 200)).toEqual(wanted);
      if (answer.status === 200) await engine().must(200, "POST", "/networks/strict/disconnect", { Container: id });
    }
  });

  test("a hardware address counts when the container starts", async () => {
    const start = async (MacAddress: string): Promise<[number, string]> => {
      const body = { Image: "busybox", Cmd: ["sleep", "1000"], MacAddress };
      const made = await engine().must(201, "POST", "/containers/create", body, { version: COMMON_VERSION });
      const { Id } = made.json<{ Id: string }>();
      const answer = await engine().call("POST", `/containers/${Id}/start`, undefined, { version: COMMON_VERSION });
      await engine().remove(Id);
      return [answer.status, answer.status === 204 ? "" : messageOf(answer)];
    };
    for (const address of ["x", "0242ac110099", "2:42:ac:11:0:99", " 02:42:ac:11:00:99", "02:42:ac:11:00:gg"]) {
      expect(await start(address)).toEqual([500, `address ${address}: invalid MAC address`]);
    }
    for (const address of ["02-42-ac-11-00-99", "0242.ac11.0099", "02:42:AC:11:00:99"]) {
      expect(await start(address)).toEqual([204, ""]);
    }
  });
});

function address(IPv4Address: string): Json {
  return { IPAMConfig: { IPv4Address } };
}

function problem(text: string): string {
  return `invalid endpoint settings:\n${text}`;
}

function unread(what: string, field: string, type: string): string {
  return `invalid JSON: json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`;
}
