// Writes Go with Docker's own client, or with net/http over the socket if no call of the client makes the request.

import type { WrittenRequest } from "../session/request.js";
import { archiveInGo, GO_ARCHIVE_IMPORTS, goText } from "./generate-archive.js";
import { callFor, isOn } from "./sdk-call.js";
import type { Call, Taken } from "./sdk-call.js";

interface GoCall extends Call {
  /** Packages in addition to `context` and the client. `code` is the right side of an assignment to `answer, err`. */
  readonly imports: readonly string[];
  /** Whether it returns only an error. */
  readonly noAnswer?: boolean;
}

const CONTAINER = "github.com/docker/docker/api/types/container";
const IMAGE = "github.com/docker/docker/api/types/image";
const NETWORK = "github.com/docker/docker/api/types/network";

/** Calls of the client of Docker Engine 28 (`github.com/docker/docker/client`). */
const CALLS: readonly GoCall[] = [
  { method: "GET", path: "/_ping", says: [], imports: [], code: () => "cli.Ping(ctx)" },
  { method: "GET", path: "/version", says: [], imports: [], code: () => "cli.ServerVersion(ctx)" },
  { method: "GET", path: "/info", says: [], imports: [], code: () => "cli.Info(ctx)" },
  {
    method: "GET",
    path: "/containers/json",
    says: ["all", "limit", "size"],
    imports: [CONTAINER],
    code: ({ query }) =>
      `cli.ContainerList(ctx, container.ListOptions{${fields(query, { all: "All", limit: "Limit", size: "Size" })}})`,
  },
  {
    method: "GET",
    path: "/containers/*/json",
    says: [],
    imports: [],
    code: ({ name }) => `cli.ContainerInspect(ctx, ${text(name)})`,
  },
  {
    method: "POST",
    path: "/containers/*/start",
    says: [],
    imports: [CONTAINER],
    noAnswer: true,
    code: ({ name }) => `cli.ContainerStart(ctx, ${text(name)}, container.StartOptions{})`,
  },
  {
    method: "POST",
    path: "/containers/*/stop",
    says: ["signal"],
    imports: [CONTAINER],
    noAnswer: true,
    code: ({ name, query }) =>
      `cli.ContainerStop(ctx, ${text(name)}, container.StopOptions{${fields(query, { signal: "Signal" })}})`,
  },
  {
    method: "POST",
    path: "/containers/*/kill",
    says: ["signal"],
    imports: [],
    noAnswer: true,
    code: ({ name, query }) => `cli.ContainerKill(ctx, ${text(name)}, ${text(query["signal"] ?? "")})`,
  },
  {
    method: "DELETE",
    path: "/containers/*",
    says: ["force", "v", "link"],
    imports: [CONTAINER],
    noAnswer: true,
    code: ({ name, query }) =>
      `cli.ContainerRemove(ctx, ${text(name)}, container.RemoveOptions{${fields(query, { force: "Force", v: "RemoveVolumes", link: "RemoveLinks" })}})`,
  },
  {
    method: "GET",
    path: "/images/json",
    says: ["all"],
    imports: [IMAGE],
    code: ({ query }) => `cli.ImageList(ctx, image.ListOptions{${fields(query, { all: "All" })}})`,
  },
  {
    method: "GET",
    path: "/images/*/json",
    says: [],
    imports: [],
    code: ({ name }) => `cli.ImageInspect(ctx, ${text(name)})`,
  },
  {
    method: "POST",
    path: "/images/*/tag",
    says: ["repo", "tag"],
    imports: [],
    noAnswer: true,
    code: ({ name, query }) =>
      `cli.ImageTag(ctx, ${text(name)}, ${text([query["repo"], query["tag"]].filter(Boolean).join(":"))})`,
  },
  {
    method: "DELETE",
    path: "/images/*",
    says: ["force"],
    imports: [IMAGE],
    code: ({ name, query }) =>
      `cli.ImageRemove(ctx, ${text(name)}, image.RemoveOptions{${fields(query, { force: "Force" }, "PruneChildren: true")}})`,
  },
  {
    method: "POST",
    path: "/build",
    says: ["t", "dockerfile", "target", "nocache", "q"],
    takesFiles: true,
    imports: ["github.com/docker/docker/api/types/build"],
    code: ({ query }) => `cli.ImageBuild(ctx, &archive, build.ImageBuildOptions{${buildFields(query)}})`,
  },
  {
    method: "GET",
    path: "/networks",
    says: [],
    imports: [NETWORK],
    code: () => "cli.NetworkList(ctx, network.ListOptions{})",
  },
  {
    method: "GET",
    path: "/networks/*",
    says: [],
    imports: [NETWORK],
    code: ({ name }) => `cli.NetworkInspect(ctx, ${text(name)}, network.InspectOptions{})`,
  },
  {
    method: "GET",
    path: "/volumes/*",
    says: [],
    imports: [],
    code: ({ name }) => `cli.VolumeInspect(ctx, ${text(name)})`,
  },
];

