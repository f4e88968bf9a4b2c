// Requests of many shapes, for tests of notations.

import { FIRST_FILES } from "../../hosts/browser/session/folder.js";
import { withFiles, written } from "../../hosts/browser/session/request.js";
import type { WrittenRequest } from "../../hosts/browser/session/request.js";

const CREATE = {
  Image: "busybox",
  Cmd: ["sh", "-c", "echo it's $HOME; ls *"],
  Env: ["A=1"],
  HostConfig: { AutoRemove: true },
};

export const REQUESTS: readonly WrittenRequest[] = [
  written("GET", "/_ping"),
  written("GET", "/v1.41/version"),
  written("GET", "/v1.41/info"),
  written("HEAD", "/_ping"),
  written("GET", "/v1.41/containers/json"),
  written("GET", "/v1.41/containers/json?all=1&limit=3"),
  written("GET", '/v1.41/containers/json?all=1&filters={"status":["exited"]}'),
  written("GET", `/v1.41/containers/json?filters=${encodeURIComponent('{"status":["exited"]}')}`),
  written("POST", "/v1.41/containers/create", CREATE),
  written("POST", "/v1.41/containers/create?name=web", CREATE),
  written("POST", "/v1.41/containers/web/start"),
  written("POST", "/v1.41/containers/web/stop?t=2"),
  written("POST", "/v1.41/containers/web/kill?signal=SIGUSR1"),
  written("POST", "/v1.41/containers/web/wait"),
  written("GET", "/v1.41/containers/web/json"),
  written("GET", "/v1.41/containers/web/logs?stdout=1&stderr=1&tail=5"),
  written("DELETE", "/v1.41/containers/web?force=1&v=1"),
  written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest"),
  {
    method: "POST",
    target: "/v1.41/images/create?fromImage=r.test/a&tag=1",
    headers: [["X-Registry-Auth", "eyJ9"]],
    body: "",
  },
  written("GET", "/v1.41/images/json?all=1"),
  written("GET", "/v1.41/images/busybox:latest/json"),
  written("POST", "/v1.41/images/busybox/tag?repo=mine&tag=2"),
  written("DELETE", "/v1.41/images/mine:2?force=1"),
  written("POST", "/v1.41/commit?container=web&repo=mine&tag=3&comment=a%20word", {}),
  written("POST", "/v1.41/auth", { username: "a", password: "b'c\"d", serveraddress: "r.test" }),
  written("GET", "/v1.41/networks"),
  written("GET", "/v1.41/networks/bridge"),
  written("GET", "/v1.41/volumes"),
  { method: "POST", target: "/v1.41/containers/create", headers: [], body: '{"Image":' },
  {
    method: "PUT",
    target: "/v1.41/containers/a/archive?path=/",
    headers: [["Content-Type", "application/x-tar"]],
    body: "@x",
  },
  { method: "GET", target: "/v1.41/events?until=5", headers: [["X-Empty", ""]], body: "" },
];

const ODD_FILES = [
  { name: "Dockerfile", text: "FROM scratch\nCOPY src /\n" },
  { name: "src/it's $HOME", text: 'no newline, but a `tick`, ${this} and "that"' },
  { name: "src/two/end", text: "END\nof it\n" },
];

/** Requests with a tar as their body. No line of curl says all of it, so they are not read back. */
export const ARCHIVES: readonly WrittenRequest[] = [
  withFiles("POST", "/v1.41/build?t=greeter", FIRST_FILES),
  withFiles("POST", "/v1.41/build?t=odd:2&dockerfile=Dockerfile&target=last&nocache=1&q=1", ODD_FILES),
  withFiles("POST", "/v1.41/build?t=one&t=two", FIRST_FILES),
  withFiles("PUT", "/v1.41/containers/web/archive?path=/", ODD_FILES),
];
