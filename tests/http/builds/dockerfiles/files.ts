// Dockerfiles that copy and run, and their context.

import { gzipSync } from "node:zlib";
import { rawTar, type RawEntry } from "../../../support/archives/tar.js";
import { PATHS, type Recipe } from "./recipe.js";

const INNER: RawEntry[] = [
  { name: "in/", flag: "5", mode: 0o750, uid: 3, gid: 3, mtime: 777 },
  { name: "in/f", body: "inner", mode: 0o640, uid: 4, gid: 5, mtime: 778 },
  { name: "in/l", flag: "2", target: "f", uid: 6 },
  { name: "in/h", flag: "1", target: "in/f", mode: 0o640, uid: 4, gid: 5, mtime: 778 },
];

export const CONTEXT: RawEntry[] = [
  { name: "a.txt", body: "A", mode: 0o640, uid: 1000, gid: 1000, mtime: 1000 },
  { name: "b.txt", body: "B", mode: 0o755, mtime: 1001 },
  { name: "a b", body: "blank", mtime: 1002 },
  { name: "[x]", body: "bracket", mtime: 1003 },
  { name: ".hidden", body: "hidden", mtime: 1004 },
  { name: "empty/", flag: "5", mode: 0o711, mtime: 1005 },
  { name: "d/", flag: "5", mode: 0o700, uid: 7, mtime: 1006 },
  { name: "d/f", body: "F", mode: 0o600, uid: 7, gid: 8, mtime: 1007 },
  { name: "d/l", flag: "2", target: "f", mtime: 1008 },
  { name: "d/far", flag: "2", target: "/nowhere", mtime: 1009 },
  { name: "d/sub/", flag: "5", mode: 0o1777, mtime: 1010 },
  { name: "d/sub/g", body: "G", mode: 0o444, mtime: 1011 },
  { name: "d/h", flag: "1", target: "d/f", mode: 0o600, uid: 7, gid: 8, mtime: 1007 },
  { name: "to-d", flag: "2", target: "d", mtime: 1012 },
  { name: "to-a", flag: "2", target: "a.txt", mtime: 1013 },
  { name: "t.tar", body: rawTar(INNER), mtime: 1014 },
  { name: "t.tgz", body: gzipSync(rawTar(INNER)), mtime: 1015 },
  { name: "run.sh", body: "#!/bin/sh\necho run\n", mode: 0o755, mtime: 1016 },
];

