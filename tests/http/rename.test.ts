// Rename: which names work afterwards, and what is refused.
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { pastOf, stamp } from "../support/past-events.js";

onEngines("rename", (engine) => {
  test("a running container answers to its new name alone, the old one is free", async () => {
    const id = await engine().running({}, "?name=first-name");
    const since = await stamp(engine());
    await engine().must(204, "POST", "/containers/first-name/rename?name=second-name");
    expect(await engine().inspect("second-name")).toMatchObject({ Id: id, Name: "/second-name" });
    expect((await engine().call("GET", "/containers/first-name/json")).status).toBe(404);
    const other = await engine().create({}, "?name=first-name");
    const filters = encodeURIComponent(JSON.stringify({ id: [id] }));
    expect(await engine().read(`/containers/json?filters=${filters}`)).toMatchObject([{ Names: ["/second-name"] }]);
    const events = await pastOf(engine(), id, since, 1);
    expect(events.map(({ Action, Actor }) => [Action, Actor.Attributes])).toEqual([
      ["rename", { image: "busybox", name: "second-name", oldName: "/first-name" }],
    ]);
    await engine().must(204, "POST", `/containers/${id}/rename?name=/third-name`);
    expect(await engine().inspect("third-name")).toMatchObject({ Id: id });
    for (const one of [id, other]) await engine().remove(one);
  });

  test("no name, the same name, an invalid one, a taken one", async () => {
    const id = await engine().create({}, "?name=renamed");
    const other = await engine().create({}, "?name=taken");
    expect(await refusal(id, "")).toEqual([400, "Neither old nor new names may be empty"]);
    const same = "Renaming a container with the same name as its current name";
    expect(await refusal(id, "?name=renamed")).toEqual([400, same]);
    expect(await refusal(id, "?name=/renamed")).toEqual([400, same]);
    expect(await refusal(id, "?name=a:b")).toEqual([
      400,
      "Error when allocating new name: Invalid container name (/a:b), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
    ]);
    expect(await refusal(id, "?name=taken")).toEqual([
      409,
      `Error when allocating new name: Conflict. The container name "/taken" is already in use by container "${other}". ` +
        "You have to remove (or rename) that container to be able to reuse that name.",
    ]);
    expect(await refusal("nobody", "?name=free")).toEqual([404, "No such container: nobody"]);
    for (const one of [id, other]) await engine().remove(one);
  });

  test("of many concurrent renames to one name, one succeeds", async () => {
    const ids = await Promise.all([1, 2, 3, 4].map(() => engine().create()));
    const answers = await Promise.all(ids.map((id) => engine().call("POST", `/containers/${id}/rename?name=wanted`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
    for (const id of ids) await engine().remove(id);
  });

  async function refusal(id: string, query: string): Promise<[number, string]> {
    const answer = await engine().call("POST", `/containers/${id}/rename${query}`);
    return [answer.status, messageOf(answer)];
  }
});
