// curl as people type it: old and new notations of the target, any host name.
import { expect, test } from "vitest";
import { findProgram, run } from "../support/commands.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { onEngines } from "../support/on-engines.js";

const curl = findProgram("curl");

onEngines(
  "curl",
  (engine, kind) => {
    test("a list with any host name", async () => {
      for (const host of ["localhost", "docker", "v1.41"]) {
        expect(await ask(`http://${host}/v1.41/containers/json`)).toBe("[]\n");
      }
    });

    test("a request as old versions of curl send it", async () => {
      const target = kind !== "reference" ? "http:/v1.41/containers/json" : "/v1.41/containers/json";
      expect(await ask("http://localhost/", "--request-target", target)).toBe("[]\n");
    });

    test("create, start, wait, logs, remove", async () => {
      const json = ["-X", "POST", "-H", "Content-Type: application/json"];
      const created = await ask(
        "http://d/containers/create?name=curled",
        ...json,
        "-d",
        '{"Image":"busybox","Cmd":["echo","hi"]}',
      );
      expect(created).toContain('"Id"');
      expect(await ask("http://d/containers/curled/start", "-X", "POST", "-o", "/dev/null", "-w", "%{http_code}")).toBe(
        "204",
      );
      expect(await ask("http://d/containers/curled/wait", "-X", "POST")).toContain('"StatusCode":0');
      expect(await ask("http://d/containers/curled/logs?stdout=1", "--output", "-")).toContain("hi\n");
      expect(await ask("http://d/containers/curled", "-X", "DELETE", "-w", "%{http_code}")).toBe("204");
    });

    test("an upload with Expect: 100-continue", async () => {
      const flags = [
        "-X",
        "POST",
        "-H",
        "Expect: 100-continue",
        "-H",
        "Content-Type: application/x-tar",
        "--data-binary",
        "@-",
      ];
      const { stdout, code } = await run([...command(), ...flags, "http://d/images/load"], {
        input: await dockerArchive([
          { reference: "curled:1", config: { Cmd: ["sh"] }, layers: [await busyboxLayer()] },
        ]),
      });
      expect([code, stdout.trim()]).toEqual([0, '{"stream":"Loaded image: curled:1\\n"}']);
    });

    async function ask(url: string, ...flags: string[]): Promise<string> {
      return (await run([...command(), ...flags, url])).stdout;
    }

    function command(): string[] {
      return [curl ?? "curl", "-s", "-S", "--max-time", "20", "--unix-socket", engine().socketPath];
    }
  },
  { missing: curl === null ? "curl is not installed" : null },
);