export function go(request: WrittenRequest): string {
  const found = callFor(CALLS, request);
  // Without a version, the client negotiates the newest one and uses it: a different request.
  return found === null || found.taken.version === "" ? withHttp(request) : withClient(found.row, found.taken);
}

function withClient(row: GoCall, taken: Taken): string {
  const { files } = taken;
  const shows = files === undefined ? ["fmt"] : ["io", "os", ...GO_ARCHIVE_IMPORTS];
  const imports = ["context", ...(row.noAnswer ? [] : shows)];
  const packages = [...row.imports, "github.com/docker/docker/client"];
  const call = row.noAnswer
    ? [`\tif err := ${row.code(taken)}; err != nil {`, "\t\tpanic(err)", "\t}"]
    : [
        `\tanswer, err := ${row.code(taken)}`,
        "\tif err != nil {",
        "\t\tpanic(err)",
        "\t}",
        ...(files === undefined
          ? ['\tfmt.Printf("%+v\\n", answer)']
          : ["\tdefer answer.Body.Close()", "\tio.Copy(os.Stdout, answer.Body)"]),
      ];
  return program(imports, packages, [
    ...(files === undefined ? [] : archiveInGo(files)),
    "\tctx := context.Background()",
    `\tcli, err := client.NewClientWithOpts(client.FromEnv, client.WithVersion("${taken.version}"))`,
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    "\tdefer cli.Close()",
    ...call,
  ]);
}

function withHttp({ method, target, headers, body, files }: WrittenRequest): string {
  const own = files !== undefined ? GO_ARCHIVE_IMPORTS : body === "" ? [] : ["strings"];
  const imports = ["context", "fmt", "io", "net", "net/http", "os", ...own];
  const reader = files !== undefined ? "&archive" : body === "" ? "nil" : `strings.NewReader(${goText(body)})`;
  return program(
    imports,
    [],
    [
      ...(files === undefined ? [] : archiveInGo(files)),
      "\tclient := http.Client{Transport: &http.Transport{",
      "\t\tDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {",
      '\t\t\treturn (&net.Dialer{}).DialContext(ctx, "unix", "/var/run/docker.sock")',
      "\t\t},",
      "\t}}",
      `\trequest, err := http.NewRequest(${text(method)}, ${text(`http://localhost${target}`)}, ${reader})`,
      "\tif err != nil {",
      "\t\tpanic(err)",
      "\t}",
      ...headers.map(([name, value]) => `\trequest.Header.Set(${text(name)}, ${text(value)})`),
      "\tanswer, err := client.Do(request)",
      "\tif err != nil {",
      "\t\tpanic(err)",
      "\t}",
      "\tdefer answer.Body.Close()",
      "\tfmt.Println(answer.Status)",
      "\tio.Copy(os.Stdout, answer.Body)",
    ],
  );
}

function program(standard: readonly string[], packages: readonly string[], lines: readonly string[]): string {
  const groups = [standard, packages].filter((group) => group.length > 0);
  const imports = groups
    .map((group) =>
      [...group]
        .sort()
        .map((name) => `\t"${name}"`)
        .join("\n"),
    )
    .join("\n\n");
  return `package main\n\nimport (\n${imports}\n)\n\nfunc main() {\n${lines.join("\n")}\n}\n`;
}

/** Fields of an options struct for the parameters of the query. */
function fields(query: Taken["query"], names: Readonly<Record<string, string>>, always = ""): string {
  const members = Object.entries(query).map(([name, value]) => `${names[name]}: ${valueOf(name, value)}`);
  return [...members, ...(always === "" ? [] : [always])].join(", ");
}

function valueOf(name: string, value: string): string {
  if (name === "limit") return String(Number(value) || 0);
  return name === "signal" ? text(value) : String(isOn(value));
}

/** A JSON string is also a Go string, except for characters beyond the first 65,536 of Unicode. */
function text(value: string): string {
  return JSON.stringify(value);
}

/** The client keeps the containers of the steps, unless it is told to remove them. */
function buildFields({ t, ...others }: Taken["query"]): string {
  const names = { nocache: "NoCache", q: "SuppressOutput" };
  const words = { dockerfile: "Dockerfile", target: "Target" };
  const told = Object.entries(words).flatMap(([name, field]) =>
    others[name] === undefined ? [] : [`${field}: ${text(others[name])}`],
  );
  const flags = Object.entries(names).flatMap(([name, field]) =>
    others[name] === undefined ? [] : [`${field}: ${isOn(others[name])}`],
  );
  const tags = t === undefined ? [] : [`Tags: []string{${text(t)}}`];
  return [...tags, ...told, ...flags, "Remove: true"].join(", ");
}
