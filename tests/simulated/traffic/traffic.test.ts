// What containers of the simulated machine reach, by address and by name, as the networks allow; and broken cables.

import { afterAll, beforeAll, expect, test } from "vitest";
import { TrafficWorld } from "./traffic-fixture.js";

const SERVING = "mkdir /www; hostname > /www/index.html; exec httpd -f -p 80 -h /www";
let world: TrafficWorld;

beforeAll(async () => {
  world = await TrafficWorld.open();
  await world.network("shop");
  await world.network("office");
  await world.network("vault", { Internal: true });
  await world.network("apart", { Options: { "com.docker.network.bridge.enable_icc": "false" } });
  for (const [name, network] of [
    ["web", "shop"],
    ["desk", "office"],
    ["safe", "vault"],
    ["loner", "apart"],
    ["plain", "default"],
  ] as const) {
    await world.start(name, SERVING, network, { Hostname: `host-of-${name}` });
  }
});
afterAll(() => world.engine.close());

test("containers of a network reach one another by name and by address", async () => {
  expect(await world.run("wget -qO- http://web/", "shop")).toEqual({ output: "host-of-web\n", code: 0 });
  const address = await world.addressOf("web", "shop");
  expect(await world.run(`wget -qO- http://${address}/; wget -qO- web.shop`, "shop")).toEqual({
    output: "host-of-web\nhost-of-web\n",
    code: 0,
  });
  const { output, code } = await world.run("ping -c 2 web", "shop");
  expect(code).toBe(0);
  expect(output).toMatch(
    new RegExp(
      `^PING web \\(${address}\\): 56 data bytes\n64 bytes from ${address}: seq=0 ttl=64 time=0\\.\\d{3} ms\n` +
        `64 bytes from ${address}: seq=1 ttl=64 time=0\\.\\d{3} ms\n\n--- web ping statistics ---\n` +
        `2 packets transmitted, 2 packets received, 0% packet loss\nround-trip min/avg/max = [\\d./]+ ms\n$`,
    ),
  );
});

test("nslookup shows what 127.0.0.11 answers", async () => {
  const address = await world.addressOf("web", "shop");
  const asked = await world.run(`nslookup web; nslookup ${address}; nslookup nobody`, "shop");
  const server = "Server:\t\t127.0.0.11\nAddress:\t127.0.0.11:53\n\n";
  const unknown = "** server can't find nobody: SERVFAIL\n\n";
  const reverse = `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  expect(asked).toEqual({
    output:
      `${server}Non-authoritative answer:\nName:\tweb\nAddress: ${address}\n\nNon-authoritative answer:\n\n` +
      `${server}Non-authoritative answer:\n${reverse}\tname = web.shop\n\n${server}${unknown}${unknown}`,
    code: 1,
  });
});

test("an alias of several containers gets all their addresses, each first in turn", async () => {
  const twin = (name: string): Promise<void> =>
    world.start(name, SERVING, "shop", { NetworkingConfig: { EndpointsConfig: { shop: { Aliases: ["twin"] } } } });
  await twin("one");
  await twin("two");
  const script = 'for i in 1 2 3; do ping -c 1 twin | head -n 1; done; nslookup twin | grep -c "^Name"';
  const { output } = await world.run(script, "shop");
  const [first, second] = [await world.addressOf("one", "shop"), await world.addressOf("two", "shop")];
  const line = (address: string): string => `PING twin (${address}): 56 data bytes\n`;
  expect(output).toBe(`${line(first)}${line(second)}${line(first)}2\n`);
  for (const name of ["one", "two"]) await world.send("DELETE", `/containers/${name}?force=1`);
});

test.each([
  ["another network", "shop", "desk", "office", "download timed out"],
  ["the default network, from another", "shop", "plain", "bridge", "download timed out"],
  ["another network, from an internal one", "vault", "web", "shop", "Network is unreachable"],
  ["an internal network, from another", "shop", "safe", "vault", "download timed out"],
  ["its own network without connections", "apart", "loner", "apart", "download timed out"],
])("no way: to %s", async (_title, from, name, network, says) => {
  const address = await world.addressOf(name, network);
  const { output, code } = await world.run(`wget -T 3 -qO- http://${address}/`, from);
  expect([output, code]).toEqual([expect.stringContaining(says), 1]);
  expect((await world.run(`ping -c 1 -W 1 ${address}`, from)).code).toBe(1);
});

