// The contents of the catalogue's layers. Nothing is copied from a distribution: names and paths are the same, programs
// are the world's, and libraries are filler.

import { directories, elf, filler, program, type LayerFile } from "./files.js";

export function busyboxLayer(seed: number): LayerFile[] {
  return [
    ...directories("bin/"),
    { path: "bin/busybox", mode: 0o755, body: elf(1100 << 10, seed) },
    ...PROGRAMS.map((name) => ({ path: `bin/${name}`, mode: 0o755, link: "bin/busybox" })),
    ...directories("dev/", "etc/"),
    { path: "etc/group", body: GROUP },
    { path: "etc/passwd", body: passwd("/bin/sh") },
    ...directories("home/", ["root/", 0o700], ["tmp/", 0o1777], "usr/", "usr/bin/"),
    { path: "usr/bin/env", mode: 0o755, symlink: "../../bin/env" },
    ...directories("usr/sbin/", "var/", "var/spool/", "var/spool/mail/", "var/www/"),
  ];
}

export function alpineLayer(): LayerFile[] {
  return [
    ...directories("bin/"),
    { path: "bin/busybox", mode: 0o755, body: elf(768 << 10, 320) },
    ...PROGRAMS.map((name) => ({ path: `bin/${name}`, symlink: "/bin/busybox" })),
    ...directories("dev/", "etc/"),
    { path: "etc/alpine-release", body: "3.20.6\n" },
    { path: "etc/group", body: GROUP },
    { path: "etc/os-release", body: osRelease("alpine", "Alpine Linux", "3.20.6", "Alpine Linux v3.20") },
    { path: "etc/passwd", body: passwd("/bin/sh") },
    ...directories("home/", "lib/"),
    { path: "lib/libc.musl.so.1", mode: 0o755, body: filler(1 << 20, 321) },
    ...directories("media/", "mnt/", "opt/", ["proc/", 0o555], ["root/", 0o700], "run/", "sbin/", "srv/", "sys/"),
    ...directories(["tmp/", 0o1777], "usr/", "usr/bin/", "usr/sbin/", "var/", "var/log/", ["var/tmp/", 0o1777]),
    { path: "usr/bin/env", symlink: "/bin/busybox" },
  ];
}

export function debianLayer(): LayerFile[] {
  return [
    { path: "bin", symlink: "usr/bin" },
    ...directories("boot/", "dev/", "etc/"),
    { path: "etc/debian_version", body: "12.11\n" },
    { path: "etc/group", body: GROUP },
    { path: "etc/issue", body: "Debian GNU/Linux 12 \\n \\l\n\n" },
    {
      path: "etc/os-release",
      body: `${osRelease("debian", "Debian GNU/Linux", "12", "Debian GNU/Linux 12 (bookworm)")}VERSION_CODENAME=bookworm\n`,
    },
    { path: "etc/passwd", body: passwd("/bin/bash") },
    ...directories("home/"),
    { path: "lib", symlink: "usr/lib" },
    ...directories("media/", "mnt/", "opt/", ["proc/", 0o555], ["root/", 0o700], "run/"),
    { path: "sbin", symlink: "usr/sbin" },
    ...directories("srv/", "sys/", ["tmp/", 0o1777], "usr/", "usr/bin/"),
    ...PROGRAMS.filter((name) => !IN_BUSYBOX_ALONE.has(name)).map((name) => program(`usr/bin/${name}`, name)),
    program("usr/bin/bash", "sh"),
    program("usr/bin/dash", "sh"),
    { path: "usr/bin/sh", symlink: "dash" },
    ...directories("usr/lib/", "usr/local/", "usr/local/bin/", "usr/sbin/", "usr/share/", "var/", "var/log/"),
    { path: "usr/lib/libc.so.6", mode: 0o755, body: filler(2 << 20, 120) },
    ...directories(["var/tmp/", 0o1777]),
  ];
}

export function debianExtrasLayer(): LayerFile[] {
  return [
    ...directories("usr/", "usr/share/", "usr/share/zoneinfo/"),
    { path: "usr/share/zoneinfo/tzdata.zi", body: filler(1 << 20, 121) },
  ];
}

