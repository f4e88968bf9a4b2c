// The programs and scripts that the page shows for its requests: they run, and do the same on a real engine.

import { buffer } from "node:stream/consumers";
import { transform } from "esbuild";
import { pack } from "tar-stream";
import { expect, test } from "vitest";
import { curlScript } from "../../hosts/browser/notation/curl-script.js";
import { generate } from "../../hosts/browser/notation/generate.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { FIRST_FILES } from "../../hosts/browser/session/folder.js";
import { withFiles, written } from "../../hosts/browser/session/request.js";
import { openEngine } from "../../hosts/embedding/open.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import { opened, typed } from "./typed-session.js";

test("programs for engine.fetch run, and print what the engine answers", async () => {
  const requests = [
    written("GET", "/_ping"),
    written("POST", "/v1.41/containers/create?name=one", { Image: "busybox", Cmd: ["echo", "it's `fine` ${so}"] }),
    written("POST", "/v1.41/containers/one/start"),
    written("GET", "/v1.41/containers/json?all=1"),
    written("GET", "/v1.41/containers/one/logs?stdout=1&follow=1"),
    written("GET", "/v1.41/containers/nobody/json"),
    withFiles("POST", "/v1.41/build?t=greeter", FIRST_FILES),
  ];
  const engine = await openEngine({ host: simulatedHost({ pace: "fast" }), core: packagedCore().compiled });
  const printed: string[] = [];
  for (const request of requests)
    printed.push(
      await run(generate(request, "fetch"), { ...engine, fetch: engine.fetch.bind(engine), close: () => {} }),
    );
  await engine.close();
  expect(printed[0]).toBe("200 OK");
  expect(printed[1]).toMatch(/^201 \{"Id":"[0-9a-f]{64}"/);
  expect(printed[2]).toBe("204 ");
  expect(printed[3]).toContain("it's `fine` ${so}");
  expect(printed[4]).toContain("it's `fine` ${so}\n");
  expect(printed[5]).toContain('404 {"message":"No such container: nobody"}');
  expect(printed[6]).toContain("Successfully tagged greeter:latest");
});

test("a session as a script takes ids from the answers", async () => {
  const session = await opened();
  const [create] = await typed(session, "docker create busybox true");
  const view = create!.view.value;
  if (view.kind !== "json") throw new Error(view.kind);
  const { Id: id } = view.value as { Id: string };
  const others = [
    written("POST", `/v1.41/containers/${id}/start`),
    written("POST", "/v1.41/commit?repo=x", { container: id }),
    written("GET", `/v1.41/containers/json?all=1&filters={"id":["${id.slice(0, 12)}"]}`),
  ];
  for (const request of others) await session.send(session.add(request).id);
  const script = curlScript(session.exchanges.value);
  expect(script).not.toContain(id.slice(0, 12));
  expect(script).toContain("id1=$(curl");
  expect(script).toContain(`http://localhost/v1.41/containers/"$id1"/start`);
  expect(script).toMatch(/"container": "'"\$id1"'"/);
});

/** Runs a program with this engine instead of its own, and returns its output. */
async function run(program: string, engine: object): Promise<string> {
  const { code } = await transform(program.replace(/^import .*$/gm, ""), { loader: "ts" });
  const printed: string[] = [];
  const print = { log: (...values: unknown[]) => void printed.push(values.join(" ")) };
  const run = new AsyncFunction("openEngine", "simulatedHost", "console", "pack", "buffer", code) as Run;
  await run(
    () => engine,
    () => {},
    print,
    pack,
    buffer,
  );
  return printed.join("\n");
}

type Run = (
  openEngine: () => object,
  simulatedHost: () => void,
  console: object,
  packing: typeof pack,
  buffering: typeof buffer,
) => Promise<void>;

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => unknown;
