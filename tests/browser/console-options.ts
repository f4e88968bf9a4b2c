// Values to try options with, and why some options change no request.

/** Operands that each command needs after its options. */
export const OPERANDS: Readonly<Record<string, string>> = {
  "builder build": ".",
  "container attach": "web",
  "container commit": "web img",
  "container cp": "web:/etc -",
  "container create": "busybox",
  "container diff": "web",
  "container exec": "web ls",
  "container export": "web",
  "container inspect": "web",
  "container kill": "web",
  "container logs": "web",
  "container pause": "web",
  "container port": "web",
  "container rename": "web site",
  "container restart": "web",
  "container rm": "web",
  "container run": "busybox",
  "container start": "web",
  "container start --detach-keys": "-a web",
  "container stop": "web",
  "container top": "web",
  "container unpause": "web",
  "container update": "web",
  "container wait": "web",
  "image build": ".",
  "image history": "busybox",
  "image import": "http://x.test/a.tar",
  "image inspect": "busybox",
  "image pull": "busybox",
  "image push": "busybox",
  "image rm": "busybox",
  "image save": "busybox",
  "image tag": "busybox mine",
  "network connect": "net web",
  "network create": "net",
  "network create --aux-address": "--subnet 10.9.0.0/16 net",
  "network create --gateway": "--subnet 10.9.0.0/16 net",
  "network create --ip-range": "--subnet 10.9.0.0/16 net",
  "network disconnect": "net web",
  "network inspect": "net",
  "network rm": "net",
  "volume inspect": "data",
  "volume rm": "data",
  inspect: "web",
  login: "-u me -p secret",
  "login --username": "-p secret",
  "login --password": "-u me",
  search: "busybox",
};

/** Every option accepts one of these values. */
export const SAMPLES: readonly string[] = [
  "7",
  "7s",
  "a=7",
  "type=volume,dst=/a",
  "/dev/a:7",
  "/dev/a:7m",
  "80:80",
  "stdout",
  "image",
  "nofile=7",
  "always",
];

const PRINTS = "the command's own: how it prints what is answered";
const ASKS = "the command's own: it does not ask first whether it may";
const FILE = "the command's own: where it puts what is answered";
const SENDS = "the command's own: how it sends the folder";
const TRUST = "the command's own: whether it checks signatures";

/** Options that change no request, and why. */
export const REASONS: Readonly<Record<string, string>> = {
  "--format": PRINTS,
  "--no-trunc": PRINTS,
  "--quiet": PRINTS,
  "--disable-content-trust": TRUST,
  "--compress": SENDS,
  "--iidfile": FILE,
  "--output": FILE,
  "--sig-proxy": "the command's own: whether it passes signals on",
  "builder prune --force": ASKS,
  "container cp --archive": FILE,
  "container prune --force": ASKS,
  "image history --human": PRINTS,
  "image ls --digests": PRINTS,
  "image prune --force": ASKS,
  "network prune --force": ASKS,
  "network rm --force": "the command's own: what is not there is no failure to it",
  "system df --verbose": PRINTS,
  "system prune --force": ASKS,
  "volume ls --cluster": "a swarm's, which this engine's API has not",
  "volume prune --force": ASKS,
};
