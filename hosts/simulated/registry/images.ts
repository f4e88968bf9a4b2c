// Images of the catalogue, described like Dockerfiles.

import type { LayerFile } from "./files.js";
import * as layers from "./layers.js";

/** One step of an image's history. */
export interface Step {
  createdBy: string;
  /** The layer that it adds, by the layer's name. Without it the step changes only settings. */
  layer?: { name: string; files: () => LayerFile[] };
}

/** The `config` of an image's config, without the usual values. */
export interface Settings {
  Env?: readonly string[];
  Cmd?: readonly string[];
  Entrypoint?: readonly string[];
  ExposedPorts?: Readonly<Record<string, Record<string, never>>>;
  Labels?: Readonly<Record<string, string>>;
  StopSignal?: string;
  User?: string;
  WorkingDir?: string;
}

export interface CatalogueImage {
  tags: readonly string[];
  steps: readonly Step[];
  settings: Settings;
}

/** All images of a repository, and its registry. */
export interface CatalogueRepository {
  authority: string;
  repository: string;
  /** The account that may pull; null if everybody may. */
  account: Account | null;
  images: readonly CatalogueImage[];
}

/** An account of the simulated registries only: not a secret. */
export interface Account {
  username: string;
  password: string;
}

export const HUB = "registry-1.docker.io";
export const PRIVATE = "registry.example";
export const ACCOUNT: Account = { username: "learner", password: "coracle" };

const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function busybox(tags: readonly string[], name: string, seed: number): CatalogueImage {
  const layer = { name, files: () => layers.busyboxLayer(seed) };
  return {
    tags,
    steps: [{ createdBy: `COPY ${name} / # buildkit`, layer }, cmd("sh")],
    settings: { Env: [PATH], Cmd: ["sh"] },
  };
}

function cmd(...words: string[]): Step {
  return { createdBy: `CMD ${JSON.stringify(words)}` };
}

const ALPINE: Step = {
  createdBy: "ADD alpine-minirootfs.tar.gz / # buildkit",
  layer: { name: "alpine", files: layers.alpineLayer },
};
const DEBIAN: Step = {
  createdBy: "ADD rootfs.tar.xz / # buildkit",
  layer: { name: "debian", files: layers.debianLayer },
};
const DEBIAN_EXTRAS: Step = {
  createdBy: "RUN /bin/sh -c apt-get install -y tzdata # buildkit",
  layer: { name: "debian-extras", files: layers.debianExtrasLayer },
};

const NGINX: CatalogueImage = {
  tags: ["1.27", "latest"],
  steps: [
    DEBIAN,
    { createdBy: "LABEL maintainer=NGINX Docker Maintainers" },
    { createdBy: "ENV NGINX_VERSION=1.27.5" },
    {
      createdBy: "RUN /bin/sh -c apt-get install -y nginx # buildkit",
      layer: { name: "nginx", files: layers.nginxLayer },
    },
    {
      createdBy: "COPY docker-entrypoint.sh nginx.conf / # buildkit",
      layer: { name: "nginx-settings", files: layers.nginxSettingsLayer },
    },
    { createdBy: 'ENTRYPOINT ["/docker-entrypoint.sh"]' },
    { createdBy: "EXPOSE map[80/tcp:{}]" },
    { createdBy: "STOPSIGNAL SIGQUIT" },
    cmd("nginx", "-g", "daemon off;"),
  ],
  settings: {
    Env: [PATH, "NGINX_VERSION=1.27.5"],
    Entrypoint: ["/docker-entrypoint.sh"],
    Cmd: ["nginx", "-g", "daemon off;"],
    ExposedPorts: { "80/tcp": {} },
    Labels: { maintainer: "NGINX Docker Maintainers" },
    StopSignal: "SIGQUIT",
  },
};

/** Removes what tests leave behind: see programs/network/ryuk.ts. The tag is the one that current clients ask for. */
const RYUK: CatalogueImage = {
  tags: ["0.11.0", "0.12.0", "0.13.0", "0.14.0", "latest"],
  steps: [
    { createdBy: "COPY ryuk /bin/ryuk # buildkit", layer: { name: "ryuk", files: layers.ryukLayer } },
    { createdBy: 'ENTRYPOINT ["/bin/ryuk"]' },
  ],
  settings: {
    Env: [PATH],
    Entrypoint: ["/bin/ryuk"],
    Labels: { "org.testcontainers.ryuk": "true" },
  },
};

const APP: CatalogueImage = {
  tags: ["1"],
  steps: [
    ALPINE,
    { createdBy: "COPY app /app # buildkit", layer: { name: "app", files: layers.appLayer } },
    { createdBy: "ENV APP_VERSION=1" },
    { createdBy: "WORKDIR /app" },
    { createdBy: "USER app" },
    cmd("/app/run"),
  ],
  settings: {
    Env: [PATH, "APP_VERSION=1"],
    Cmd: ["/app/run"],
    Labels: { "org.opencontainers.image.title": "app", "org.opencontainers.image.version": "1" },
    User: "app",
    WorkingDir: "/app",
  },
};

export const CATALOGUE: readonly CatalogueRepository[] = [
  hub(
    "library/busybox",
    busybox(["1.36", "glibc", "latest"], "busybox", 136),
    busybox(["1.36-musl", "musl"], "busybox-musl", 137),
  ),
  hub("library/alpine", {
    tags: ["3.20", "latest"],
    steps: [ALPINE, cmd("/bin/sh")],
    settings: { Env: [PATH], Cmd: ["/bin/sh"] },
  }),
  hub("library/debian", {
    tags: ["12", "bookworm", "latest"],
    steps: [DEBIAN, DEBIAN_EXTRAS, cmd("bash")],
    settings: { Env: [PATH], Cmd: ["bash"] },
  }),
  hub("library/hello-world", {
    tags: ["latest", "linux"],
    steps: [
      { createdBy: "COPY hello / # buildkit", layer: { name: "hello", files: layers.helloLayer } },
      cmd("/hello"),
    ],
    settings: { Env: [PATH], Cmd: ["/hello"] },
  }),
  hub("library/nginx", NGINX),
  hub("testcontainers/ryuk", RYUK),
  { authority: PRIVATE, repository: "team/app", account: ACCOUNT, images: [APP] },
];

function hub(repository: string, ...images: CatalogueImage[]): CatalogueRepository {
  return { authority: HUB, repository, account: null, images };
}
