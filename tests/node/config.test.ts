// The daemon's flags and configuration file.

import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { daemonConfig, lackingRuntimes } from "../../hosts/node/config/config.js";
import { parseFlags } from "../../hosts/node/config/flags.js";
import { nameOf, type Listener } from "../../hosts/node/config/listeners.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-config-"));
afterAll(() => rm(directory, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

let files = 0;

function fileWith(text: string): string {
  const file = join(directory, `${files++}.json`);
  writeFileSync(file, text);
  return file;
}

/** A listener without parameters. */
function live(path: string): Listener {
  return { path, maxApiVersion: null, isDryRun: false };
}

const POOLS = ["base=10.10.0.0/16,size=24", "base=10.20.0.0/16,size=26"];

/** Settings of networks without flags. */
const USUAL = {
  ...{ bridgeAddress: "", bridgeRange: "", bridgeGateway: "", bridgeMtu: "", bridgeBinding: "" },
  ...{ bridgeIpv6: false, bridgeIpv6Address: "", bridgeIpv6Range: "", bridgeIpv6Gateway: "" },
  ...{ bridgeConnects: true, bridgeMasquerades: true, forwards: true, firewall: true, proxies: true, addressPools: [] },
};

/** Settings of registries without flags. */
const USUAL_REGISTRIES = {
  ...{ registryMirrors: [], registryHosts: [], registryRemarks: [], registryCerts: "/etc/docker/certs.d" },
  ...{ proxies: { http: "", https: "", none: "" }, shownProxies: { http: "", https: "", none: "" } },
};

const EMPTY = fileWith("{}");

function config(...args: string[]) {
  return daemonConfig(
    parseFlags(args.some((arg) => arg.startsWith("--config-file")) ? args : ["--config-file", EMPTY, ...args]),
  );
}

describe("registries", () => {
  test("mirrors are kept as they are given", () => {
    const given = ["--registry-mirror=https://a.example", "--registry-mirror", "http://b.example:5000/"];
    expect(config(...given).registryMirrors).toEqual(["https://a.example", "http://b.example:5000/"]);
  });

  test.each([
    ["mirror.example", '"mirror.example" is not a valid URI'],
    ["ftp://m", 'unsupported scheme "ftp" in "ftp://m"'],
    ["ftp://me:secret@m", 'unsupported scheme "ftp" in "ftp://xxxxx:xxxxx@m"'],
    ["http://me:secret@m n", '"http://xxxxx:xxxxx@m n" is not a valid URI'],
    ["https://me:secret@m", 'username/password not allowed in URI "https://xxxxx:xxxxx@m"'],
    ["https://m/v2", 'path, query, or fragment at end of the URI "https://m/v2"'],
  ])("the mirror %s is refused", (mirror, why) => {
    expect(() => config("--registry-mirror", mirror)).toThrow(`invalid mirror: ${why}`);
  });

  test("proxies are those of the flags, then of the file, then of the environment", () => {
    vi.stubEnv("HTTP_PROXY", "http://env.example:1");
    vi.stubEnv("https_proxy", "env.example:2");
    vi.stubEnv("NO_PROXY", "a,b");
    const none = "a,b";
    expect(config().proxies).toEqual({ http: "http://env.example:1", https: "http://env.example:2", none });
    const file = fileWith(JSON.stringify({ proxies: { "http-proxy": "http://me:secret@file.example:3" } }));
    const read = config("--config-file", file, "--https-proxy=https://flag.example");
    expect(read.proxies).toEqual({ http: "http://me:secret@file.example:3", https: "https://flag.example", none });
    expect(read.shownProxies.http).toBe("http://xxxxx:xxxxx@file.example:3");
    vi.stubEnv("HTTP_PROXY", "socks5://env.example");
    expect(config().proxies.http).toBe("");
    expect(() => config("--http-proxy", "socks5://me:secret@p")).toThrow(
      "invalid http-proxy: it must be http://host:port or https://host:port",
    );
  });
});

describe("flags", () => {
  test("in dockerd's names and spellings", () => {
    expect(
      config(
        ...[
          "-H",
          "unix:///a.sock",
          "--host=unix:///b.sock",
          "-H=/c.sock",
          "-Gstaff",
          "--data-root",
          "/data",
          "--exec-root=/exec",
        ],
        ...["-p", "/run/x.pid", "--insecure-registry", "a:5000", "--insecure-registry=10.0.0.0/8", "--label", "a=b=c"],
        ...[
          "--add-runtime",
          "mine=/bin/mine",
          "--add-runtime=other=/bin/other",
          "--default-runtime",
          "mine",
          "-l",
          "warn",
        ],
        ...["--log-driver=local", "--log-opt", "max-size=10m", "--log-opt=compress="],
      ),
    ).toEqual({
      listeners: [live("/a.sock"), live("/b.sock"), live("/c.sock")],
      maxApiVersion: null,
      unpackedLimit: 256 * 2 ** 30,
      ...{ documentLimit: 4 << 20, layerLimit: 125 },
      group: "staff",
      dataRoot: "/data",
      trace: { directory: "/data/trace", limit: 64 << 20 },
      eventsSize: 64 << 20,
      execRoot: "/exec",
      pidFile: "/run/x.pid",
      insecureRegistries: ["a:5000", "10.0.0.0/8"],
      ...USUAL_REGISTRIES,
      labels: ["a=b=c"],
      runtimes: new Map([
        ["mine", "/bin/mine"],
        ["other", "/bin/other"],
      ]),
      defaultRuntime: "mine",
      networks: USUAL,
      logLevel: "warn",
      logDriver: "local",
      logOptions: new Map([
        ["max-size", "10m"],
        ["compress", ""],
      ]),
      builder: "",
      debug: false,
      simulated: null,
    });
  });

  test("of networks are passed on as they are", () => {
    const given = ["--bip=10.9.0.1/24", "--fixed-cidr=10.9.0.0/25", "--default-gateway", "10.9.0.9", "--mtu=1400"];
    const pools = POOLS.flatMap((pool) => ["--default-address-pool", pool]);
    expect(
      config(
        ...given,
        ...pools,
        ...["--ipv6", "--bip6=fd00:9::1/64", "--fixed-cidr-v6", "fd00:9::/80", "--default-gateway-v6=fd00:9::9"],
        "--icc=false",
        "--ip-masq=false",
        "--ip-forward=false",
        "--iptables=false",
        "--userland-proxy=false",
        "--ip=127.0.0.1",
      ).networks,
    ).toEqual({
      bridgeAddress: "10.9.0.1/24",
      bridgeRange: "10.9.0.0/25",
      bridgeGateway: "10.9.0.9",
      bridgeIpv6: true,
      bridgeIpv6Address: "fd00:9::1/64",
      bridgeIpv6Range: "fd00:9::/80",
      bridgeIpv6Gateway: "fd00:9::9",
      bridgeMtu: "1400",
      bridgeBinding: "127.0.0.1",
      bridgeConnects: false,
      bridgeMasquerades: false,
      forwards: false,
      firewall: false,
      proxies: false,
      addressPools: POOLS,
    });
    const usual = ["--iptables", "--ip-forward=true", "--ipv6=false", "--userland-proxy"];
    expect(config(...usual).networks).toEqual(USUAL);
  });

  test("left out have defaults", () => {
    expect(config()).toMatchObject({
      listeners: [live("/run/coracle/coracle.sock")],
      maxApiVersion: null,
      unpackedLimit: 256 * 2 ** 30,
      ...{ documentLimit: 4 << 20, layerLimit: 125 },
      group: null,
      dataRoot: "/var/lib/coracle",
      execRoot: "/run/coracle",
      logLevel: "info",
      logDriver: "json-file",
      logOptions: new Map(),
      builder: "",
    });
  });

  test.each([
    [[], { pace: { times: 1 }, seed: 0 }],
    [["--pace=real", "--seed=-3"], { pace: { times: 1 }, seed: -3 }],
    [["--pace", "60", "--seed", "7"], { pace: { times: 60 }, seed: 7 }],
    [["--pace=fast"], { pace: "fast", seed: 0 }],
  ])("a simulated engine with %j is %j, and does not touch the files of a real one", (args, simulated) => {
    vi.stubEnv("XDG_RUNTIME_DIR", directory);
    const { listeners, pidFile, ...rest } = config("--simulated", ...args);
    expect(rest.simulated).toEqual(simulated);
    expect([listeners, pidFile]).toEqual([[live(join(directory, "coracle/simulated.sock"))], null]);
  });

  test("sockets have parameters, and those for live requests come first", () => {
    const hosts = ["unix:///dry.sock?dry-run", "/a.sock", "unix:///old.sock?max-api-version=1.41", "unix:///a.sock"];
    const { listeners } = config(
      ...[...hosts, "/both.sock?dry-run&max-api-version=1.30"].flatMap((host) => ["-H", host]),
    );
    expect(listeners).toEqual([
      live("/a.sock"),
      { path: "/old.sock", maxApiVersion: "1.41", isDryRun: false },
      { path: "/dry.sock", maxApiVersion: null, isDryRun: true },
      { path: "/both.sock", maxApiVersion: "1.30", isDryRun: true },
    ]);
    expect(listeners.map(nameOf)).toEqual([
      "unix:///a.sock",
      "unix:///old.sock?max-api-version=1.41",
      "unix:///dry.sock?dry-run",
      "unix:///both.sock?max-api-version=1.30&dry-run",
    ]);
  });

  test("switches take a value only after =", () => {
    expect(config("-D").logLevel).toBe("debug");
    expect(config("--debug=false").debug).toBe(false);
    expect(() => config("--debug", "false")).toThrow('"coracle daemon" accepts no arguments: "false"');
  });

  test.each([
    [["--nonsense"], "unknown flag: --nonsense"],
    [["--nonsense=1"], "unknown flag: --nonsense"],
    [["-Dx"], "unknown shorthand flag: 'x' in -Dx"],
    [["--group"], "flag needs an argument: --group"],
    [["-H"], "flag needs an argument: -H"],
    [["extra"], '"coracle daemon" accepts no arguments: "extra"'],
    [["--debug=maybe"], 'invalid argument "maybe" for --debug: only true and false are possible'],
    [["--add-runtime", "mine"], 'invalid argument "mine" for --add-runtime: it must be name=path'],
    [["-H", "tcp://0.0.0.0:2375"], 'invalid host "tcp://0.0.0.0:2375": only unix sockets are served'],
    [
      ["-H", "/a", "-H", "unix:///a?dry-run"],
      'invalid host "unix:///a?dry-run": the same socket is given with other parameters, too',
    ],
    [["-H", "/a?dry"], 'invalid host "/a?dry": "dry" is neither dry-run nor max-api-version=VERSION'],
    [["-l", "loud"], 'invalid log level "loud"'],
    [["--log-driver", "syslog"], 'invalid log driver "syslog": it must be one of json-file, local, none'],
    [["--log-opt", "bare"], 'invalid argument "bare" for --log-opt: it must be name=value'],
    [["--label", "bare"], 'invalid label "bare": it must be key=value'],
    [["--data-root="], "invalid --data-root: it is empty"],
    [["--trace-size", "64"], 'invalid trace size "64": it must be 1m or more'],
    [["--trace-size", "much"], 'invalid trace size "much": it must be 1m or more'],
    [["--max-document-size", "1"], 'invalid document size "1": it must be 1m or more'],
    [["--max-document-size", "65m"], 'invalid document size "65m": it must be 64m or less'],
    [["--max-image-layers", "0"], 'invalid number of layers "0": only 1 to 125 are possible'],
    [["--max-image-layers", "126"], 'invalid number of layers "126": only 1 to 125 are possible'],
    [["--pace", "fast"], "--pace means nothing without --simulated"],
    [["--seed=7"], "--seed means nothing without --simulated"],
    [["--simulated", "--pace", "0"], 'invalid pace "0": it must be real, fast, or a number above 0'],
    [["--simulated", "--seed", "1.5"], 'invalid seed "1.5": it must be a whole number'],
  ])("%j is an error that names it", (args, message) => {
    expect(() => config(...args)).toThrow(message);
  });
});

describe("the configuration file", () => {
  test("has dockerd's keys", () => {
    const file = fileWith(
      JSON.stringify({
        hosts: ["unix:///a.sock"],
        group: "g",
        "data-root": "/d",
        "events-size": "10m",
        "exec-root": "/e",
        pidfile: "/p",
        "insecure-registries": ["r:1"],
        runtimes: { mine: { path: "/bin/mine", runtimeArgs: [] } },
        "default-runtime": "mine",
        "log-level": "error",
        "max-api-version": "1.44",
        bip: "10.9.0.1/24",
        mtu: 1400,
        icc: false,
        "default-address-pools": [
          { base: "10.10.0.0/16", size: 24 },
          { base: "10.20.0.0/16", size: 26 },
        ],
        "log-driver": "json-file",
        "log-opts": { "max-file": "3" },
        builder: { gc: { enabled: false } },
        debug: false,
        labels: ["a=b"],
        trace: true,
        "trace-size": "5m",
      }),
    );
    expect(config("--config-file", file)).toEqual({
      listeners: [live("/a.sock")],
      maxApiVersion: "1.44",
      unpackedLimit: 256 * 2 ** 30,
      ...{ documentLimit: 4 << 20, layerLimit: 125 },
      group: "g",
      eventsSize: 10 << 20,
      dataRoot: "/d",
      trace: { directory: "/d/trace", limit: 5 << 20 },
      execRoot: "/e",
      pidFile: "/p",
      insecureRegistries: ["r:1"],
      ...USUAL_REGISTRIES,
      labels: ["a=b"],
      runtimes: new Map([["mine", "/bin/mine"]]),
      defaultRuntime: "mine",
      networks: {
        ...USUAL,
        bridgeAddress: "10.9.0.1/24",
        bridgeMtu: "1400",
        bridgeConnects: false,
        addressPools: POOLS,
      },
      logLevel: "error",
      logDriver: "json-file",
      logOptions: new Map([["max-file", "3"]]),
      builder: '{"gc":{"enabled":false}}',
      debug: false,
      simulated: null,
    });
  });

  test("has the builder's settings as an object, or some of them as flags", () => {
    expect(config("--builder-gc=false").builder).toBe('{"gc":{"enabled":false}}');
    expect(config("--builder-gc-min-free-space=9GB").builder).toBe('{"gc":{"defaultMinFreeSpace":"9GB"}}');
    expect(config("--builder-gc-reserved-space", "20GB", "--builder-gc-max-used-space=50GB").builder).toBe(
      '{"gc":{"defaultReservedSpace":"20GB","defaultMaxUsedSpace":"50GB"}}',
    );
    const file = fileWith('{"builder": {"gc": {}}}');
    expect(() => config("--config-file", file, "--builder-gc")).toThrow('"builder" is given as a whole');
  });

  test("can turn recording off", () => {
    expect(config("--config-file", fileWith('{"trace": false}')).trace).toBeNull();
    expect(config("--trace=false").trace).toBeNull();
    const simulated = daemonConfig(parseFlags(["--simulated", "-H", "unix:///a.sock", "--trace-size=1g"]));
    expect(simulated.trace).toEqual({ directory: "/a.sock.trace", limit: 1 << 30 });
  });

  test("and flags together make the configuration", () => {
    const file = fileWith('{"group": "g"}');
    expect(config(`--config-file=${file}`, "--data-root", "/d")).toMatchObject({ group: "g", dataRoot: "/d" });
  });

  test("must not repeat a flag, even with the same value", () => {
    const file = fileWith('{"hosts": ["unix:///a.sock"], "debug": true, "labels": ["a=b"]}');
    expect(() => config("--config-file", file, "-H", "unix:///b.sock", "-D")).toThrow(
      `unable to configure the daemon with file ${file}: the following directives are specified both as a flag and in the ` +
        "configuration file: debug: (from flag: true, from file: true), hosts: (from flag: [unix:///b.sock], from file: [unix:///a.sock])",
    );
  });

  test.each([
    ['{"hosts": ', "JSON"],
    ["[]", "it holds no JSON object"],
    [
      '{"nonsense": 1, "more": 2, "debug": true}',
      "the following directives don't match any configuration option: nonsense, more",
    ],
    ['{"hosts": "unix:///a"}', '"hosts" must be a list of strings'],
    ['{"debug": "true"}', '"debug" must be true or false'],
    ['{"group": 5}', '"group" must be a string'],
    ['{"runtimes": {"mine": {}}}', '"runtimes": "mine" must have a "path"'],
    ['{"log-opts": {"max-file": 3}}', '"log-opts" must be an object of strings'],
    ['{"runtimes": []}', '"runtimes" must be an object'],
    ['{"builder": []}', '"builder" must be an object'],
  ])("%s is an error that names file and key", (text, message) => {
    const file = fileWith(text);
    expect(() => config("--config-file", file)).toThrow(`unable to configure the daemon with file ${file}: `);
    expect(() => config("--config-file", file)).toThrow(message);
  });

  test("that is named must exist", () => {
    expect(() => config("--config-file", join(directory, "none.json"))).toThrow("ENOENT");
  });
});

describe("runtimes", () => {
  const known = ["crun", "runc"];

  test("that are named but missing are reported", () => {
    const named = config("--add-runtime", "mine=/no/such/runtime", "--add-runtime", `mute=${process.execPath}`);
    expect(lackingRuntimes(named, [], known)).toEqual([
      { name: "mine", path: "/no/such/runtime", why: "no such file" },
      { name: "mute", path: process.execPath, why: "it does not answer --version" },
    ]);
    expect(lackingRuntimes(named, [{ name: "mine" }, { name: "mute" }], known)).toEqual([]);
  });

  test("so is the default one; an unnamed one is refused", () => {
    const lacking = lackingRuntimes(config("--default-runtime", "runc"), [{ name: "crun" }], known);
    expect(lacking).toMatchObject([{ name: "runc", path: "runc" }]);
    expect(() => lackingRuntimes(config("--default-runtime", "mine"), [{ name: "runc" }], known)).toThrow(
      'specified default runtime "mine" does not exist',
    );
  });
});
