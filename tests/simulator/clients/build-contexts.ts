// Contexts that clients build.

import { rawTar } from "../../support/archives/tar.js";

const DOCKERFILES: Readonly<Record<string, string>> = {
  runs: "FROM busybox\nENV A=1\nRUN echo said; echo made > /made\nRUN cat /made\n",
  copies: "FROM busybox\nCOPY data /data/\nWORKDIR /data/in\nADD *.txt /texts/\n",
  stages:
    "FROM busybox AS one\nRUN sleep 1; echo one > /1\nFROM busybox AS two\nRUN echo two > /2\nRUN cat /2\n" +
    "FROM busybox AS three\nRUN echo two > /2\nFROM scratch\n" +
    "COPY --from=one /1 /\nCOPY --from=two /2 /\nCOPY --from=three /2 /y\nCMD /y\n",
  gives: "FROM scratch\nCOPY <<TEXT /etc/motd\nhello\nTEXT\n",
  sleeps: "FROM busybox\nRUN sleep 2\nRUN echo late > /late\n",
  keeps:
    "FROM busybox\nRUN --mount=type=cache,target=/c echo x >> /c/log\n" +
    "RUN --mount=type=cache,target=/c,sharing=locked --mount=type=tmpfs,target=/t cat /c/log\n",
  binds:
    "FROM busybox AS one\nRUN echo x > /x\nFROM busybox\n" +
    "RUN --mount=target=/in,rw --mount=from=one,target=/one cat /in/a.txt /one/x\n",
  fetches: "FROM scratch\nADD https://index.docker.io/v1/search?q=b /found\nADD https://index.docker.io/none /\n",
  fails: "FROM busybox\nRUN echo x > /x && exit 3\nRUN echo never\n",
  pulls: "FROM hello-world\nCOPY --from=busybox /etc/passwd /users\n",
  lacks:
    "FROM busybox AS one\nRUN sleep 2; echo one > /1\nFROM busybox AS two\nRUN echo x > /x\nCOPY missing /\n" +
    "FROM scratch\nCOPY --from=one /1 /\nCOPY --from=two /x /\n",
  nonsense: "FROM busybox\nDANCE\n",
};

/** `build` lines name none of them, so that each costs no other draw its place. Those of BuildKit's clients do. */
const UNDRAWN: Readonly<Record<string, string>> = {
  secrets:
    "FROM busybox\nRUN --mount=type=secret,id=s,required=true --mount=type=secret,id=none " +
    '--mount=type=secret,id=s,env=S cat /run/secrets/s > /dev/null; test -n "$S" && ! test -e /run/secrets/none\n',
  agents:
    "FROM busybox\nRUN --mount=type=ssh,required=true --mount=type=ssh,id=none " +
    'test -S "$SSH_AUTH_SOCK" && ! test -e /run/buildkit/ssh_agent.1\n',
  clones: "FROM scratch\nADD https://example.org/a.git#main:doc /doc\n",
};

/** What a drawn `build` line may name. */
export const BUILDS: readonly string[] = Object.keys(DOCKERFILES);
export const UNDRAWN_BUILDS: readonly string[] = Object.keys(UNDRAWN);

/** The model knows no containers of builds, so none of them may stay. */
export const BUILD_QUERIES: readonly string[] = [
  "forcerm=1",
  "forcerm=1&t=made",
  "forcerm=1&nocache=1&q=1",
  "version=2&t=made",
];

/** The header that names a session: for what a `solve` line builds. */
export const SESSION = "X-Docker-Expose-Session-Uuid";
export const METHOD = "X-Docker-Expose-Session-Grpc-Method";
/** One header for each. */
export const METHODS = [
  "/moby.filesync.v1.FileSync/DiffCopy",
  "/moby.upload.v1.Upload/Pull",
  "/moby.filesync.v1.Auth/Credentials",
  "/moby.buildkit.secrets.v1.Secrets/GetSecret",
  "/moby.filesync.v1.FileSend/DiffCopy",
  "/moby.sshforward.v1.SSH/ForwardAgent",
  "/containerd.services.content.v1.Content/Read",
  "/containerd.services.content.v1.Content/Write",
].join(`\n${METHOD}: `);
/** What clients have for the id `s`, and nobody else may ever see. */
export const SECRET = "known to its step alone";

export function contextOf(what: string): Uint8Array {
  return rawTar([
    { name: "Dockerfile", body: DOCKERFILES[what] ?? UNDRAWN[what] ?? "" },
    { name: "data/", flag: "5", mode: 0o755 },
    { name: "data/file", body: "data\n", mode: 0o644 },
    { name: "a.txt", body: "a\n" },
  ]);
}
