// What the model foretells of a container after a request to connect it to a network.

import { expect, test } from "vitest";
import type { Asked, Oracle } from "../oracle.js";
import { ORACLES } from "../oracles.js";

const Id = "c".repeat(64);

/** A client that is answered as the test says. */
class Told {
  readonly #model: Oracle = ORACLES["model"]!();
  #number = 0;

  ask(path: string, body: object | null = null): Asked {
    const number = ++this.#number;
    const sent = { client: "polite1", method: "POST", target: `/v1.55${path}`, headers: {} };
    const asked: Asked = { ...sent, number, body: body && JSON.stringify(body) };
    this.#model.asked(asked);
    return asked;
  }

  /** What the model finds wrong. */
  answer(asked: Asked, status: number, body: object = { message: "no" }): string | null {
    return this.#model.answered(asked, { status, headers: new Map(), body: JSON.stringify(body) });
  }

  create(): void {
    const wish = { Image: "busybox", Cmd: ["job"], HostConfig: { NetworkMode: "bridge" } };
    expect(this.answer(this.ask("/containers/create?name=anna", wish), 201, { Id })).toBeNull();
  }

  connect = (): Asked => this.ask("/networks/shop/connect", { Container: "anna" });
  failedStart = (): string | null => this.answer(this.ask("/containers/anna/start"), 500);
}

test.each([
  ["refused", 404, true],
  ["done", 200, false],
  ["an error", 500, false],
])("after a connect that is %s (%i), a failed start is wrong: %s", (_, status, isWrong) => {
  const told = new Told();
  told.create();
  told.answer(told.connect(), status);
  expect(told.failedStart() !== null).toBe(isWrong);
});

test("while connecting is not answered a start may fail; each request counts by itself", () => {
  const told = new Told();
  told.create();
  const [first] = [told.connect(), told.connect()];
  told.answer(first, 403);
  expect(told.failedStart()).toBeNull();
});
