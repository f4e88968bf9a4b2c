// The table of names: which addresses a name has for a container, in which order, and which name an address has.
import { beforeEach, describe, expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { reverseOf, Table } from "../../../runtime-linux/names/resolver/table.js";

const SHOP = "a".repeat(64);
const STORE = "b".repeat(64);

describe("a table of names", () => {
  let table: Table;
  beforeEach(() => {
    table = new Table();
    put("one", { names: ["One", "both"], addresses: ["10.0.0.1"] });
    put("two", { names: ["two", "both"], addresses: ["10.0.0.2", "fd00::2"] });
    put("far", { network: STORE, domain: "store", names: ["far", "two"], addresses: ["10.1.0.1"] });
  });

  test("names are found on a container's networks, with and without the network's name", () => {
    expect(look("one")).toEqual(["10.0.0.1"]);
    expect(look("one.shop")).toEqual(["10.0.0.1"]);
    expect(look("two")).toEqual(["10.0.0.2", "fd00::2"]);
    for (const nobody of ["far", "one.store", "shop", ".shop", ""]) expect(look(nobody), nobody).toBeUndefined();
  });

  test("the first network that has a name decides, and its name leads to another", () => {
    expect(look("two", [SHOP, STORE])).toEqual(["10.0.0.2", "fd00::2"]);
    expect(look("two", [STORE, SHOP])).toEqual(["10.1.0.1"]);
    expect(look("two.store", [SHOP, STORE])).toEqual(["10.1.0.1"]);
  });

  test("each owner of a name comes first in turn", () => {
    const firsts = [1, 2, 3, 4].map(() => look("both")![0]);
    expect(new Set(firsts)).toEqual(new Set(["10.0.0.1", "10.0.0.2"]));
    expect(firsts[0]).not.toBe(firsts[1]);
    expect(firsts.slice(0, 2)).toEqual(firsts.slice(2));
  });

  test("links come before the names of all networks", () => {
    const networks = [
      { network: STORE, links: [] },
      { network: SHOP, links: [{ alias: "Far", name: "ONE" }] },
    ];
    expect(table.addresses({ networks }, "far")).toEqual(["10.0.0.1"]);
  });

  test("an address has the first name, on networks of the container", () => {
    expect(table.nameOf(on([SHOP]), reverseOf("10.0.0.1"))).toBe("One.shop");
    expect(table.nameOf(on([SHOP]), reverseOf("fd00::2"))).toBe("two.shop");
    expect(table.nameOf(on([SHOP]), reverseOf("10.1.0.1"))).toBeUndefined();
    expect(reverseOf("10.0.0.1")).toBe("1.0.0.10.in-addr.arpa");
    expect(reverseOf("fd00::2")).toBe("2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa");
  });

  test("what replaces an endpoint's names, or ends them, leaves nothing of the old ones", () => {
    put("one", { names: ["new"], addresses: ["10.0.0.9"] });
    expect([look("one"), look("both"), look("new")]).toEqual([undefined, ["10.0.0.2", "fd00::2"], ["10.0.0.9"]]);
    expect(table.nameOf(on([SHOP]), reverseOf("10.0.0.1"))).toBeUndefined();
    table.put("two", undefined);
    expect(look("both")).toBeUndefined();
    // An address may have gone to another container already.
    put("next", { names: ["next"], addresses: ["10.0.0.9"] });
    table.put("one", undefined);
    expect(table.nameOf(on([SHOP]), reverseOf("10.0.0.9"))).toBe("next.shop");
  });

  function put(file: string, given: Partial<networks.EndpointNames>): void {
    table.put(file, { container: file, network: SHOP, domain: "shop", names: [], addresses: [], ...given });
  }

  function look(name: string, ids = [SHOP]): string[] | undefined {
    return table.addresses(on(ids), name);
  }

  function on(ids: string[]): Pick<networks.Resolver, "networks"> {
    return { networks: ids.map((network) => ({ network, links: [] })) };
  }
});