export function helloLayer(): LayerFile[] {
  return [program("hello", "hello")];
}

export function ryukLayer(): LayerFile[] {
  return [...directories("bin/"), program("bin/ryuk", "ryuk")];
}

export function nginxLayer(): LayerFile[] {
  const logs = directories("var/", "var/cache/", ["var/cache/nginx/", 0o755], "var/log/", "var/log/nginx/");
  return [
    ...directories("etc/"),
    { path: "etc/group", body: `${GROUP}nginx:x:101:\n` },
    { path: "etc/passwd", body: `${passwd("/bin/bash")}nginx:x:101:101:nginx user:/nonexistent:/bin/false\n` },
    ...directories("usr/", "usr/lib/", "usr/lib/nginx/", "usr/sbin/", "usr/share/", "usr/share/nginx/"),
    program("usr/sbin/nginx", "nginx"),
    { path: "usr/lib/nginx/modules.so", mode: 0o755, body: filler(1 << 20, 127) },
    ...directories("usr/share/nginx/html/"),
    { path: "usr/share/nginx/html/index.html", body: "<!doctype html>\n<title>nginx</title>\n<h1>It works</h1>\n" },
    ...logs,
    { path: "var/log/nginx/access.log", symlink: "/dev/stdout" },
    { path: "var/log/nginx/error.log", symlink: "/dev/stderr" },
  ];
}

export function nginxSettingsLayer(): LayerFile[] {
  return [
    { path: "docker-entrypoint.sh", mode: 0o755, body: '#!/bin/sh\nset -e\nexec "$@"\n' },
    ...directories("etc/", "etc/nginx/"),
    { path: "etc/nginx/nginx.conf", body: NGINX_CONF },
  ];
}

export function appLayer(): LayerFile[] {
  return [
    ...directories("app/"),
    { path: "app/run", mode: 0o755, body: `#!/bin/sh\n${APP}` },
    { path: "app/version", body: "1\n" },
    ...directories("etc/"),
    { path: "etc/group", body: `${GROUP}app:x:1000:\n` },
    { path: "etc/passwd", body: `${passwd("/bin/sh")}app:x:1000:1000:app:/app:/bin/sh\n` },
  ];
}

function passwd(shell: string): string {
  return `root:x:0:0:root:/root:${shell}
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
sys:x:3:3:sys:/dev:/bin/false
mail:x:8:8:mail:/var/spool/mail:/bin/false
www-data:x:33:33:www-data:/var/www:/bin/false
nobody:x:65534:65534:nobody:/home:/bin/false
`;
}

function osRelease(id: string, name: string, version: string, pretty: string): string {
  return `PRETTY_NAME="${pretty}"\nNAME="${name}"\nVERSION_ID="${version}"\nID=${id}\n`;
}

const GROUP = `root:x:0:
daemon:x:1:
bin:x:2:
sys:x:3:
adm:x:4:
tty:x:5:
disk:x:6:
mail:x:8:
www-data:x:33:
users:x:100:
nogroup:x:65534:
`;
const NGINX_CONF = `user  nginx;
worker_processes  auto;
events {
    worker_connections  1024;
}
http {
    server {
        listen  80;
        root    /usr/share/nginx/html;
    }
}
`;
const APP = `echo "app $APP_VERSION of $(hostname) is up"
while true; do
  sleep 10
  echo "app is still up"
done
`;
/** Programs of the world that images contain, by name; busybox has them too. */
const PROGRAMS = (
  "[ ash awk basename cat chgrp chmod chown cp cut date dd df dirname du echo egrep env expr false fgrep find free " +
  "grep groups head hostname httpd id kill killall ln ls mkdir mktemp mount mv nc nl nohup nproc nslookup od ping ping6 " +
  "printenv printf ps pwd readlink realpath rev rm rmdir sed seq sh sleep sort stat stty sync tac tail tee test " +
  "timeout touch tr true tty uname uniq uptime wc wget which whoami xargs yes"
).split(" ");
const IN_BUSYBOX_ALONE = new Set(["ash", "httpd", "nc", "nslookup", "ping", "ping6", "sh", "wget"]);
