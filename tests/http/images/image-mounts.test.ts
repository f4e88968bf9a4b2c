// Mounts of type `image` (API 1.48): the files of an image, read-only, and whole or in part.
import { expect, test } from "vitest";
import { buildOn } from "../builds/building.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { readTar } from "../../support/archives/read-tar.js";
import { rawTar } from "../../support/archives/tar.js";
import { onEngines } from "../../support/on-engines.js";

const NEW = { version: "1.51" };

onEngines("image mounts", (engine, kind) => {
  if (kind === "reference") {
    test("it is too old for them", async () => {
      const answer = await engine().call("POST", "/containers/create", wish({ Type: "image", Source: "busybox" }));
      expect(answer.status).toBe(400);
    });
    return;
  }

  test("an image is mounted read-only, and cannot be removed meanwhile", async () => {
    await buildOn(engine(), "FROM busybox\nRUN mkdir /kept && echo seen > /kept/f\n", [], "t=mounted");
    const image = await engine().read<{ Id: string }>("/images/mounted/json");
    const id = await created("cat /i/kept/f /part; ! touch /i/x && ! echo x > /part && sleep 1000", [
      { Type: "image", Source: "mounted", Target: "/i" },
      { Type: "image", Source: "mounted:latest", Target: "/part", ImageOptions: { Subpath: "kept/f" } },
    ]);
    const { Mounts } = await engine().read<{ Mounts: Json[] }>(`/containers/${id}/json`, NEW);
    expect(Mounts).toContainEqual({
      Type: "image",
      Name: "mounted",
      Source: image.Id,
      Destination: "/i",
      Mode: "",
      RW: false,
      Propagation: "",
    });
    await engine().must(204, "POST", `/containers/${id}/start`);
    await expect.poll(async () => (await engine().logs(id)).stdout).toBe("seen\nseen\n");
    expect(await removal("mounted", 409)).toMatch(
      /^conflict: unable to remove repository reference "mounted:latest" \(must force\) - container [0-9a-f]{12} is using/,
    );
    expect(await removal(`${image.Id}?force=1`, 409)).toMatch(/image is being used by running container/);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().must(200, "POST", `/containers/${id}/wait`);
    expect(await removal("mounted", 409)).toMatch(/is using its referenced image/);
    await engine().must(200, "DELETE", "/images/mounted?force=1");
    expect(messageOf(await engine().must(404, "POST", `/containers/${id}/start`))).toMatch(/^No such image: sha256:/);
    await engine().must(204, "DELETE", `/containers/${id}`);
  });

  test("the same image may be mounted and run, and other containers take the mount over", async () => {
    const first = await created("true", [{ Type: "image", Source: "busybox", Target: "/other" }]);
    const { stdout } = await engine().run({
      Image: "busybox",
      Cmd: ["/other/bin/sh", "-c", "cd /other && echo *; ls /other/etc/passwd"],
      HostConfig: { VolumesFrom: [first] },
    });
    expect(stdout).toContain("bin");
    expect(stdout).toContain("/other/etc/passwd\n");
    await engine().must(204, "DELETE", `/containers/${first}`);
  });

  test("docker cp sees them in a stopped container, too, and cannot change them", async () => {
    await buildOn(engine(), "FROM busybox\nRUN mkdir /kept && echo seen > /kept/f\n", [], "t=copied");
    const id = await created("true", [
      { Type: "image", Source: "copied", Target: "/i" },
      { Type: "image", Source: "copied", Target: "/dir", ImageOptions: { Subpath: "kept" } },
      { Type: "image", Source: "copied", Target: "/part", ImageOptions: { Subpath: "kept/f" } },
    ]);
    for (const path of ["/i/kept/f", "/dir/f", "/part"]) {
      const { body } = await engine().must(200, "GET", `/containers/${id}/archive?path=${path}`);
      const [file] = await readTar(body);
      expect(file!.text).toBe("seen\n");
    }
    const refused = await engine().must(
      400,
      "PUT",
      `/containers/${id}/archive?path=/i`,
      rawTar([{ name: "x", body: "" }]),
    );
    expect(messageOf(refused)).toBe("mounted volume is marked read-only");
    await engine().must(204, "DELETE", `/containers/${id}`);
    await engine().must(200, "DELETE", "/images/copied");
  });

  test.each<[Json, number, string | RegExp]>([
    [{ Source: "none" }, 404, "No such image: none:latest"],
    [{}, 400, 'invalid mount config for type "image": field Source must not be empty'],
    [{ Source: "busybox", ImageOptions: { Subpath: "../x" } }, 400, /subpath must be a relative path within the image/],
    [{ Source: "busybox", BindOptions: {} }, 400, /field BindOptions must not be specified/],
  ])("refuses %j", async (mount, status, message) => {
    const body = wish({ Type: "image", ...mount });
    expect(messageOf(await engine().must(status, "POST", "/containers/create", body, NEW))).toMatch(message);
  });

  test("a path that the image does not have ends the start", async () => {
    const mount = { Type: "image", Source: "busybox", Target: "/i", ImageOptions: { Subpath: "no/such" } };
    const id = await created("true", [mount]);
    const answer = await engine().call("POST", `/containers/${id}/start`);
    expect(answer.status).toBe(500);
    expect(messageOf(answer)).toMatch(
      /cannot access path no\/such of the image that is mounted: no such file or directory/,
    );
    await engine().must(204, "DELETE", `/containers/${id}`);
  });

  test("earlier versions do not know the type", async () => {
    const old = { version: "1.47" };
    const answer = await engine().must(400, "POST", "/containers/create", wish({ Type: "image", Source: "x" }), old);
    expect(messageOf(answer)).toBe('Mount type "Image" needs API v1.48 or newer');
  });

  async function created(command: string, mounts: Json[]): Promise<string> {
    const body = { Image: "busybox", Cmd: ["sh", "-c", command], HostConfig: { Mounts: mounts } };
    return (await engine().must(201, "POST", "/containers/create", body, NEW)).json<{ Id: string }>().Id;
  }

  async function removal(what: string, status: number): Promise<string> {
    return messageOf(await engine().must(status, "DELETE", `/images/${what}`));
  }
});

function wish(mount: Json): Json {
  return { Image: "busybox", HostConfig: { Mounts: [{ Target: "/i", ...mount }] } };
}