test("names of another network are unknown", async () => {
  expect(await world.run("wget -qO- http://desk/; ping -c 1 desk", "shop")).toEqual({
    output: "wget: bad address 'desk'\nping: bad address 'desk'\n",
    code: 1,
  });
});

test("nothing is outside the machine, and an internal network does not even get there", async () => {
  for (const network of ["shop", "vault"]) {
    expect(await world.run("nc 198.51.100.7 80", network)).toEqual({
      output: "nc: can't connect to remote host (198.51.100.7): Network is unreachable\n",
      code: 1,
    });
  }
  const { output } = await world.run("ping -c 1 -W 1 198.51.100.7", "vault");
  expect(output).toContain("ping: sendto: Network is unreachable");
  expect((await world.run("wget -qO- http://safe/", "vault")).output).toBe("host-of-safe\n");
});

test("an address that nobody has is refused after three seconds, a port without a listener at once", async () => {
  const script = "date +%s; nc 172.17.0.99 80; date +%s; nc 172.17.0.1 80";
  const [before, said, after, refused] = (await world.run(script)).output.split("\n");
  expect(said).toBe("nc: can't connect to remote host (172.17.0.99): No route to host");
  expect(Number(after) - Number(before)).toBe(3);
  expect(refused).toBe("nc: can't connect to remote host (172.17.0.1): Connection refused");
});

test("without a network there is only the loopback; containers that share one share its listeners", async () => {
  const script = "ls /sys/class/net; (echo own | nc -l -p 7) & sleep 1; nc localhost 7 < /dev/null; nc 172.17.0.1 80";
  expect((await world.run(script, "none")).output).toBe(
    "lo\nown\nnc: can't connect to remote host (172.17.0.1): Network is unreachable\n",
  );
  expect((await world.run("wget -qO- http://localhost/; ls -1 /sys/class/net", "container:web")).output).toBe(
    "host-of-web\neth0\nlo\n",
  );
  expect((await world.run("nc 127.0.0.1 80 < /dev/null")).output).toContain("Connection refused");
});

test("a container on the machine's network reaches all containers, and they reach it at their gateway", async () => {
  for (const [name, network] of [
    ["web", "shop"],
    ["safe", "vault"],
    ["loner", "apart"],
  ] as const) {
    const address = await world.addressOf(name, network);
    expect((await world.run(`wget -qO- http://${address}/`, "host")).output).toBe(`host-of-${name}\n`);
  }
  await world.start("daemon", "while true; do echo machine | nc -l -p 99; done", "host");
  expect((await world.run("nc 172.17.0.1 99 < /dev/null")).output).toBe("machine\n");
  await world.send("DELETE", "/containers/daemon?force=1");
});

test("published ports are reached at the machine's addresses, also from another network and from the same", async () => {
  const ports = { HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "8080" }] } } };
  await world.start("shown", SERVING, "shop", { Hostname: "host-of-shown", ...ports, ExposedPorts: { "80/tcp": {} } });
  for (const [network, address] of [
    ["host", "127.0.0.1"],
    ["host", "192.0.2.10"],
    ["office", "192.0.2.10"],
    ["default", "172.17.0.1"],
    ["shop", "192.0.2.10"],
  ] as const) {
    const asked = `${network} ${(await world.run(`wget -qO- http://${address}:8080/`, network)).output}`;
    expect(asked).toBe(`${network} host-of-shown\n`);
  }
  await world.send("POST", "/containers/shown/kill");
  expect((await world.run("nc 127.0.0.1 8080", "host")).output).toContain("Connection refused");
  await world.send("DELETE", "/containers/shown");
});

test("connected and disconnected while they run", async () => {
  // Its own, since it is repeated with a mutant that leaves names behind.
  await using world = await TrafficWorld.open();
  await world.network("shop");
  await world.network("office");
  await world.start("web", SERVING, "shop");
  await world.start("roamer", SERVING, "office");
  const reaches = async (): Promise<boolean> => {
    const exec = await world.send("POST", "/containers/roamer/exec", {
      AttachStdout: true,
      Cmd: ["wget", "-T", "1", "-qO", "/dev/null", "http://web/"],
    });
    const path = `/exec/${exec!["Id"] as string}`;
    await world.send("POST", `${path}/start`, { Detach: false });
    return (await world.send("GET", `${path}/json`))!["ExitCode"] === 0;
  };
  expect(await reaches()).toBe(false);
  await world.send("POST", "/networks/shop/connect", { Container: "roamer" });
  expect(await reaches()).toBe(true);
  expect((await world.run("ping -c 1 roamer", "shop")).code).toBe(0);
  await world.send("POST", "/networks/shop/disconnect", { Container: "roamer" });
  expect(await reaches()).toBe(false);
  expect((await world.run("ping -c 1 roamer", "shop")).output).toBe("ping: bad address 'roamer'\n");
});

