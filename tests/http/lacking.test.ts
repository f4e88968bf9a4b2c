// Features that a machine lacks: quotas for containers' files, device drivers, volume drivers other than the default,
// and on the simulated machine any processes outside containers. Each is refused by name when requested, and only then.
import { expect, test } from "vitest";
import { REAL, REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

onEngines("missing features", (engine, kind) => {
  const created = async (HostConfig: Json, more: Json = {}, version = "1.41") => {
    const body = { Image: "busybox", Cmd: ["true"], HostConfig, ...more };
    const answer = await engine().call("POST", "/containers/create", body, { version });
    return [answer.status, answer.status === 201 ? answer.json() : messageOf(answer)] as const;
  };

  test("quotas", async () => {
    const text = "--storage-opt is supported only for overlay over xfs with 'pquota' mount option";
    expect(await created({ StorageOpt: { size: "1G" } })).toEqual([engine().expected("storage-opt", 501, 500), text]);
    const unknown = engine().expected("storage-opt", 400, 500);
    expect(await created({ StorageOpt: { siz: "1G" } })).toEqual([unknown, "Unknown option siz"]);
    expect((await created({ StorageOpt: {} }))[0]).toBe(201);
  });

  test.each<[Json, string]>([
    [{ Count: -1, Capabilities: [["gpu"]] }, '"" with capabilities: [[gpu]]'],
    [{ Driver: "nvidia", DeviceIDs: ["0"] }, '"nvidia" with capabilities: []'],
    [{ Capabilities: [["a", "b"], ["c"]] }, '"" with capabilities: [[a b] [c]]'],
  ])("drivers of devices: %j", async (request, text) => {
    const [status, answer] = await created({ DeviceRequests: [request] });
    expect(status).toBe(201);
    const { Id } = answer as { Id: string };
    const start = await engine().call("POST", `/containers/${Id}/start`);
    expect([start.status, messageOf(start)]).toEqual([500, `could not select device driver ${text}`]);
    const asked = { Driver: "", Count: 0, DeviceIDs: null, Capabilities: null, Options: null, ...request };
    expect(await engine().inspect(Id)).toMatchObject({
      State: { Status: "created", ExitCode: 128, Error: messageOf(start) },
      HostConfig: { DeviceRequests: [asked] },
    });
    await engine().remove(Id);
  });

  test.each(["IpcMode", "PidMode"])("drivers of devices are looked for before the container of %s", async (mode) => {
    const other = await engine().create({ Cmd: ["true"] });
    const HostConfig = { [mode]: `container:${other}`, DeviceRequests: [{ Capabilities: [["gpu"]] }] };
    const id = await engine().create({ Cmd: ["true"], HostConfig });
    const start = await engine().call("POST", `/containers/${id}/start`);
    const text = 'could not select device driver "" with capabilities: [[gpu]]';
    expect([start.status, messageOf(start)]).toEqual([500, text]);
    for (const one of [id, other]) await engine().remove(one);
  });

  test("drivers of volumes", async () => {
    const text = 'error looking up volume plugin nfs: plugin "nfs" not found';
    const VolumeDriver = "nfs";
    expect(await created({ VolumeDriver, Binds: ["new:/x"] })).toEqual([404, `create new: ${text}`]);
    const [status, answer] = await created({ VolumeDriver }, { Volumes: { "/x": {} } });
    expect(status).toBe(404);
    expect(answer).toContain(text);
    const { Volumes } = await engine().read<{ Volumes: Json[] | null }>("/volumes");
    expect(Volumes ?? []).toEqual([]);
    // Without a volume to make, there is nothing to refuse.
    expect((await created({ VolumeDriver, Binds: ["/tmp:/x"] }))[0]).toBe(201);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "mounts have only their built-in driver, and clients are told so from 1.48 on",
    async () => {
      const mounts = (VolumeOptions: Json) => {
        return { VolumeDriver: "nfs", Mounts: [{ Type: "volume", Source: "mine", Target: "/x", VolumeOptions }] };
      };
      const warning =
        "WARNING: the container-wide volume-driver configuration is ignored for volumes specified via 'mount'. " +
        "Use '--mount type=volume,volume-driver=...' instead";
      const local = { DriverConfig: { Name: "local" } };
      for (const [version, options, warnings] of [
        ["1.47", {}, []],
        ["1.48", {}, [warning]],
        ["1.55", local, []],
      ] as const) {
        expect(await created(mounts(options), {}, version)).toMatchObject([201, { Warnings: warnings }]);
      }
    },
  );

  testExcept(kind, { linux: REAL.otherProcesses, reference: REAL.otherProcesses })(
    "processes outside containers",
    async () => {
      const text = "HostConfig.PidMode host: this machine has no processes besides those of containers";
      expect(await created({ PidMode: "host" })).toEqual([501, text]);
    },
  );
});
