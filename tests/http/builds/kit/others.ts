// Dockerfiles of BuildKit without mounts: its flags, its arguments, and how it copies.

import type { RawEntry } from "../../../support/archives/tar.js";
import { OWNERS, SENTENCES } from "./differences.js";
import { refused, type KitRecipe } from "./recipe.js";

/** A small context with its own `.dockerignore`. */
const ignored = (name: string, body: string): readonly RawEntry[] => [
  { name, body, mtime: 1000 },
  { name: "a", body: "a", mtime: 1000 },
  { name: "b.log", body: "b", mtime: 1000 },
  { name: "sub/", flag: "5", mode: 0o755, mtime: 1000 },
  { name: "sub/c.log", body: "c", mtime: 1000 },
];

const TWO = "FROM busybox AS one\nRUN echo one > /x\nFROM busybox AS two\nRUN echo two > /x\n";

export const OTHERS: readonly (string | KitRecipe)[] = [
  // Modes.
  "COPY --chmod=751 a.txt /one\nCOPY --chmod=0640 b.txt /two/three\nCOPY --chmod=755 a.txt b.txt /four/",
  "COPY --chmod=700 --chown=5:6 a.txt /one\nADD --chmod=611 a.txt b.txt /four/",
  "FROM busybox AS s\nRUN mkdir /s && echo x > /s/f && chmod 600 /s/f\nFROM busybox\nCOPY --from=s --chmod=755 /s /t",
  // Arguments that the builder gives.
  "ARG TARGETPLATFORM\nARG TARGETOS\nARG TARGETARCH\nRUN echo $TARGETPLATFORM $TARGETOS $TARGETARCH > /x",
  "FROM --platform=$BUILDPLATFORM busybox\nARG BUILDOS\nARG BUILDARCH\nENV X=$BUILDOS/$BUILDARCH",
  "ARG BUILDPLATFORM\nARG V=latest\nFROM busybox:$V\nARG V\nENV X=$V",
  { file: "FROM busybox\nARG A=1\nARG B\nRUN echo $A$B > /x\nENV C=$A$B\n", options: { "build-arg:A": "2" } },
  { file: "FROM busybox\nRUN echo $HTTP_PROXY > /x\n", options: { "build-arg:HTTP_PROXY": "h" } },
  { file: "FROM busybox\nRUN echo $http_proxy > /x\n", options: { "build-arg:HTTP_PROXY": "h" } },
  { file: "FROM busybox\nLABEL a=1 b=2\n", options: { "label:b": "3", "label:c": "x y" } },
  // Stages.
  "FROM busybox AS fails\nRUN false\nFROM busybox\nRUN echo x > /x",
  { file: TWO, options: { target: "one" } },
  {
    ...{ file: TWO, options: { target: "1" } },
    ours: { answer: ["failed to reach build target 1 in Dockerfile"], why: SENTENCES },
  },
  `${TWO}FROM scratch\nCOPY --from=one /x /one\nCOPY --from=two /x /two\n`,
  `${TWO}FROM one\nCOPY --from=two /x /y\nRUN cat /x /y > /z\n`,
  "FROM busybox AS s\nRUN mkdir -p /s/e && echo x > /s/f && ln -s f /s/l && ln -s /s/e /s/far && ln /s/f /s/h\n" +
    "FROM busybox\nCOPY --from=s /s /t\nCOPY --from=s /s/l /l\nCOPY --from=s /s/far /far/\nCOPY --from=s /s/* /all/",
  "FROM busybox AS s\nRUN rm /etc/group && mkdir /w && touch /w/a /w/b\nRUN rm /w/a\nFROM scratch\nCOPY --from=s /etc /etc\n" +
    "COPY --from=s /w /w",
  // How it copies.
  "COPY to-a /one\nCOPY to-d /two\nCOPY d/l /three\nCOPY to-d/sub /four\nCOPY to-* /five/",
  "RUN mkdir /r && ln -s r /l && ln -s ../../../r /up\nCOPY a.txt /l\nCOPY d /l/d\nCOPY d/sub /up/sub",
  "RUN mkdir /t && echo old > /real && ln -s /real /t/a.txt\nCOPY a.txt /t/",
  "RUN mkdir -m 700 /there && touch /there/kept\nCOPY d /there\nCOPY empty /there\nCOPY d/sub /tmp",
  "COPY d /one\nCOPY d/ /two\nCOPY d /three/\nCOPY d /one/sub\nCOPY empty /five/six",
  "COPY *.txt /one/\nCOPY d/[ls]* /four/\nCOPY d/s*/g /five\nCOPY [ab].txt /six/",
  "RUN mkdir /four\nCOPY --chown=5:6 a.txt /a\nCOPY --chown=7:8 d /four/five\nUSER 9\nCOPY b.txt /b",
  "COPY --chown=5:6 a.txt /one/two/a",
  "COPY --chown=5:6 d /one/two",
  "COPY --chown=5:6 d /n/o/p\nCOPY --chown=7:8 d /n/o/q/r\nCOPY --chown=9 d/ /n/s/t/\nCOPY d /x/y/z",
  "COPY --chown=5:6 a.txt b.txt /n/o/\nRUN ln -s /missing/far /m\nCOPY --chown=7:8 d /m/p/q",
  "ADD --chown=5:6 t.tar /n/o/p/\nADD t.tar /q/r/\nADD --chown=7:8 a.txt /s/t",
  "RUN mkdir /t\nADD --chown=5:6 t.tar /n/o/p\nADD --chown=5:6 t.tgz a.txt /q/\nADD --chown=7:8 t.tar /t/u\nADD --chown=9 t.tar /t",
  "USER 9\nWORKDIR /home/w\nCOPY b.txt .",
  "RUN echo u:x:1001:1002:::>>/etc/passwd; echo g:x:1003: >>/etc/group\nUSER u\nWORKDIR /a/b/c\nWORKDIR d\n" +
    "USER u:g\nWORKDIR /e/f\nUSER 5:6\nWORKDIR /e/g/h\nUSER root\nWORKDIR /e/i",
  "RUN mkdir /there\nUSER 9\nWORKDIR /there\nWORKDIR /tmp\nWORKDIR x",
  "RUN echo u:x:1001:1002:::>>/etc/passwd; echo g:x:1003: >>/etc/group\nCOPY --chown=u:g b.txt /b\n" +
    "COPY --chown=:g b.txt /c",
  "RUN echo u:x:1001:1002:::>>/etc/passwd\nCOPY --chown=u a.txt /a",
  "RUN mkdir /three\nADD t.tar /one/\nADD t.tgz /two\nADD --chown=5:6 t.tar /three/\nCOPY t.tar /four/\nADD a.txt /five",
  "RUN mkdir /z && ln -s /z /y\nADD t.tgz /y\nADD t.tar /z",
  "FROM scratch\nCOPY a.txt /x/y/z\nADD t.tar /\nENV A=1\nWORKDIR /w/v",
  "COPY . /all\nCOPY ./ /all/again/",
  { file: "FROM scratch\nCOPY . /\n", files: ignored(".dockerignore", "*.log\n") },
  { file: "FROM scratch\nCOPY . /\n", files: ignored(".dockerignore", "**/*.log\n!sub/c.log\n") },
  { file: "FROM scratch\nCOPY . /\n", files: ignored("Dockerfile.dockerignore", "sub\n") },
  {
    ...{ file: "FROM scratch\nCOPY b.log /\n", files: ignored(".dockerignore", "*.log\n") },
    ours: {
      answer: ['COPY failed: file not found in build context or excluded by .dockerignore: "b.log" does not exist'],
      why: SENTENCES,
    },
  },
  // The config.
  'ENV A=1 B="$A x"\nENV C=$A\nENTRYPOINT ["e"]\nCMD ["c"]\nVOLUME /v\nEXPOSE 80 53/udp\nUSER 5:6\nSTOPSIGNAL USR1',
  'FROM busybox AS a\nCMD ["x"]\nENTRYPOINT ["y"]\nFROM a\nENTRYPOINT ["z"]',
  "HEALTHCHECK --interval=5s --retries=2 CMD true\nONBUILD RUN true\nMAINTAINER me",
  // Commands.
  "USER 7\nENV A=1\nRUN env | grep -v HOSTNAME | sort > /tmp/e; id -u > /tmp/i; id -g > /tmp/g; id -G > /tmp/G; pwd > /tmp/p; umask > /tmp/u",
  "RUN mkdir -p /w/a && touch /w/a/f && chmod 6755 /w/a/f\nRUN rm -r /w/a && mkdir /w/a && touch /w/a/n",
  "RUN cat > /x; tty > /y",
  // Refused.
  "RUN exit 3",
  refused(
    "COPY none /x",
    'COPY failed: file not found in build context or excluded by .dockerignore: "none" does not exist',
    SENTENCES,
  ),
  refused(
    "COPY --chown=none a.txt /x",
    "unable to convert uid/gid chown string to host mapping: can't find uid for user none: no such user: none",
    OWNERS,
  ),
  refused(
    "FROM busybox AS one\nFROM localhost:1/none",
    'Get "http://localhost:1/v2/": dial tcp localhost:1: connect: connection refused',
    SENTENCES,
  ),
  {
    ...{ file: TWO, options: { target: "none" } },
    ours: { answer: ["failed to reach build target none in Dockerfile (did you mean one?)"], why: SENTENCES },
  },
];
