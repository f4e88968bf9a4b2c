// `hosts.toml` of registries, as containerd reads it.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryHosts as read, type HostsReading } from "../../hosts/node/config/registry-hosts.js";
import { headersFor } from "../../hosts/node/registry/hosts-file/headers.js";

const NOBODY = 65_534;

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "coracle-hosts-"))));
afterEach(() => rmSync(directory, { recursive: true }));

function found(place = directory, reading: Partial<HostsReading> = {}): ReturnType<typeof read> {
  return read(place, { mayBeForbidden: false, former: [], ...reading });
}

/** Settings that have nothing to remark. */
function registryHosts(place: string): ReturnType<typeof read>["registryHosts"] {
  const { registryRemarks, registryHosts } = found(place);
  expect(registryRemarks).toEqual([]);
  return registryHosts;
}

function write(name: string, text: string): string {
  mkdirSync(join(directory, name), { recursive: true });
  const file = join(directory, name, "hosts.toml");
  writeFileSync(file, text);
  return file;
}

const WAY = { path: "/v2", authorities: [], certificates: [] };
const ALL = { pulls: true, resolves: true, pushes: true };

test("hosts keep their order, and a server comes last", () => {
  write(
    "docker.io",
    `
server = "https://registry-1.docker.io"
capabilities = ["pull", "resolve"]

[host."https://z.example:8443/proxy/"]
  capabilities = ["pull"]
  ca = "ca.pem"
  client = [["me.cert", "me.key"], ["/both.pem", ""]]
[host."http://10.0.0.1:5000"]
  skip_verify = true
[host."a.example/mirror/v2"]
  skip_verify = true
  ca = ["/one.pem", "two.pem"]
  client = ["/own.pem", "other.pem"]
[host."https://b.example/all"]
  override_path = true
  client = "/own.pem"
[host."127.0.0.1:5000"]
  capabilities = []
`,
  );
  const place = (name: string): string => join(directory, "docker.io", name);
  const tls = { security: "verified-tls", ...ALL };
  expect(registryHosts(directory)).toEqual([
    {
      registry: "docker.io",
      hosts: [
        {
          ...{ ...tls, authority: "z.example:8443", resolves: false, pushes: false },
          way: {
            path: "/proxy/v2",
            authorities: [place("ca.pem")],
            certificates: [
              { certificate: place("me.cert"), key: place("me.key") },
              { certificate: "/both.pem", key: "/both.pem" },
            ],
          },
        },
        { ...tls, authority: "10.0.0.1:5000", security: "plain", way: WAY },
        {
          ...{ ...tls, authority: "a.example", security: "any-certificate" },
          way: {
            path: "/mirror/v2",
            authorities: ["/one.pem", place("two.pem")],
            certificates: [
              { certificate: "/own.pem", key: "/own.pem" },
              { certificate: place("other.pem"), key: place("other.pem") },
            ],
          },
        },
        {
          ...{ ...tls, authority: "b.example" },
          way: { path: "/all", authorities: [], certificates: [{ certificate: "/own.pem", key: "/own.pem" }] },
        },
        { ...tls, authority: "127.0.0.1:5000", way: WAY },
      ],
      server: { ...tls, authority: "registry-1.docker.io", pushes: false, way: WAY },
    },
  ]);
});

test("each directory is one registry, also without the file; the first name counts", () => {
  write("r.example:5000", "");
  write("s.example_5000_", 'server = "https://s"');
  write("s.example:5000", 'server = "https://t"');
  write("_default", "");
  mkdirSync(join(directory, "t.example"));
  writeFileSync(join(directory, "stray"), "");
  const server = { authority: "s", security: "verified-tls", ...ALL, way: WAY };
  expect(registryHosts(directory)).toEqual([
    { registry: "s.example:5000", hosts: [], server },
    { registry: "_default", hosts: [] },
    { registry: "r.example:5000", hosts: [] },
    { registry: "t.example", hosts: [] },
  ]);
  expect(registryHosts(join(directory, "nowhere"))).toEqual([]);
});

test("keys without a server are about the registry itself", () => {
  write("r.example", 'ca = "ca.pem"\nskip_verify = true\ndial_timeout = "5s"');
  const way = { ...WAY, authorities: [join(directory, "r.example", "ca.pem")], connectWithin: 5000 };
  expect(registryHosts(directory)).toEqual([
    { registry: "r.example", hosts: [], server: { authority: "", security: "any-certificate", ...ALL, way } },
  ]);
});

test("headers are named by their place, and never read into the settings", () => {
  const file = write(
    "r.example",
    'header = { X-Own = ["secret", "other"] }\n[host."http://a/".header]\nauthorization = "secret"',
  );
  const host = { authority: "a", security: "plain", ...ALL, way: { ...WAY, headers: { file, host: "http://a/" } } };
  const way = { ...WAY, headers: { file, host: "" } };
  const settings = registryHosts(directory);
  expect(settings).toEqual([
    { registry: "r.example", hosts: [host], server: { authority: "", security: "verified-tls", ...ALL, way } },
  ]);
  expect(JSON.stringify(settings)).not.toContain("secret");
  const text = readFileSync(file, "utf8");
  expect(headersFor(text, "http://a/")).toEqual({ authorization: "secret" });
  expect(headersFor(text, "")).toEqual({ "x-own": "secret, other" });
  expect(() => headersFor(text, "http://b/")).toThrow('no "header" for it');
});

