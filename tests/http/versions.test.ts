// Version negotiation: which versions are served, and how the others are refused.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf } from "../support/engine-client.js";
import { frames } from "../support/frames.js";
import { exchange } from "../support/raw-http.js";

onEngines("versions", (engine, kind) => {
  test("every version from the oldest to the newest is served", async () => {
    const newest = Number(engine().engine.maxVersion.split(".")[1]);
    for (let minor = 24; minor <= newest; minor += 1) {
      const answer = await engine().call("GET", "/version", undefined, { version: `1.${minor}` });
      expect([minor, answer.status]).toEqual([minor, 200]);
    }
  });

  test("a version that is too new is refused in JSON, without Docker-Experimental", async () => {
    const answer = await engine().call("GET", "/info", undefined, { version: "1.99" });
    expect(answer.status).toBe(400);
    const max = engine().engine.maxVersion;
    expect(messageOf(answer)).toBe(`client version 1.99 is too new. Maximum supported API version is ${max}`);
    expect(answer.header("content-type")).toBe("application/json");
    expect(answer.header("api-version")).toBe(max);
    expect(answer.header("server")).not.toBeNull();
    expect(answer.header("docker-experimental")).toBeNull();
  });

  test("a version that is too old is refused as plain text", async () => {
    const version = kind === "reference" ? "1.11" : "1.23";
    const answer = await engine().call("GET", "/info", undefined, { version });
    expect(answer.status).toBe(400);
    const min = engine().engine.minVersion;
    expect(answer.text).toBe(
      `client version ${version} is too old. Minimum supported API version is ${min}, ` +
        "please upgrade your client to a newer version\n",
    );
    expect(answer.header("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.header("x-content-type-options")).toBe("nosniff");
    expect(answer.header("docker-experimental")).toBeNull();
  });

  test("an unknown path is 404 before other checks, in the format of the requested version", async () => {
    const old = kind === "reference" ? "1.11" : "1.23";
    for (const [version, type, text] of [
      [old, "text/plain; charset=utf-8", "page not found\n"],
      ["1.99", "application/json", '{"message":"page not found"}\n'],
    ] as const) {
      const answer = await engine().call("GET", "/nothing", undefined, { version });
      expect([version, answer.status, answer.text]).toEqual([version, 404, text]);
      expect(answer.header("content-type")).toBe(type);
      expect(answer.header("x-content-type-options")).toBe(version === old ? "nosniff" : null);
      expect(answer.header("api-version")).toBeNull();
    }
  });

  test("below 1.24 errors are plain text, if such a version is served", async () => {
    const answer = await engine().call("GET", "/images/get?names=nope", undefined, { version: "1.22" });
    expect(answer.status).toBe(404);
    expect(answer.text).toMatch(/^[^{"]*nope[^{"]*\n$/);
    expect(answer.header("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.header("x-content-type-options")).toBe("nosniff");
    expect(answer.header("docker-experimental")).toBe("false");
  });

  test("components compare as numbers: 1.5 is older than 1.24", async () => {
    const answer = await engine().call("GET", "/version", undefined, { version: "1.5" });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("client version 1.5 is too old");
  });

  test("the bare path means the newest version", async () => {
    const bare = await engine().call("GET", "/info", undefined, { version: null });
    const newest = await engine().call("GET", "/info", undefined, { version: engine().engine.maxVersion });
    expect(Object.keys(bare.json<object>())).toEqual(Object.keys(newest.json<object>()));
  });

  testExcept(kind, { reference: REFERENCE.unversioned })(
    "an endpoint that is newer than the version is refused",
    async () => {
      const requests = [
        ["GET", "/distribution/x/json", "1.29", "1.30"],
        ["POST", "/containers/prune", "1.24", "1.25"],
        ["POST", "/images/prune", "1.24", "1.25"],
        ["GET", "/images/x/attestations", "1.54", "1.55"],
        ["GET", "/system/df", "1.24", "1.25"],
      ] as const;
      for (const [method, path, version, minimum] of requests) {
        const answer = await engine().call(method, path, undefined, { version });
        expect([answer.status, messageOf(answer)]).toEqual([
          400,
          `${method} ${path} requires minimum API version ${minimum}`,
        ]);
      }
    },
  );

  test("images are saved and loaded at 1.22 too, which skopeo requests", async () => {
    const version = "1.22";
    const { body } = await engine().must(200, "GET", "/images/get?names=busybox", undefined, { version });
    const answer = await engine().must(200, "POST", "/images/load?quiet=1", body, { version });
    expect(answer.text).toContain("Loaded image: busybox:latest");
    const other = await engine().call("GET", "/images/json", undefined, { version });
    expect(other.status).toBe(engine().expected("too-old", 400, 200));
  });

  test("/version repeats both limits", async () => {
    const body = await engine().read<VersionBody>("/version");
    const { maxVersion, minVersion } = engine().engine;
    expect([body.ApiVersion, body.MinAPIVersion]).toEqual([maxVersion, minVersion]);
    expect([minVersion, maxVersion]).toEqual(engine().expected("api-versions", ["1.24", "1.55"], ["1.12", "1.41"]));
    const component = body.Components.find((one) => one.Name === "Engine");
    expect(component?.Details).toMatchObject({
      ApiVersion: maxVersion,
      MinAPIVersion: minVersion,
      Experimental: "false",
    });
  });

  test("later features without a version rule work at every version", async () => {
    const version = "1.24";
    const found = await engine().read<VersionBody>("/version", { version });
    expect(found.Components.map(({ Name }) => Name)).toContain("Engine");
    expect(await engine().read("/info", { version })).toHaveProperty("Warnings");
    const tmpfs = { Type: "tmpfs", Target: "/added", TmpfsOptions: { SizeBytes: 65_536 } };
    const body = { Image: "busybox", Cmd: ["sleep", "1000"], HostConfig: { Mounts: [tmpfs] }, StopSignal: "SIGKILL" };
    const made = await engine().must(201, "POST", "/containers/create", body, { version });
    const { Id } = made.json<{ Id: string }>();
    await engine().start(Id);
    const stats = await engine().read<{ cpu_stats: object }>(`/containers/${Id}/stats?stream=0`, { version });
    expect(stats.cpu_stats).toHaveProperty("online_cpus");
    const exec = { Cmd: ["sh", "-c", "echo $A; pwd"], Env: ["A=told"], WorkingDir: "/added", AttachStdout: true };
    const begun = await engine().must(201, "POST", `/containers/${Id}/exec`, exec, { version });
    const target = `/exec/${begun.json<{ Id: string }>().Id}/start`;
    const { body: output } = await engine().must(200, "POST", target, { Detach: false }, { version });
    expect(frames(output).stdout).toBe("told\n/added\n");
    await engine().remove(Id);
  });

  test("old and new notations of the target are equivalent", async () => {
    const socketPath = engine().socketPath;
    const wanted = await exchange(socketPath, { target: "/v1.41/containers/json" });
    expect(wanted.status).toBe(200);
    for (const target of ["http://localhost/v1.41/containers/json", "http://any.host:99/v1.41/containers/json"]) {
      const answer = await exchange(socketPath, { target });
      expect([target, answer.status, answer.text]).toEqual([target, 200, wanted.text]);
    }
    for (const Host of ["docker", "localhost", "v1.41", "any.host:99", "[::1]"]) {
      const answer = await exchange(socketPath, { target: "/v1.41/containers/json", headers: { Host } });
      expect([Host, answer.status]).toEqual([Host, 200]);
    }
  });

  test("a target in the format of old curl versions is understood", async () => {
    for (const target of ["http:/v1.41/containers/json", "http:/containers/json"]) {
      const answer = await exchange(engine().socketPath, { target });
      expect([target, answer.status]).toEqual([target, 200]);
    }
  });
});

interface VersionBody {
  readonly ApiVersion: string;
  readonly MinAPIVersion: string;
  readonly Components: readonly { readonly Name: string; readonly Details: Readonly<Record<string, string>> }[];
}
