// Every known difference between this engine and the reference (dockerd 20.10.24, API 1.41), with its reason. A test
// with two expected values names a row; a difference without a row fails tests/http/compare.test.ts.

export interface Difference {
  readonly id: string;
  readonly what: string;
  readonly reason: string;
  /** Lines of the comparison (see tests/http/compare.test.ts) that this row covers. */
  readonly lines?: readonly RegExp[];
}

const NEWEST = "we answer as the newest released engine does; the reference is from 2021";
const VERSIONS = "we serve 1.24 to 1.55, the reference 1.12 to 1.41";
const UNBUILT = "not built yet: refused by name (501) rather than silently ignored";

export const DIFFERENCES: readonly Difference[] = [
  { id: "api-versions", what: "Api-Version, ApiVersion and MinAPIVersion", reason: VERSIONS },
  {
    id: "ping-headers",
    what: "Builder-Version and Swarm come with every ping",
    reason: NEWEST,
    lines: [/^(head )?ping \+ header (Builder-Version|Swarm)$/],
  },
  {
    id: "event-origins",
    what: "events have attributes `coracle.…`, and containers' inspect a field `Coracle`",
    reason: "they tell who asked and why; Docker's clients show the attributes and pass over the field",
    lines: [/^\w+ inspect \+ body \.Coracle\b/, /^events \+ body \.Actor\.Attributes\.coracle\./],
  },
  {
    id: "oom-killed-at-once",
    what: "State.OOMKilled is set at a kill (reference: at the end of the run) and reset by a start (at its end)",
    reason: NEWEST,
  },
  { id: "too-old", what: "a version below 1.24 is refused", reason: VERSIONS },
  {
    id: "bad-json-status",
    what: "malformed JSON is 400 `invalid JSON: …` (reference: 500, bare decoder text)",
    reason: NEWEST,
  },
  { id: "bad-json-text", what: "wording of JSON errors", reason: NEWEST },
  {
    id: "update-swap",
    what: "an update to MemorySwap -1 takes the limit of swap away (reference: says so, and changes nothing)",
    reason: "what an update was answered holds",
  },
  { id: "update-no-body", what: "an update without a body changes nothing (reference: 500 `EOF`)", reason: NEWEST },
  { id: "content-type-text", what: "wording of a refused Content-Type", reason: NEWEST },
  { id: "archive-path-text", what: "a blank in `path cannot be empty`", reason: NEWEST },
  {
    id: "deflate-form",
    what: "the coding `deflate` has the zlib form (reference: bare deflate)",
    reason: "RFC 9110 §8.4.1.2 says so, and every client reads it",
  },
  {
    id: "gnu-sparse",
    what: "sparse files in the old form of GNU tar are unpacked (reference: `unhandled tar header type 83`)",
    reason: "the other three forms are, and GNU tar writes this one unless told otherwise",
  },
  {
    id: "sparse-saved",
    what: "an image whose layer has sparse files can be saved (reference: 500, `could not verify layer data`)",
    reason: "what was loaded is there, byte for byte",
  },
  {
    id: "pull-lines",
    what: "each step of a layer has its line (reference: of steps that come close together it may tell the last alone)",
    reason: "clients show what they are told",
  },
  {
    id: "wait-over-restart",
    what: "a wait is told of the end that it waited for (reference: of the next run's 0, if that began meanwhile)",
    reason: "the code is what was asked for",
  },
  {
    id: "archive-mounts",
    what: "reading and writing a container's files has no events of its volumes",
    reason: "they are mounted for a run, and nothing is mounted to look at files",
  },
  {
    id: "extract-status",
    what: "unpacking into what is read-only or no directory is 400 (reference: 500)",
    reason: NEWEST,
  },
  {
    id: "body-limit",
    what: "a JSON body past the limit is 413 (reference: no limit)",
    reason: "a daemon must not be filled by one request",
  },
  { id: "second-document", what: "a second JSON document is 400 (reference: ignored)", reason: NEWEST },
  {
    id: "ambiguous-id",
    what: "an ambiguous id prefix is 400 `multiple IDs …` (reference: 500, capital M)",
    reason: NEWEST,
  },
  { id: "create-texts", what: "wording of create's validation errors", reason: NEWEST },
  {
    id: "bind-status",
    what: "a malformed bind or security option, or a rate or isolation of Windows, is 400 (reference: 500)",
    reason: NEWEST,
  },
  { id: "host-config-defaults", what: "NetworkMode `bridge` and RestartPolicy `no` are filled in", reason: NEWEST },
  { id: "bad-number", what: "a bad number in the query is 400 (reference: 500)", reason: NEWEST },
  { id: "build-cancel", what: "the end of a build that is not named is 400 (reference: 500)", reason: NEWEST },
  { id: "prune-until", what: "an `until` of a prune that is no time is 400 (reference: 500)", reason: NEWEST },
  { id: "bad-filter", what: "unparsable filters are 400, unknown keys in lower case", reason: NEWEST },
  {
    id: "top-nobody",
    what: "a list of no processes is [] (reference: null)",
    reason: "the API's description calls it a list, and clients go over it",
  },
  { id: "is-task-numbers", what: "the filter is-task knows 0 and 1 (reference: 400)", reason: NEWEST },
  { id: "filter-container", what: "an unknown before/since container is 404 (reference: 500)", reason: NEWEST },
  {
    id: "one-port",
    what: "a port of the engine's choice is the same on both families (reference: each has its own)",
    reason: NEWEST,
  },
  {
    id: "port-address",
    what: "an address of the machine that is none is 400 (reference: the port is published on all addresses)",
    reason: NEWEST,
  },
  { id: "kill-texts", what: "wording of kill's refusals", reason: NEWEST },
  {
    id: "storage-opt",
    what: "quotas that cannot be had are 501, an unknown option of theirs 400 (reference: 500)",
    reason: "what this machine has not got, and what no machine has, are no failures of the engine",
  },
  {
    id: "link-status",
    what: "a malformed link is 400, a container's own name as a link 409 (reference: 500)",
    reason: NEWEST,
  },
  { id: "remove-texts", what: "wording of remove's refusals", reason: NEWEST },
  { id: "state-texts", what: "`container ID is not running` in lower case", reason: NEWEST },
  { id: "wait-condition", what: "an unknown wait condition is 400 (reference: taken as the default)", reason: NEWEST },
  {
    id: "wait-body",
    what: "wait's body has Error only when there is one",
    reason: NEWEST,
    lines: [/^wait - body \.Error null$/],
  },
  {
    id: "log-option-values",
    what: "a bad value of a log option is 400 at create (reference: 201, and the container cannot be started)",
    reason: "a container that could never be started is refused",
  },
  { id: "logs-stream-text", what: "wording when neither stream is asked for", reason: NEWEST },
  {
    id: "logs-content-type",
    what: "logs carry the stream's content type",
    reason: NEWEST,
    lines: [/^logs \+ (header Content-Type|type application\/vnd\.docker\.raw-stream)$/],
  },
  {
    id: "logs-tail",
    what: "with `until`, `tail` counts the lines up to that moment (reference: those of the whole log)",
    reason: "who asks for the last lines before a moment would get none of a log that has gone on since",
  },
  { id: "logs-since", what: "a bad since or until is 400 (reference: 500)", reason: NEWEST },
  { id: "exec-texts", what: "wording of exec's refusals", reason: NEWEST },
  {
    id: "health-timeout",
    what: "a health check that took too long tells what it had written (reference: not)",
    reason: NEWEST,
  },
  {
    id: "exec-failed-code",
    what: "an exec that cannot be started has 127 or 126 by why (reference: always 126)",
    reason: NEWEST,
  },
  { id: "exec-user-status", what: "a detached exec of an unknown user is 400 (reference: 500)", reason: NEWEST },
  { id: "resize-signed", what: "a negative size is refused (reference: taken)", reason: NEWEST },
  { id: "image-texts", what: "wording and status of image refusals", reason: NEWEST },
  { id: "tag-status", what: "a bad reference to tag or commit is 400 (reference: 500)", reason: NEWEST },
  { id: "auth-refused", what: "refused credentials are 401 (reference: 500)", reason: NEWEST },
  { id: "pull-auth", what: "a pull that a registry answers 401 is 404 (reference: 500)", reason: NEWEST },
  {
    id: "live-restore",
    what: "LiveRestoreEnabled: our containers always outlive the daemon",
    reason: "dockerd asks for a flag",
  },
  {
    id: "die-duration",
    what: "die events carry execDuration",
    reason: NEWEST,
    lines: [/^events \+ body \.Actor\.Attributes\.execDuration string$/],
  },
  {
    id: "info-nondistributable",
    what: "the two AllowNondistributableArtifacts lists of RegistryConfig are null below 1.47 and gone from it on",
    reason: NEWEST,
    lines: [/^info [+-] body \.RegistryConfig\.AllowNondistributableArtifacts(CIDRs|Hostnames) (null|list)$/],
  },
  {
    id: "info-execution-driver",
    what: "/info at 1.24 has no ExecutionDriver",
    reason: "the field went with 1.24 (surface §3.1); the reference goes on to say '<not supported>' below 1.25",
    lines: [/^info - body \.ExecutionDriver string$/],
  },
  {
    id: "info-runtimes",
    what: "Runtimes names the OCI runtimes that are there",
    reason: "the reference adds containerd's shims, which we do not have, and does not look for crun",
    lines: [/^info \+ body \.Runtimes\.crun/, /^info - body \.Runtimes\.io\.containerd\./],
  },
  {
    id: "runtime-default",
    what: "HostConfig.Runtime is filled in at create (reference: at the first start if create had no HostConfig)",
    reason: NEWEST,
    lines: [/^plain inspect \+ body \.HostConfig\.Runtime string$/],
  },
  {
    id: "network-list",
    what: "the list of networks has no Containers from 1.28 on, and the bridge tells its gateway",
    reason: NEWEST,
    lines: [
      /^networks - body \[\]\.Containers object$/,
      /^networks? \+ body (\[\])?\.IPAM\.Config\[\]\.Gateway string$/,
    ],
  },
  {
    id: "image-stop-timeout",
    what: "an image's config has no StopTimeout",
    reason: "it is in no image specification, and the newest engine leaves it out as well",
    lines: [/^committed inspect - body \.(Config|ContainerConfig)\.StopTimeout number$/],
  },
  {
    id: "graph-driver",
    what: "GraphDriver.Data names only directories that exist: of an image its top layer, of a container no LowerDir",
    reason: "an image is never mounted, and a container's lower directories are the layers of its image",
    lines: [/ - body \.GraphDriver\.Data\.(LowerDir|MergedDir|WorkDir) string$/],
  },
  {
    id: "df-build-cache",
    what: "an empty BuildCache is [] (reference: null)",
    reason: NEWEST,
    lines: [/^disk usage [+-] body \.BuildCache (list|null)$/],
  },
  {
    id: "stats-memory",
    what: "memory_stats.stats has every line of memory.stat",
    reason: "the reference knows those of older kernels only",
    lines: [/^stats( at once)? \+ body \.memory_stats\.stats\.(total_)?(shmem|swap|swapcached|workingset_\w+) number$/],
  },
  {
    id: "memory-in-proc",
    what: "a tmpfs at /proc or in it is refused as any other mount is (reference: its runtime fails at what is missing there)",
    reason: "newer releases of its runtime refuse it, too",
  },
  {
    id: "connect-recorded",
    what: "a stopped container is not connected to a network that nobody knows (reference: it is, and fails at its start)",
    reason: "what cannot be had is refused where it is asked for",
  },
  { id: "connect-settings-text", what: "wording of a refused connection's settings", reason: NEWEST },
  { id: "network-name", what: "a network without a name is 400 (reference: 500)", reason: NEWEST },
  { id: "json-texts", what: "what is wrong with a body begins with `invalid JSON`", reason: NEWEST },
  { id: "unbuilt", what: "operations and fields that are not built yet", reason: UNBUILT },
];