test.each([
  ["1m0.5s", 60_500],
  ["250ms", 250],
  ["2\u00b5s999.998ms", 1000],
  ["2\u03bcs999.998ms", 1000],
  [".5s", 500],
  ["+5.s", 5000],
])("a dial_timeout of %s is %i ms", (text, connectWithin) => {
  write("r.example", `[host."https://a"]\ndial_timeout = "${text}"`);
  expect(registryHosts(directory)[0]!.hosts[0]!.way.connectWithin).toBe(connectWithin);
});

test("a file that may not be read is left out, or is as missing where that is allowed", () => {
  const file = write("r.example", "server = 1");
  chmodSync(directory, 0o755);
  chmodSync(file, 0);
  const registryHosts = [{ registry: "r.example", hosts: [] }];
  asNobody(() => {
    expect(found()).toEqual({ registryHosts, registryRemarks: [{ file, why: expect.stringContaining("EACCES") }] });
    expect(found(directory, { mayBeForbidden: true })).toEqual({ registryHosts, registryRemarks: [] });
  });
  chmodSync(directory, 0);
  asNobody(() => {
    expect(found().registryRemarks).toEqual([{ file: directory, why: expect.stringContaining("EACCES") }]);
    expect(found(directory, { mayBeForbidden: true })).toEqual({ registryHosts: [], registryRemarks: [] });
  });
  chmodSync(directory, 0o700);
});

/** Root may read everything. */
function asNobody(test: () => void): void {
  const user = process.geteuid!();
  if (user === 0) process.seteuid!(NOBODY);
  try {
    test();
  } finally {
    if (user === 0) process.seteuid!(user);
  }
}

test("a file that cannot be read for another reason is left out", () => {
  // A link to itself: nobody may follow it, not even root.
  mkdirSync(join(directory, "r.example"));
  const file = join(directory, "r.example", "hosts.toml");
  symlinkSync(file, file);
  const registryHosts = [{ registry: "r.example", hosts: [] }];
  expect(found()).toEqual({ registryHosts, registryRemarks: [{ file, why: expect.stringContaining("ELOOP") }] });
});

test.each([
  ["server = ", /invalid TOML in line 1/],
  ['[host."https://a".header]\nx = "secret"\ny = "secret', /invalid TOML in line 3/],
  ['x = "secret" "secret"', /invalid TOML in line 1/],
  ["server = 1", /"server" must be a text/],
  ['server = "ftp://me:secret@a"', /an address must be/],
  ['server = "https://me:secret@a"', /the address of a must have no user/],
  ['[host."https://a"]\ncapabilities = ["fly"]', /unknown capability "fly"/],
  ['[host."https://a"]\nskip_verify = "yes"', /"skip_verify" must be true or false/],
  ['[host."https://a"]\nclient = [[]]', /"client" must name files/],
  ['[host."https://a"]\nca = 1', /"ca" must be a text/],
  ['[host."https://a"]\nfly = 1', /"fly" is not supported/],
  ['[host."https://a"]\nheader = "secret"', /"header" must be a table/],
  ['[host."https://a".header]\nx = "secret\\n"', /"header" has what no header may have/],
  ['[host."https://a".header]\n"secret:" = ""', /"header" has what no header may have/],
  ['[host."https://a".header]\nHost = "secret"', /"header" must not say where/],
  ['[host."https://a"]\ndial_timeout = "secret"', /"dial_timeout" must be a duration/],
  ['[host."https://a"]\ndial_timeout = "0s"', /"dial_timeout" must be a duration/],
  ['[host."https://a"]\ndial_timeout = "."', /"dial_timeout" must be a duration/],
  ['[host."https://a"]\ndial_timeout = "-5s"', /"dial_timeout" must be a duration/],
  ['[host."https://a"]\ndial_timeout = 5', /"dial_timeout" must be a text/],
  ["host = 1", /"host" must be a table/],
  ['[host]\n"https://me:secret@a" = 1', /must have no user/],
  ['[host]\n"https://a" = 1', /a host must be a table/],
])("%j is left out, by the file's name and without a password, and what was before stays", (text, why) => {
  const file = write("r", text);
  const { registryHosts, registryRemarks } = found();
  expect(registryHosts).toEqual([{ registry: "r", hosts: [] }]);
  expect(registryRemarks).toEqual([{ file, why: expect.stringMatching(why) }]);
  expect(registryRemarks[0]!.why).not.toContain("secret");
  const former = [{ registry: "r", hosts: [{ authority: "a", security: "plain" as const, ...ALL, way: WAY }] }];
  expect(found(directory, { former }).registryHosts).toEqual(former);
});
