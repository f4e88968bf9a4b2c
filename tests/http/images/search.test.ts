// Searches for repositories, in the index of a registry: on the engine's loopback, so that no TLS is needed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";
import { startIndex, type Index } from "../../support/registry/index-server.js";

const RESULTS = [
  { name: "team/app", description: "An <app>", star_count: 7, is_official: false, is_automated: true },
  { name: "base", description: "", star_count: 3, is_official: true, is_automated: false },
];

onEngines("search", (engine) => {
  let index: Index;
  beforeAll(async () => {
    index = await startIndex(engine().daemon.netns, RESULTS);
  });
  afterAll(async () => index.close());

  const search = async (query: string, login?: object): Promise<[number, Json[] | string]> => {
    const header = Buffer.from(JSON.stringify(login ?? {})).toString("base64");
    const headers: Record<string, string> = login === undefined ? {} : { "X-Registry-Auth": header };
    const answer = await engine().call("GET", `/images/search?${query}`, undefined, { headers });
    return [answer.status, answer.status === 200 ? answer.json<Json[]>() : messageOf(answer)];
  };

  test("all results, as the registry has them", async () => {
    const shown = RESULTS.map((one) => ({
      ...one,
      is_automated: engine().expected("search-automated", false, one.is_automated),
    }));
    expect(await search(`term=${index.host}/app`)).toEqual([200, shown]);
    expect((await index.asked()).at(-1)).toMatchObject({ target: "/v1/search?q=app&n=25" });
    expect((await search(`term=${index.host}/team/app&limit=3`))[0]).toBe(200);
    expect((await index.asked()).at(-1)).toMatchObject({ target: "/v1/search?q=team%2Fapp&n=3" });
  });

  test.each([
    [{ stars: ["5"] }, ["team/app"]],
    [{ stars: ["3", "7"] }, ["team/app"]],
    [{ "is-official": ["true"] }, ["base"]],
    [{ "is-official": ["false"], stars: ["1"] }, ["team/app"]],
    [{ "is-official": ["true"], stars: ["100"] }, []],
  ])("filters: %j", async (filters, names) => {
    const [status, found] = await search(
      `term=${index.host}/app&filters=${encodeURIComponent(JSON.stringify(filters))}`,
    );
    expect([status, (found as Json[]).map(({ name }) => name)]).toEqual([200, names]);
  });

  test("credentials go along", async () => {
    await search(`term=${index.host}/app`, { username: "me", password: "s3cret" });
    const basic = `Basic ${Buffer.from("me:s3cret").toString("base64")}`;
    expect((await index.asked()).at(-1)).toMatchObject({ authorization: basic });
  });

  test("refusals", async () => {
    const [scheme, text] = await search("term=http://x/y");
    expect(scheme).toBe(engine().expected("search-refusals", 400, 500));
    expect(text).toMatch(/^[Ii]nvalid repository name/);
    expect(await search(`term=${index.host}/x&limit=101`)).toEqual([
      400,
      engine().expected(
        "search-refusals",
        "limit 101 is outside the range of [1, 100]",
        "Limit 101 is outside the range of [1, 100]",
      ),
    ]);
    expect((await search("term=x&limit=many"))[0]).toBe(engine().expected("search-refusals", 400, 500));
    expect((await search(`term=x&filters=${encodeURIComponent('{"colour":["x"]}')}`))[0]).toBe(400);
    const stars = encodeURIComponent('{"stars":["many"]}');
    expect(await search(`term=${index.host}/x&filters=${stars}`)).toEqual([
      400,
      engine().expected(
        "search-stars",
        `invalid filter 'stars=many': strconv.Atoi: parsing "many": invalid syntax`,
        "Invalid filter 'stars=many'",
      ),
    ]);
    expect(await search(`term=${index.host}/missing`)).toEqual([500, "Unexpected status code 404"]);
  });
});
