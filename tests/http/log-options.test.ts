// Log drivers and their options: which exist, what they refuse, and what `details` shows of them.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { saidInTurn } from "../support/gate.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";

const ACCEPTED: readonly (readonly [string, Record<string, string>])[] = [
  ["json-file", { "max-size": "10m", "max-file": "3", compress: "true" }],
  [
    "json-file",
    { "max-size": "1k", "max-file": "1", labels: "a,b", env: "E", "labels-regex": "^x", "env-regex": "Y$" },
  ],
  ["json-file", { tag: "{{.Name}}/{{.ID}}", mode: "non-blocking", "max-buffer-size": "4m" }],
  ["json-file", { mode: "blocking" }],
  ["local", { "max-size": "10m", "max-file": "3", compress: "false" }],
  ["local", {}],
  ["none", {}],
];

const REFUSED: readonly (readonly [string, Record<string, string>, string])[] = [
  ["json-file", { nonsense: "1" }, "unknown log opt 'nonsense' for json-file log driver"],
  ["local", { labels: "a" }, "unknown log opt 'labels' for log driver local"],
  ["json-file", { mode: "sometimes" }, "logger: logging mode not supported: sometimes"],
  [
    "json-file",
    { "max-buffer-size": "4m" },
    "logger: max-buffer-size option is only supported with 'mode=non-blocking'",
  ],
];

/** The reference reports these only when the container is started. */
const BAD_VALUES: readonly (readonly [string, Record<string, string>, string])[] = [
  ["json-file", { "max-size": "much" }, "invalid value for max-size: much"],
  ["json-file", { "max-size": "0" }, "max-size must be a positive number"],
  ["json-file", { "max-size": "1m", "max-file": "0" }, "max-file cannot be less than 1"],
  ["json-file", { "max-size": "1m", "max-file": "x" }, "invalid value for max-file: x"],
  ["json-file", { "max-size": "1m", compress: "maybe" }, "invalid value for compress: maybe"],
  ["json-file", { "max-size": "1m", compress: "true" }, "compress cannot be true when max-file is less than 2"],
  ["json-file", { "labels-regex": "(" }, 'invalid value for labels-regex: "("'],
  ["json-file", { tag: "{{.Name" }, "invalid value for tag: {{.Name: an action is not closed"],
  ["json-file", { tag: "{{json .}}" }, "invalid value for tag: {{json .}} is not supported"],
];