test("nginx serves, logs who asked, and counts what it sent", async () => {
  await world.send("POST", "/images/create?fromImage=nginx&tag=latest");
  await world.start("page", "", "shop", { Image: "nginx" });
  const { output } = await world.run("wget -qO- http://page/; wget -qO- http://page/nope", "shop", { Tty: true });
  expect(output).toBe(
    "<!doctype html>\n<title>nginx</title>\n<h1>It works</h1>\nwget: server returned error: HTTP/1.1 404 Not Found\n",
  );
  const log = await (await world.engine.fetch("/containers/page/logs?stdout=1")).text();
  expect(log).toMatch(/172\.\d+\.0\.\d+ - - \[.*\] "GET \/ HTTP\/1.1" 200 55 "-" "Wget" "-"\n/);
  expect(log).toMatch(/"GET \/nope HTTP\/1.1" 404 \d+ "-" "Wget" "-"\n/);
  const stats = await world.send("GET", "/containers/page/stats?stream=0&one-shot=1");
  const { eth0 } = stats!["networks"] as { eth0: Record<string, number> };
  expect(eth0["tx_bytes"]).toBeGreaterThan(300);
  expect(eth0["rx_packets"]).toBeGreaterThan(4);
  await world.send("DELETE", "/containers/page?force=1");
});

test("a reader that leaves ends a server whose window is full", async () => {
  await world.start("big", "mkdir /w; seq 200000 > /w/list; exec httpd -f -p 80 -h /w", "shop");
  const servers = (): number => world.host.world.processes().filter(({ argv }) => argv[0] === "httpd").length;
  // nc cannot write any more, so it does not read: all that fits has arrived when it ends.
  const script = String.raw`(printf 'GET /list HTTP/1.0\r\n\r\n'; sleep 9) | nc big 80 | sleep 5; sleep 1`;
  await world.run(script, "shop");
  expect(servers()).toBe(6);
  await world.send("DELETE", "/containers/big?force=1");
});

test("a download that stops is given up after its patience", async () => {
  const script = String.raw`(printf 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart\n'; sleep infinity) | nc -l -p 7 > asked &
    sleep 1; wget -T 2 -qO- http://localhost:7/; echo $?`;
  expect((await world.run(script, "none")).output).toBe("part\nwget: download timed out\n1\n");
});

test("ping refuses to flood, and takes numbers only", async () => {
  const { output } = await world.run("ping -i 0 web; ping -s 1.5 web; ping -q -c 3 -i 0.0000000001 web", "shop");
  expect(output).toMatch(
    /^ping: invalid number '0'\nping: invalid number '1.5'\nPING web .*\n\n.*\n3 packets transmitted/,
  );
});

test("nc listens at free addresses of its own only, and once", async () => {
  const script =
    "nc -l -s 10.9.8.7 -p 7; echo $?; nc -l -p 7 all & sleep 1; nc localhost 7 < /dev/null; wait; echo over";
  const { output } = await world.run(script, "none");
  expect(output).toBe("nc: bind: Cannot assign requested address\n1\nover\n");
});

test("a daemon that cannot be started leaves no listener", async () => {
  const { output } = await world.run("httpd -p 80; nc -l -p 80 -w 1", "none", { HostConfig: { PidsLimit: 2 } });
  expect(output).toMatch(/nc: timed out\n$/);
});

test("names have addresses of both families, of which programs prefer IPv4", async () => {
  await world.network("both", { EnableIPv6: true, IPAM: { Config: [{ Subnet: "fd00:7::/64" }] } });
  await world.start("dual", SERVING, "both", { Hostname: "host-of-dual" });
  const address = await world.addressOf("dual", "both");
  const { output } = await world.run("wget -qO- http://dual/; nslookup dual", "both");
  expect(output).toBe(
    "host-of-dual\nServer:\t\t127.0.0.11\nAddress:\t127.0.0.11:53\n\n" +
      `Non-authoritative answer:\nName:\tdual\nAddress: ${address}\n\n` +
      "Non-authoritative answer:\nName:\tdual\nAddress: fd00:7::2\n\n",
  );
  await world.send("DELETE", "/containers/dual?force=1");
});

