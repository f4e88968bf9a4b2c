// What steps change in the layers below them, and archives that ADD unpacks.

import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { rawTar, type RawEntry } from "../../../support/archives/tar.js";
import { PATHS, type Recipe } from "./recipe.js";

export const LAYERS: readonly (string | Recipe)[] = [
  // Whiteouts.
  "RUN mkdir -p /w/a/b && touch /w/a/b/c /w/x\nRUN rm -r /w/a\nRUN mkdir /w/a && touch /w/a/n",
  "RUN mkdir -p /w/a /v && touch /w/a/f\nRUN rm -r /w && echo f > /w\nRUN rm /w && mkdir /w",
  "RUN mkdir /w && touch /w/x /w/y\nRUN rm /w/x && mkdir /w/x && touch /w/x/z\nRUN rm -r /w/x && ln -s y /w/x",
  "RUN mkdir -p /w/a && touch /w/a/f\nRUN mv /w /v\nRUN mv /v/a /w",
  "RUN mkdir -p /w/a && touch /w/a/f\nRUN rm -r /w && mkdir /w\nCOPY a.txt /w/a/f",
  "RUN rm -r /bin/[a-k]* /etc /root; mkdir /etc",
  "COPY d /w\nRUN rm -r /w/sub /w/l\nCOPY d/sub /w/sub",
  // Links over layers.
  "RUN echo x > /h1 && ln /h1 /h2\nRUN echo y >> /h1",
  "RUN echo x > /h1 && ln /h1 /h2\nRUN ln /h1 /h3\nRUN rm /h1",
  "RUN echo x > /h1 && ln /h1 /h2\nRUN chmod 600 /h2\nRUN ln -f /h1 /h4; ln -s /h1 /s1",
  "COPY d /w\nRUN rm /w/f\nRUN echo new > /w/f",
  // Attributes alone.
  "RUN mkdir -p /w/a && touch /w/a/f\nRUN chmod 700 /w\nRUN chown -R 5:6 /w/a",
  "RUN touch /f && chmod 6755 /f && mkdir -m 1777 /t && mkdir -m 2755 /g\nRUN chown 5:6 /f /g",
  "RUN mkfifo /p && mknod /c c 1 3 && mknod /b b 7 0 && chmod 600 /c\nRUN rm /p && echo x > /p",
  'RUN touch -d "2001-02-03 04:05:06" /f && mkdir /w && touch -d "2001-02-03 04:05:06" /w\nRUN chmod 600 /f',
  "RUN ln -s a /l && ln -s /nowhere/$(printf %0120d 1) /long\nRUN chown -h 5:6 /l",
  // Names.
  "RUN touch /$(printf %0200d 1) && mkdir -p /$(printf %0100d 2)/$(printf %0100d 3)/$(printf %0100d 4)",
  "RUN cd /tmp && touch 'a b' 'c:d' \"$(printf 'e\\nf')\" \"$(printf '\\303\\244')\" '*' '-x' '\\\\'",
  "RUN head -c 300000 /dev/zero > /z && : > /empty\nRUN : > /z",
  // Volumes take no part.
  "RUN mkdir /v\nVOLUME /v\nRUN echo x > /v/f; echo y > /y",
  "RUN mkdir /v && echo y > /v/f\nVOLUME /v\nRUN echo z > /v/g; rm /v/f\nCOPY a.txt /v/",
  // The container of a RUN.
  "USER 7\nRUN env | sort | grep -v HOSTNAME > /tmp/e; id > /tmp/i; pwd >> /tmp/i",
  'ENV A=1\nWORKDIR /w\nENTRYPOINT ["false"]\nCMD ["false"]\nRUN env | sort | grep -v HOSTNAME > e; echo $0 >> e',
  'SHELL ["/bin/sh", "-e", "-c"]\nRUN echo $0 $- > /x\nRUN ["sh", "-c", "echo $0 $- > /y"]',
  "RUN umask > /x; ulimit -c >> /x; cat /proc/self/oom_score_adj >> /x; grep Cap /proc/self/status >> /x",
  "RUN cat > /x; tty >> /x; ls -l /proc/self/fd/0 | sed 's/.* -> //' >> /x",
  "RUN false || echo a > /x && echo b >> /x; exit 0",
  // Nothing changes.
  "RUN true\nRUN touch /x && rm /x\nRUN true",
  // Refused.
  "RUN exit 3",
  "RUN false\nRUN true",
  'RUN ["nothere"]',
  "RUN nothere",
  'RUN ["/etc"]',
  "RUN kill -9 $$",
  "USER nobody:none\nRUN true",
  "USER none\nRUN true",
  "WORKDIR /etc/passwd\nRUN true",
  {
    file: "FROM busybox\nCOPY a.txt /etc/passwd/x\n",
    ours: { error: "failed to copy files: lstat /etc/passwd/x: not a directory", why: PATHS },
  },
  {
    file: "FROM busybox\nCOPY d /etc/passwd\n",
    ours: { error: "failed to copy files: cannot copy to non-directory: /etc/passwd", why: PATHS },
  },
  "COPY --chown=none a.txt /x",
  "COPY --chown=1:none a.txt /x",
  "COPY --chown=1:2:3 a.txt /x",
  "COPY --from= a.txt /x",
];