export const FILES: readonly (string | Recipe)[] = [
  // Files.
  "COPY a.txt /one\nCOPY a.txt /two/\nCOPY a.txt /three/four/five\nCOPY a.txt /etc\nCOPY a.txt b.txt /six/\nCOPY a.txt .",
  "COPY *.txt /one/\nCOPY ?.txt /two/\nCOPY [ab].txt /three/\nCOPY d/* /four/\nCOPY d/s*/g /five\nCOPY [^a-z]* /six/",
  'COPY ["a b", "/with blank/x y"]\nCOPY [[]x] /bracket\nCOPY .hidden /h\nCOPY ./a.txt ./d/../b.txt /dots/\nCOPY /a.txt /slash',
  "COPY . /all\nCOPY . /all/again/\nCOPY ./ /third",
  // Directories.
  "COPY d /one\nCOPY d/ /two\nCOPY d /three/\nCOPY d /one/sub\nCOPY d/sub empty /four/\nCOPY empty /five/six",
  "RUN mkdir -m 700 /there && touch /there/kept && mkdir -m 711 /there/sub\nCOPY d /there\nCOPY empty /there\nCOPY d/sub /tmp",
  "WORKDIR /w\nCOPY a.txt x\nCOPY d .\nWORKDIR deep/er\nCOPY a.txt ../up\nCOPY a.txt ./\nWORKDIR /etc",
  // Links.
  "COPY to-a /one\nCOPY to-d /two\nCOPY d/l /three\nCOPY to-d/sub /four\nCOPY to-* /five/",
  "RUN mkdir /r && ln -s r /l && ln -s /r/new /n && ln -s /r/old /o && echo old > /r/old && ln -s ../../../r /up\n" +
    "COPY a.txt /l\nCOPY b.txt /n\nCOPY b.txt /o\nCOPY d /l\nCOPY d/sub /up/sub",
  "RUN mkdir /t && echo old > /real && ln -s /real /t/a.txt && ln -s /real /t/f\nCOPY a.txt /t/\nCOPY d /t",
  // Owners.
  "COPY --chown=5:6 a.txt /one/two/a\nCOPY --chown=5 b.txt /three/\nCOPY --chown=7:8 d /four/five\nCOPY --chown=0:9 d/sub /six",
  "RUN echo u:x:1001:5:::>>/etc/passwd; echo u:x:1002: >>/etc/group\nCOPY --chown=u a.txt /a\nCOPY --chown=u:7 a.txt /b\n" +
    "COPY --chown=9:u d /c\nUSER u\nCOPY a.txt /d\nCOPY --chown=u:u d /c",
  "FROM busybox AS s\nRUN mkdir -p /s/e && echo x > /s/f && chown 5:6 /s /s/f && chown 7 /s/e && chmod 711 /s/f && ln -s f /s/l\n" +
    "FROM busybox\nCOPY --from=s /s /t/u\nCOPY --from=0 /s/f /s/l /v/\nCOPY --from=s --chown=1:2 /s /w\nCOPY --from=busybox /etc/passwd /p",
  // Tars.
  "ADD t.tar /one/\nADD t.tgz /two\nADD --chown=5:6 t.tar a.txt /three/\nCOPY t.tar /four/\nADD a.txt /five\nADD d /six",
  "RUN mkdir /x /z && ln -s /z /x/in && ln -s /x /y\nADD t.tar /x/\nADD t.tgz /y\nADD t.t* /both/",
  // The config.
  'ENV A=1 B="two three" C=\'x y\' D=e\\ f\nENV OLD old style value\nENV A=$A:2 P=${PATH}\nLABEL l=$A "m n"=o\nLABEL l=2',
  'EXPOSE 80 443/tcp 53/udp 90-92\nVOLUME /v /w\nVOLUME ["/x", "/y z"]\nUSER 5:6\nSTOPSIGNAL SIGUSR1\nWORKDIR /a/../b',
  'ENTRYPOINT ["cat"]\nCMD ["/a", "b"]\nENTRYPOINT exec cat\nCMD echo $HOME\nSHELL ["/bin/sh", "-e", "-c"]\nCMD echo x',
  "HEALTHCHECK --interval=5s --timeout=1s --retries=2 CMD true\nMAINTAINER me <m@x>\nONBUILD RUN true\nONBUILD COPY . /o",
  "HEALTHCHECK NONE\nARG X=1\nARG Y\nENV Z=$X$Y W=${Y:-none} V=${X:+set}\nRUN echo $X$Z > /x",
  // Commands.
  'RUN echo a > /a && chmod 600 /a\nRUN ["touch", "/b"]\nRUN rm /etc/group && mkdir -p /c/d\nRUN chown 5:6 /c; ln -s a /e',
  "RUN echo one \\\n  two \\\n# comment\n  three > /x\nCOPY run.sh /\nRUN /run.sh > /out",
  "RUN rm -r /etc && mkdir /etc && echo x > /etc/only\nCOPY a.txt /etc/\nRUN rm /etc/only",
  // Stages.
  'ARG T=latest\nFROM busybox:$T AS one\nCOPY a.txt /a\nFROM scratch\nCOPY --from=one /a /b\nCMD ["/b"]',
  "FROM scratch\nCOPY a.txt /x/y/z\nADD t.tar /\nENV A=1\nLABEL b=2",
  "FROM busybox AS one\nENV A=1\nUSER 7\nWORKDIR /w\nFROM one\nCOPY a.txt .\nENV B=$A",
  // Refused.
  "COPY none /x",
  "COPY no* /x",
  "COPY a.txt b.txt /x",
  "COPY ../a.txt /x",
  {
    file: "FROM busybox\nRUN touch /x\nCOPY d /x\n",
    ours: { error: "failed to copy files: cannot copy to non-directory: /x", why: PATHS },
  },
  "FROM scratch\nCOPY --from=localhost:1/none /a /b",
  "COPY --from=9 /a /b",
];