test("a cut cable: pings are lost, and a connection goes on when it is mended", async () => {
  const { faults } = world.host;
  const lift = faults.inject({ kind: "network-cut", container: "web" });
  expect((await world.run("ping -c 1 -W 1 web", "shop")).output).toContain("100% packet loss");
  expect((await world.run("wget -T 2 -qO- http://web/", "shop")).output).toBe("wget: download timed out\n");
  lift();
  faults.inject({ kind: "network-cut", network: "shop" }, 3);
  const [before, page, after] = (await world.run("date +%s; wget -qO- http://web/; date +%s", "shop")).output.split(
    "\n",
  );
  expect(page).toBe("host-of-web");
  // The first packet of the connection, sent again after 1, 2 and 4 seconds.
  expect(Number(after) - Number(before)).toBe(7);
  expect(faults.set).toEqual([]);
});

test("loss: some pings are lost, but a download arrives whole", async () => {
  const lift = world.host.faults.inject({ kind: "network-loss", percent: 20, network: "shop" });
  const { output } = await world.run("ping -q -c 50 -i 0.1 web", "shop");
  const [, received = ""] = /50 packets transmitted, (\d+) packets received/.exec(output) ?? [];
  expect(Number(received)).toBeGreaterThan(5);
  expect(Number(received)).toBeLessThan(45);
  await world.start("big", "mkdir /w; seq 20000 > /w/list; exec httpd -f -p 80 -h /w", "shop");
  const { output: sum } = await world.run("wget -qO- http://big/list | tail -n 1", "shop");
  expect(sum).toBe("20000\n");
  lift();
  await world.send("DELETE", "/containers/big?force=1");
});

test("a slow link: packets are late, and a download takes its time", async () => {
  const lift = world.host.faults.inject({
    kind: "network-slow",
    delayMs: 50,
    bytesPerSecond: 10_000,
    container: "web",
  });
  const { output } = await world.run("ping -c 1 web", "shop");
  const [, ms = ""] = /time=([\d.]+) ms/.exec(output) ?? [];
  // There and back, 98 bytes each.
  expect(Math.round(Number(ms))).toBe(2 * 50 + 2 * 10);
  lift();
});

test("an embedder's program serves and asks", async () => {
  const own = await TrafficWorld.open({
    programs: {
      greet: async ({ network }) => {
        const listener = network.listen(5000);
        for (;;) {
          const { input, output, remote, close } = await listener.accept();
          const asked = new TextDecoder().decode((await input.read()) ?? undefined);
          await output.write(`hello ${asked} from ${remote.address}`);
          close();
        }
      },
      ask: async ({ argv, network, stdout }) => {
        const { input, output } = await network.connect(argv[1]!, 5000);
        await output.write("you");
        await stdout.write((await input.read()) ?? "nothing");
        const refused = await network.connect(argv[1]!, 5001).catch((error: Error) => error.message);
        await stdout.write(`\n${String(refused)} ${(await network.lookUp("nobody")).length}`);
        return 0;
      },
    },
  });
  await own.network("shop");
  await own.start("server", "greet", "shop");
  const { output } = await own.run("ask server", "shop");
  expect(output).toMatch(/^hello you from 172\.\d+\.0\.3\nConnection refused 0$/);
  await own.engine.close();
});

test("gateway modes let others reach containers at their own addresses", async () => {
  const mode = (value: string) => ({ Options: { "com.docker.network.bridge.gateway_mode_ipv4": value } });
  await world.network("routed", mode("routed"));
  await world.network("open", mode("nat-unprotected"));
  const HostConfig = { PortBindings: { "80/tcp": [{}] } };
  await world.start("public", `${SERVING.replace("exec", "httpd -p 81 -h /www; exec")}`, "routed", { HostConfig });
  await world.start("bare", SERVING, "open");
  const [published, bare] = [await world.addressOf("public", "routed"), await world.addressOf("bare", "open")];
  const reached = async (what: string): Promise<boolean> => (await world.run(what, "shop")).code === 0;
  expect(await reached(`wget -qO- http://${published}/ && ping -c 1 ${published} && wget -qO- http://${bare}/`)).toBe(
    true,
  );
  expect(await reached(`wget -qO- http://${published}:81/`)).toBe(false);
  expect((await world.run(`wget -qO- http://${published}/`, "vault")).code).not.toBe(0);
  await world.network("alone", { Internal: true, ...mode("isolated") });
  await world.start("first", SERVING, "alone");
  expect((await world.run("wget -qO- http://first/", "alone")).code).toBe(0);
});
