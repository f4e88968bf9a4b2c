// Access to a daemon's trace: root and the daemon's own user, on the sockets of the live engine.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onDryRunEngines } from "../dry-run/engines.js";
import { run } from "../support/commands.js";
import { CORACLE } from "../support/engines.js";

/** A user who may still open every file, like a member of the socket's group who may open the socket. */
const AS_NOBODY = [
  ...["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
  ...["--inh-caps=+dac_override", "--ambient-caps=+dac_override"],
];
const OWN = { version: null };

onDryRunEngines("the trace", (engine) => {
  const save = (file: string, as: readonly string[] = []) => {
    const { live, place } = engine();
    return run([...as, ...CORACLE, "trace", "save", "-H", `unix://${live.socketPath}`, join(place, file)]);
  };

  test("is given to the daemon's own user", async () => {
    const { live, place } = engine();
    expect(await save("own")).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(place, "own"))).toBe(true);
    expect((await live.call("GET", "/coracle/trace", undefined, OWN)).status).toBe(200);
  });

  test("is not given on a socket for dry runs", async () => {
    const { dry } = engine();
    const answer = await dry.call("GET", "/coracle/trace", undefined, OWN);
    expect([answer.status, answer.header("content-type")]).toEqual([403, "application/json"]);
    expect(answer.json()).toEqual({ message: "a socket for dry runs does not offer the trace" });
    // The connection serves other requests afterwards.
    expect((await dry.call("GET", "/_ping", undefined, OWN)).status).toBe(200);
  });

  test("is not given to another user", async () => {
    const { live, place } = engine();
    const { code, stderr } = await save("others", AS_NOBODY);
    expect([code, stderr]).toEqual([1, expect.stringContaining("gives its trace only to root and to its own user")]);
    expect(existsSync(join(place, "others"))).toBe(false);
    // Other requests are answered as usual.
    const ping = ["curl", "-sS", "--unix-socket", live.socketPath];
    expect(await run([...AS_NOBODY, ...ping, "http://x/_ping"])).toMatchObject({ code: 0, stdout: "OK" });
    const { stdout } = await run([...AS_NOBODY, ...ping, "http://x/coracle/trace"]);
    expect(JSON.parse(stdout)).toEqual({ message: "only root and the daemon's own user may read the trace" });
  });
});
