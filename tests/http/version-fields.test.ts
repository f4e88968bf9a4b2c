// Fields that come and go between versions: present on one side of a version, absent on the other (surface §3).
import { beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { describeUnless, onEngines, testExcept } from "../support/on-engines.js";
import { COMMON_VERSION, type Json } from "../support/engine-client.js";

/** `since`: from this minor version on. `until`: up to and including it. */
interface Field {
  readonly of: "list" | "inspect" | "info" | "images" | "image" | "networks" | "version";
  readonly path: string;
  readonly since?: number;
  readonly until?: number;
}

const BUSYBOX = encodeURIComponent('{"reference":["busybox"]}');

const TOP_LEVEL_ADDRESSES = [
  "Bridge",
  "HairpinMode",
  "LinkLocalIPv6Address",
  "LinkLocalIPv6PrefixLen",
  "SecondaryIPAddresses",
  "SecondaryIPv6Addresses",
  "EndpointID",
  "Gateway",
  "GlobalIPv6Address",
  "GlobalIPv6PrefixLen",
  "IPAddress",
  "IPPrefixLen",
  "IPv6Gateway",
  "MacAddress",
];

const CONTAINER_ONLY = [
  "Hostname",
  "Domainname",
  "AttachStdin",
  "AttachStdout",
  "AttachStderr",
  "Tty",
  "OpenStdin",
  "StdinOnce",
  "Image",
];

const FIELDS: readonly Field[] = [
  ...TOP_LEVEL_ADDRESSES.map((name): Field => ({ of: "inspect", path: `NetworkSettings.${name}`, until: 51 })),
  ...CONTAINER_ONLY.map((name): Field => ({ of: "image", path: `Config.${name}`, until: 49 })),
  { of: "inspect", path: "HostConfig.KernelMemory", until: 41 },
  { of: "inspect", path: "NetworkSettings.Networks.bridge.DNSNames", since: 44 },
  { of: "inspect", path: "NetworkSettings.Networks.bridge.GwPriority", since: 48 },
  { of: "inspect", path: "Config.OnBuild", until: 51 },
  { of: "list", path: "Health", since: 52 },
  { of: "images", path: "VirtualSize", until: 43 },
  { of: "image", path: "VirtualSize", until: 43 },
  { of: "image", path: "Container", until: 44 },
  { of: "image", path: "ContainerConfig", until: 44 },
  { of: "image", path: "Parent", until: 51 },
  { of: "image", path: "Comment", until: 51 },
  { of: "image", path: "Author", until: 51 },
  { of: "image", path: "DockerVersion", until: 51 },
  { of: "info", path: "BridgeNfIptables", until: 49 },
  { of: "info", path: "BridgeNfIp6tables", until: 49 },
  { of: "info", path: "CDISpecDirs", since: 44 },
  { of: "info", path: "FirewallBackend", since: 49 },
  { of: "info", path: "RuncCommit.Expected", until: 48 },
  { of: "info", path: "RegistryConfig.AllowNondistributableArtifactsCIDRs", until: 46 },
  { of: "networks", path: "Containers", until: 27 },
];

onEngines("fields by version", (engine, kind) => {
  let id = "";
  beforeAll(async () => {
    // An image without settings: fields that are left out when empty must be empty.
    await engine().load(
      await dockerArchive([{ reference: "silent:1", config: { Cmd: ["x"] }, layers: [await busyboxLayer()] }]),
    );
    id = await engine().running();
  });

  test("the common version has its fields", async () => {
    for (const field of FIELDS.filter((one) => one.of !== "networks")) {
      const expected = field.since === undefined;
      expect([field.of, field.path, await present(field, COMMON_VERSION)]).toEqual([field.of, field.path, expected]);
    }
  });

  describeUnless(kind === "reference" ? REFERENCE.after141 : null, "each of them", () => {
    for (const field of FIELDS) {
      const [last, first] = [field.until ?? (field.since ?? 0) - 1, field.since ?? (field.until ?? 0) + 1];
      test(`${field.of} ${field.path} ${field.since === undefined ? `until 1.${last}` : `from 1.${first}`}`, async () => {
        expect(await present(field, `1.${last}`)).toBe(field.since === undefined);
        expect(await present(field, `1.${first}`)).toBe(field.since !== undefined);
      });
    }
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "images: Containers is counted from 1.51, placeholders for missing names end with 1.42",
    async () => {
      const image = async (version: string): Promise<Json> =>
        (await engine().read<Json[]>(`/images/json?filters=${BUSYBOX}`, { version }))[0] ?? {};
      expect((await image("1.50"))["Containers"]).toBe(-1);
      expect((await image("1.51"))["Containers"]).toBe(1);
      const made = await engine().must(201, "POST", `/commit?container=${id}&pause=0`, {});
      const { Id } = made.json<{ Id: string }>();
      const unnamed = async (version: string): Promise<unknown> =>
        (await engine().read<Json[]>("/images/json?all=1", { version })).find((one) => one["Id"] === Id)?.["RepoTags"];
      expect(await unnamed("1.42")).toEqual(["<none>:<none>"]);
      expect(await unnamed("1.43")).toEqual([]);
      await engine().must(200, "DELETE", `/images/${Id}`);
    },
  );

  async function present(field: Field, version: string): Promise<boolean> {
    const targets = {
      list: "/containers/json",
      inspect: `/containers/${id}/json`,
      info: "/info",
      images: "/images/json",
      image: "/images/silent:1/json",
      networks: "/networks",
      version: "/version",
    };
    const body = await engine().read<Json | Json[]>(targets[field.of], { version });
    let found: unknown = Array.isArray(body) ? body[0] : body;
    for (const key of field.path.split(".")) {
      if (typeof found !== "object" || found === null || !(key in found)) return false;
      found = (found as Json)[key];
    }
    return true;
  }
});