onEngines("log options", (engine, kind) => {
  for (const [Type, Config] of ACCEPTED) {
    test(`${Type} takes ${JSON.stringify(Config)}`, async () => {
      const id = await engine().create({ Cmd: ["true"], HostConfig: { LogConfig: { Type, Config } } });
      expect((await engine().inspect<Inspect>(id)).HostConfig.LogConfig).toEqual({ Type, Config });
      await engine().start(id);
      expect(await engine().wait(id)).toBe(0);
      await engine().remove(id);
    });
  }

  for (const [Type, Config, text] of REFUSED) {
    test(`${Type} refuses ${JSON.stringify(Config)}`, async () => {
      const answer = await create(Type, Config);
      expect([answer.status, messageOf(answer)]).toEqual([400, text]);
    });
  }

  for (const [Type, Config, text] of BAD_VALUES) {
    test(`${Type} refuses the value ${JSON.stringify(Config)}`, async () => {
      const answer = await create(Type, Config);
      expect(answer.status).toBe(engine().expected("log-option-values", 400, 201));
      if (answer.status === 400) expect(messageOf(answer)).toContain(text);
      else await engine().remove(answer.json<{ Id: string }>().Id);
    });
  }

  test("details show labels and variables that the options name, after the time", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "echo text"],
      Env: ["E=1", "FEE=x", "OTHER=y"],
      Labels: { a: "x y", b: "2", "c.d": "&" },
      HostConfig: {
        LogConfig: {
          Type: "json-file",
          Config: { labels: "a,none", "labels-regex": "^c", env: "E", "env-regex": "^F" },
        },
      },
    });
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().logs(id, "stdout=1&details=1")).stdout).toBe("E=1,FEE=x,a=x+y,c.d=%26 text\n");
    expect((await engine().logs(id, "stdout=1&details=1&timestamps=1")).stdout).toMatch(
      /^[-0-9]{10}T[:0-9]{8}\.\d{9}Z E=1,FEE=x,a=x\+y,c\.d=%26 text\n$/,
    );
    expect((await engine().logs(id, "stdout=1")).stdout).toBe("text\n");
    await engine().remove(id);
  });

  test("details without any are a space", async () => {
    const { id } = await kept({ Cmd: ["echo", "text"] });
    expect((await engine().logs(id, "stdout=1&details=1")).stdout).toBe(" text\n");
    await engine().remove(id);
  });

  test("a tag is one of the details", async () => {
    const LogConfig = { Type: "json-file", Config: { tag: "{{.ImageName}}/{{.Name}}/{{.ID}}" } };
    const { id, name } = await kept({ Cmd: ["echo", "text"], HostConfig: { LogConfig } });
    const { stdout } = await engine().logs(id, "stdout=1&details=1");
    expect(stdout).toBe(`tag=busybox%2F${name}%2F${id.slice(0, 12)} text\n`);
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("from 1.54 on lines are JSON objects on request", async () => {
    const id = await saidInTurn(engine(), ["echo '<one>'", "echo two >&2"], {
      Labels: { a: "x&y" },
      HostConfig: { LogConfig: { Type: "json-file", Config: { labels: "a" } } },
    });
    const target = `/containers/${id}/logs?stdout=1&stderr=1`;
    const lines = await engine().must(200, "GET", `${target}&format=json&details=1`, undefined, { version: "1.54" });
    expect(lines.header("content-type")).toBe("application/jsonl");
    const Timestamp = expect.stringMatching(/^[-0-9]{10}T[:0-9]{8}(\.\d*[1-9])?Z$/) as string;
    const Attrs = [{ Key: "a", Value: "x&y" }];
    expect(
      lines.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { Line: "<one>\n", Source: "stdout", Timestamp, Attrs },
      { Line: "two\n", Source: "stderr", Timestamp, Attrs },
    ]);
    const sequence = await engine().call("GET", `${target}&tail=1`, undefined, {
      version: "1.55",
      headers: { accept: "application/jsonl;q=0.5, application/json-seq, application/x-ndjson;q=0" },
    });
    expect(sequence.header("content-type")).toBe("application/json-seq");
    expect(sequence.text[0]).toBe("\u001e");
    expect(sequence.text.slice(1)).toMatch(/^\{"Line":"two\\n","Source":"stderr","Timestamp":"[^"]+"\}\n$/);
    const older = await engine().call("GET", `${target}&format=json`, undefined, { version: "1.53" });
    expect(older.header("content-type")).toBe("application/vnd.docker.multiplexed-stream");
    await engine().remove(id);
  });

  test("local is read as json-file is", async () => {
    const LogConfig = { Type: "local", Config: {} };
    const id = await saidInTurn(engine(), ["echo one", "echo two >&2"], { HostConfig: { LogConfig } });
    expect(await engine().logs(id)).toEqual({ stdout: "one\n", stderr: "two\n" });
    expect((await engine().logs(id, "stdout=1&stderr=1&tail=1")).stderr).toBe("two\n");
    await engine().remove(id);
  });

  function create(Type: string, Config: Record<string, string>) {
    return engine().call("POST", "/containers/create", {
      Image: "busybox",
      HostConfig: { LogConfig: { Type, Config } },
    });
  }

  /** Runs a container to its end and keeps it. */
  async function kept(config: Json): Promise<{ id: string; name: string }> {
    const id = await engine().create(config);
    await engine().start(id);
    await engine().wait(id);
    return { id, name: (await engine().inspect<{ Name: string }>(id)).Name.slice(1) };
  }
});

interface Inspect {
  HostConfig: { LogConfig: { Type: string; Config: Record<string, string> } };
}