const TAR: readonly RawEntry[] = [
  { name: "./in/", flag: "5", mode: 0o750, uid: 3, mtime: 777 },
  { name: "./in/f", body: "inner", mode: 0o4640, uid: 70_000, gid: 5, mtime: 778 },
  { name: "/abs", body: "absolute", mtime: 778 },
  { name: "deep/er/f", body: "no parents", mtime: 778 },
  { name: "fifo", flag: "6", mtime: 778 },
  { name: "null", flag: "3", major: 1, minor: 3, mtime: 778 },
  { name: "to", flag: "2", target: "in", mtime: 779 },
  { name: "hard", flag: "1", target: "./in/f", mode: 0o4640, uid: 70_000, gid: 5, mtime: 778 },
];
const WHITEOUTS: readonly RawEntry[] = [
  { name: "w/.wh.x", mtime: 1 },
  { name: "w/y", body: "y", mtime: 1 },
  { name: "v/.wh..wh..opq", mtime: 1 },
  { name: "v/z", body: "z", mtime: 1 },
];
const PAX: readonly RawEntry[] = [
  { name: "short", pax: { path: `p/${"x".repeat(150)}`, mtime: "12345.678" }, body: "p" },
  { name: "gnu", longName: `g/${"y".repeat(150)}`, body: "g", mtime: 1 },
  { name: "attr", pax: { "SCHILY.xattr.user.coracle": "value" }, body: "a", mtime: 1 },
  { name: "big", pax: { uid: "3000000", gid: "3000001" }, body: "b", mtime: 1 },
];
const OVER: readonly RawEntry[] = [
  { name: "d", body: "file over directory", mtime: 1 },
  { name: "f/", flag: "5", mtime: 1 },
  { name: "f/g", body: "directory over file", mtime: 1 },
  { name: "l/x", body: "through a link", mtime: 1 },
];
const UP: readonly RawEntry[] = [{ name: "../../up", body: "x", mtime: 1 }];

/** The name of one archive in the context, its bytes, and the Dockerfile. */
function archived(name: string, body: Uint8Array, file: string): Recipe {
  return { file: `${file}\n`, files: [{ name, body, mtime: 1000 }] };
}

function piped(program: string, bytes: Uint8Array): Buffer {
  return execFileSync(program, ["-c"], { input: bytes });
}

export const ARCHIVES: readonly Recipe[] = [
  archived("a.tar", rawTar(TAR), "FROM scratch\nADD a.tar /x/"),
  archived("a.tar", rawTar(TAR), "FROM scratch\nADD --chown=5:6 a.tar /x"),
  archived("a.tar", rawTar(WHITEOUTS), "FROM busybox\nRUN mkdir /w /v && touch /w/x /v/y\nADD a.tar /"),
  archived("a.tar", rawTar(PAX), "FROM scratch\nADD a.tar /"),
  archived("a.tar", rawTar(OVER), "FROM busybox\nRUN mkdir /d /r && touch /d/x /f && ln -s r /l\nADD a.tar /"),
  archived("a.tar", rawTar(UP), "FROM scratch\nADD a.tar /x/"),
  archived("a.tar", rawTar([]), "FROM scratch\nADD a.tar /x/"),
  {
    ...archived("a.tar", rawTar(TAR), "FROM busybox\nADD a.tar /etc/passwd"),
    ours: { error: "failed to copy files: mkdir /etc/passwd/in: not a directory", why: PATHS },
  },
  archived("a.tar", rawTar(TAR), "FROM scratch\nCOPY a.tar /x/"),
  archived("plain.tar", Buffer.from("no tar"), "FROM scratch\nADD plain.tar /x/"),
  archived("plain.gz", gzipSync("no tar"), "FROM scratch\nADD plain.gz /x/"),
  archived("a.xz", piped("xz", rawTar(TAR)), "FROM scratch\nADD a.xz /x/"),
  archived("a.bz2", piped("bzip2", rawTar(TAR)), "FROM scratch\nADD a.bz2 /x/"),
  archived("cut.tgz", gzipSync(rawTar(TAR)).subarray(0, 150), "FROM scratch\nADD cut.tgz /x/"),
  archived("any-name", gzipSync(rawTar(TAR)), "FROM scratch\nADD any-name /x"),
];
