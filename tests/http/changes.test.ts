// A container's changes to its image's files, and all of its files as a tar.
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { readTar } from "../support/archives/read-tar.js";
import { rawTar } from "../support/archives/tar.js";

interface Change {
  Path: string;
  Kind: number;
}

const [MODIFIED, ADDED, DELETED] = [0, 1, 2];

onEngines("changes and export", (engine) => {
  test("changed, added and deleted files, and the directories above them", async () => {
    const id = await ended(
      "mkdir -p /new/sub && echo x > /new/sub/file; rm /etc/group; chmod 700 /tmp; echo >> /etc/passwd",
    );
    const changes = await engine().read<Change[]>(`/containers/${id}/changes`);
    const kinds = Object.fromEntries(changes.map(({ Path, Kind }) => [Path, Kind]));
    expect(kinds).toEqual({
      "/etc": MODIFIED,
      "/etc/group": DELETED,
      "/etc/passwd": MODIFIED,
      "/new": ADDED,
      "/new/sub": ADDED,
      "/new/sub/file": ADDED,
      "/tmp": MODIFIED,
    });
    await engine().remove(id);
  });

  test("a directory that replaced another one", async () => {
    const id = await ended(
      "rm -r /var/spool && mkdir /var/spool && echo x > /var/spool/new; rm -r /home && echo x > /home",
    );
    const changes = await engine().read<Change[]>(`/containers/${id}/changes`);
    const kinds = Object.fromEntries(changes.map(({ Path, Kind }) => [Path, Kind]));
    expect(kinds).toMatchObject({ "/var": MODIFIED, "/var/spool/new": ADDED, "/home": MODIFIED });
    await engine().remove(id);
  });

  test("null if nothing has changed", async () => {
    const id = await engine().create();
    expect((await engine().must(200, "GET", `/containers/${id}/changes`)).text).toBe("null\n");
    expect((await engine().call("GET", "/containers/nope/changes")).status).toBe(404);
    await engine().remove(id);
  });

  test("mounts are not changes", async () => {
    const id = await ended("echo x > /vol/file; echo x > /dev/shm/file; echo x > /file", { Volumes: { "/vol": {} } });
    const changes = await engine().read<Change[]>(`/containers/${id}/changes`);
    const ours = changes.filter(({ Path }) => Path !== "/vol");
    expect(ours).toEqual([{ Path: "/file", Kind: ADDED }]);
    await engine().remove(id);
  });

  for (const runs of [true, false]) {
    test(`all files of a container that ${runs ? "runs" : "never ran"}`, async () => {
      const config = { Cmd: ["sleep", "1000"], Volumes: { "/vol": {} }, StopSignal: "SIGKILL" };
      const id = await engine().create(config);
      if (runs) await engine().start(id);
      const body = rawTar([{ name: "own", body: "own", uid: 5 }]);
      await engine().must(200, "PUT", `/containers/${id}/archive?path=/etc`, body);
      await engine().must(200, "PUT", `/containers/${id}/archive?path=/vol`, body);
      const answer = await engine().must(200, "GET", `/containers/${id}/export`);
      expect(answer.header("Content-Type")).toBe("application/octet-stream");
      const members = new Map((await readTar(answer.body)).map((member) => [member.name, member]));
      expect(members.get("etc/own")).toMatchObject({ type: "file", text: "own", uid: 5 });
      expect(members.get("etc/")).toMatchObject({ type: "directory" });
      expect(members.get("bin/busybox") ?? members.get("bin/sh")).toBeDefined();
      expect([...members.keys()].filter((name) => /^(vol|proc|sys)\/./.test(name))).toEqual([]);
      await engine().remove(id);
    });
  }

  test("a missing container is 404", async () => {
    const answer = await engine().call("GET", "/containers/nope/export");
    expect([answer.status, messageOf(answer)]).toEqual([404, "No such container: nope"]);
  });

  test("events of reading and of unpacking", async () => {
    const id = await engine().create();
    await engine().must(200, "HEAD", `/containers/${id}/archive?path=/etc`);
    await engine().must(200, "GET", `/containers/${id}/archive?path=/etc/passwd`);
    await engine().must(200, "PUT", `/containers/${id}/archive?path=/etc`, rawTar([]));
    await engine().must(200, "GET", `/containers/${id}/export`);
    const filters = encodeURIComponent(JSON.stringify({ container: [id], type: ["container"] }));
    const now = Date.now() / 1000;
    const events = await engine().must(200, "GET", `/events?since=${now - 60}&until=${now}&filters=${filters}`);
    const actions = events.text
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { Action: string }).Action);
    expect(actions).toEqual(["create", "archive-path", "extract-to-dir", "export"]);
    await engine().remove(id);
  });

  async function ended(script: string, config = {}): Promise<string> {
    const id = await engine().create({ Cmd: ["sh", "-c", script], ...config });
    await engine().start(id);
    expect(await engine().wait(id)).toBe(0);
    return id;
  }
});
