// Parameters in the query, and in an urlencoded form in the body (surface §2.2).
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

const FORM = { headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" } };

onEngines("forms", (engine) => {
  test("a form counts like a query, and takes precedence", async () => {
    const id = await engine().create({}, "?name=form-a");
    const rename = (query: string, form: string): Promise<unknown> =>
      engine().must(204, "POST", `/containers/${id}/rename${query}`, Buffer.from(form), FORM);
    await rename("", "name=form%2Db");
    expect((await engine().inspect(id)).Name).toBe("/form-b");
    await rename("?name=form-d", "name=form-c");
    expect((await engine().inspect(id)).Name).toBe("/form-c");
    await engine().remove(id);
  });

  test("a body of another type is not a form", async () => {
    const id = await engine().create({}, "?name=form-e");
    const headers = { "Content-Type": "text/plain" };
    const target = `/containers/${id}/rename?name=form-f`;
    await engine().must(204, "POST", target, Buffer.from("name=form-g"), { headers });
    expect((await engine().inspect(id)).Name).toBe("/form-f");
    await engine().remove(id);
  });

  const refusal = async (...request: Parameters<ReturnType<typeof engine>["call"]>): Promise<[number, string]> => {
    const answer = await engine().call(...request);
    return [answer.status, answer.status < 400 ? "" : messageOf(answer)];
  };

  test("invalid encoding is refused, in a form as in a query", async () => {
    const [escape, semicolon] = ['invalid URL escape "%zz"', "invalid semicolon separator in query"];
    expect(await refusal("GET", "/containers/json?all=%zz")).toEqual([400, escape]);
    expect(await refusal("GET", "/images/json?a;b")).toEqual([400, semicolon]);
    expect(await refusal("POST", "/containers/nobody/kill", Buffer.from("signal=%zz"), FORM)).toEqual([400, escape]);
    expect(await refusal("POST", "/containers/nobody/stop?t=1;x", Buffer.from("t=%zz"), FORM)).toEqual([400, escape]);
    expect(await refusal("DELETE", "/containers/nobody?%zz=1")).toEqual([400, escape]);
  });

  test("but not if the endpoint has no parameters", async () => {
    const id = await engine().create({});
    for (const path of ["/_ping", "/version", "/info", `/containers/${id}/json`, `/containers/${id}/changes`]) {
      expect([path, await refusal("GET", `${path}?%zz=1&a;b`)]).toEqual([path, [200, ""]]);
    }
    await engine().remove(id);
  });
});
