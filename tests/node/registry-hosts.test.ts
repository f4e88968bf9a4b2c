// `hosts.toml` of registries, as containerd reads it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryHosts } from "../../hosts/node/config/registry-hosts.js";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "coracle-hosts-"))));
afterEach(() => rmSync(directory, { recursive: true }));

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
        { ...tls, authority: "127.0.0.1:5000", security: "plain", way: WAY },
      ],
      server: { ...tls, authority: "registry-1.docker.io", pushes: false, way: WAY },
    },
  ]);
});

test("each directory is one registry; those without the file have no settings", () => {
  write("r.example:5000", "");
  write("s.example_5000_", 'server = "https://s"');
  write("_default", "");
  mkdirSync(join(directory, "t.example"));
  writeFileSync(join(directory, "stray"), "");
  const server = { authority: "s", security: "verified-tls", ...ALL, way: WAY };
  expect(registryHosts(directory)).toEqual([
    { registry: "_default", hosts: [] },
    { registry: "r.example:5000", hosts: [] },
    { registry: "s.example:5000", hosts: [], server },
  ]);
  expect(registryHosts(join(directory, "nowhere"))).toEqual([]);
});

test.each([
  ["server = ", /Invalid TOML/],
  ["server = 1", /"server" must be a text/],
  ['server = "ftp://me:secret@a"', /an address must be/],
  ['server = "https://me:secret@a"', /the address of a must have no user/],
  ['capabilities = ["pull"]', /"capabilities" needs a server/],
  ['[host."https://a"]\ncapabilities = ["fly"]', /unknown capability "fly"/],
  ['[host."https://a"]\nskip_verify = "yes"', /"skip_verify" must be true or false/],
  ['[host."https://a"]\nclient = [[]]', /"client" must name files/],
  ['[host."https://a"]\nca = 1', /"ca" must be a text/],
  ['[host."https://a".header]\nx = "y"', /"header" is not supported/],
  ["host = 1", /"host" must be a table/],
])("%j is refused, by the file's name and without a password", (text, why) => {
  const file = write("r", text);
  expect(() => registryHosts(directory)).toThrow(why);
  expect(() => registryHosts(directory)).toThrow(file);
  expect(() => registryHosts(directory)).not.toThrow(/secret/);
});
