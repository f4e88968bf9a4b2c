// The built-in programs of every simulated world, by the name of their file.

import { programOf, type ContainerProgram } from "../processes/process.js";
import { sh } from "../shell/sh.js";
import type { Program } from "../program.js";
import { groups, id, whoami } from "./machine/accounts.js";
import { awk } from "./text/awk.js";
import { cat, nl, rev, tac, tee, yes } from "./text/cat.js";
import { cp, dd, mv } from "./files/copy.js";
import { date } from "./machine/date.js";
import { env, nohup, printenv, timeout, which, xargs } from "./machine/environment.js";
import { expr } from "./expr.js";
import { ln, mkdir, mktemp, rm, rmdir, touch } from "./files/files.js";
import { find } from "./files/find.js";
import { egrep, fgrep, grep } from "./text/grep.js";
import { head, tail, wc } from "./text/head.js";
import { hello } from "./hello.js";
import { init } from "./machine/init.js";
import { ls } from "./files/ls.js";
import { od } from "./text/od.js";
import { sed } from "./text/sed.js";
import { httpd } from "./network/httpd.js";
import { nc } from "./network/nc.js";
import { nginx } from "./network/nginx.js";
import { nslookup } from "./network/nslookup.js";
import { ping } from "./network/ping.js";
import { ryuk } from "./network/ryuk.js";
import { wget } from "./network/wget.js";
import {
  basename,
  dirname,
  echo,
  noAlways,
  printf,
  pwd,
  readlink,
  realpath,
  seq,
  sleep,
  test,
  yesAlways,
} from "./small.js";
import { chgrp, chmod, chown } from "./files/modes.js";
import { kill, killall, ps } from "./machine/ps.js";
import { df, du, mount, stat } from "./files/storage.js";
import { free, hostname, nproc, uname, uptime } from "./machine/system.js";
import { stty, tty } from "./machine/terminal.js";
import { cut, sort, tr, uniq } from "./text/text.js";

const OWN: Readonly<Record<string, ContainerProgram>> = {
  ...{ awk, basename, cat, chgrp, chmod, chown, cp, cut, date, dd, df, dirname, du, echo, egrep, env, expr, fgrep },
  ...{ false: noAlways, find, free, grep, groups, head, hello, hostname, httpd, id, kill, killall, ln, ls, mkdir },
  ...{
    mktemp,
    mount,
    mv,
    nc,
    nginx,
    nl,
    nohup,
    nproc,
    nslookup,
    od,
    ping,
    ping6: ping,
    printenv,
    printf,
    ps,
    pwd,
    readlink,
    realpath,
    rev,
    rm,
    rmdir,
    ryuk,
  },
  ...{
    sed,
    seq,
    sh,
    ash: sh,
    sleep,
    sort,
    stat,
    stty,
    sync: yesAlways,
    tac,
    tail,
    tee,
    test,
    "[": test,
    timeout,
    touch,
  },
  ...{ tr, true: yesAlways, tty, uname, uniq, uptime, wc, wget, which, whoami, xargs, yes },
};

/** `busybox APPLET`. */
const busybox: ContainerProgram = async (process) => {
  const [, name, ...args] = process.argv;
  const applet = OWN[name ?? ""];
  if (!applet) {
    await process.stderr.write(name === undefined ? "Usage: busybox APPLET [ARG]...\n" : `${name}: applet not found\n`);
    return name === undefined ? 0 : 127;
  }
  process.argv = [name!, ...args];
  return applet(process);
};

export const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ...Object.entries({ ...OWN, busybox, dash: sh, bash: sh }).map(
    ([name, program]) => [name, programOf(program)] as const,
  ),
  ["docker-init", init] as const,
]);
