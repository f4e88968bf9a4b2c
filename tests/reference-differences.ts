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
    what: "events have attributes `coracle.…`, and inspect of containers has a field `Coracle`",
    reason: "they give the origin and the reason; Docker's clients show the attributes and ignore the field",
    lines: [/^\w+ inspect \+ body \.Coracle\b/, /^events \+ body \.Actor\.Attributes\.coracle\./],
  },
  {
    id: "oom-killed-at-once",
    what: "State.OOMKilled is set at a kill (reference: at the end of the run) and reset by a start (at its end)",
    reason: NEWEST,
  },
  {
    id: "anonymous-volumes",
    what: "a volume without a name has the label com.docker.volume.anonymous",
    reason: NEWEST,
  },
  {
    id: "copied-set-user-id",
    what: "COPY keeps the bits set-user-id and set-group-id of files that get another owner (reference: not)",
    reason: "BuildKit keeps them; the reference changes the owner after the mode, and the kernel clears them then",
  },
  { id: "volume-size", what: "an invalid option `size` of a volume is 400 (reference: 500)", reason: NEWEST },
  {
    id: "distribution-platforms",
    what: "a manifest in OCI's format has a platform, and without any platform there is an empty list (reference: null)",
    reason: "the schema promises a list, and the registry says it for both formats",
  },
  {
    id: "distribution-credentials",
    what: "a question to a registry that wants credentials is 401 without any (reference: 500)",
    reason: NEWEST,
  },
  {
    id: "build-address",
    what: "addresses in the stream and the errors of a build are told without user and password (reference: with them)",
    reason: "they are credentials",
  },
  {
    id: "import-address",
    what: "the address of an import is told without user, password and query (reference: with them, also in the image)",
    reason: "they may be credentials",
  },
  {
    id: "search-refusals",
    what: "a limit of a search that is no number, and a term with a scheme or `@`, are 400; texts begin in lower case",
    reason: NEWEST,
  },
  {
    id: "search-stars",
    what: "a search's filter `stars` that is no number is 400 with Go's reason (reference: without it)",
    reason: NEWEST,
  },
  { id: "search-automated", what: "no result of a search is automated, whatever a registry says", reason: NEWEST },
  { id: "too-old", what: "a version below 1.24 is refused", reason: VERSIONS },
  {
    id: "bad-json-status",
    what: "malformed JSON is 400 `invalid JSON: …` (reference: 500, bare decoder text)",
    reason: NEWEST,
  },
  { id: "bad-json-text", what: "wording of JSON errors", reason: NEWEST },
  {
    id: "update-swap",
    what: "an update to MemorySwap -1 removes the swap limit (reference: reports success, but changes nothing)",
    reason: "a successful update must take effect",
  },
  { id: "update-no-body", what: "an update without a body changes nothing (reference: 500 `EOF`)", reason: NEWEST },
  { id: "content-type-text", what: "wording of a refused Content-Type", reason: NEWEST },
  { id: "archive-path-text", what: "a blank in `path cannot be empty`", reason: NEWEST },
  {
    id: "deflate-form",
    what: "the coding `deflate` is in zlib format (reference: raw deflate)",
    reason: "RFC 9110 §8.4.1.2 requires it, and every client reads it",
  },
  {
    id: "gnu-sparse",
    what: "sparse files in the old GNU tar format are unpacked (reference: `unhandled tar header type 83`)",
    reason: "the other three formats are unpacked, and this one is GNU tar's default",
  },
  {
    id: "sparse-saved",
    what: "an image whose layer has sparse files can be saved (reference: 500, `could not verify layer data`)",
    reason: "a loaded image is stored byte for byte",
  },
  {
    id: "pull-lines",
    what: "each step of a layer has its line (reference: may report only the last of several quick steps)",
    reason: "clients show every line",
  },
  {
    id: "push-refusals",
    what: "a name or tag that is no valid one is 400 for a push (reference: 500)",
    reason: NEWEST,
  },
  {
    id: "wait-over-restart",
    what: "a wait returns the exit code of the end that it waited for (reference: 0 of the next run, if that began meanwhile)",
    reason: "the client asked for this code",
  },
  {
    id: "archive-mounts",
    what: "reading and writing a container's files causes no events of its volumes",
    reason: "volumes are mounted for a run, not to access files",
  },
  {
    id: "extract-status",
    what: "unpacking into a read-only place or a non-directory is 400 (reference: 500)",
    reason: NEWEST,
  },
  {
    id: "body-limit",
    what: "a JSON body over the limit is 413 (reference: no limit)",
    reason: "one request must not fill the daemon's memory",
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
    what: "a malformed bind or security option, or a Windows rate or isolation, is 400 (reference: 500)",
    reason: NEWEST,
  },
  { id: "host-config-defaults", what: "NetworkMode `bridge` and RestartPolicy `no` are filled in", reason: NEWEST },
  { id: "bad-number", what: "a bad number in the query is 400 (reference: 500)", reason: NEWEST },
  { id: "build-cancel", what: "cancelling a build without an id is 400 (reference: 500)", reason: NEWEST },
  { id: "prune-until", what: "an invalid `until` of a prune is 400 (reference: 500)", reason: NEWEST },
  { id: "bad-filter", what: "unparsable filters are 400, unknown keys in lower case", reason: NEWEST },
  {
    id: "top-nobody",
    what: "an empty list of processes is [] (reference: null)",
    reason: "the API's description calls it a list, and clients iterate over it",
  },
  { id: "is-task-numbers", what: "the filter is-task accepts 0 and 1 (reference: 400)", reason: NEWEST },
  { id: "filter-container", what: "an unknown before/since container is 404 (reference: 500)", reason: NEWEST },
  {
    id: "one-port",
    what: "a port chosen by the engine is the same on both families (reference: one for each)",
    reason: NEWEST,
  },
  {
    id: "port-address",
    what: "an invalid host address is 400 (reference: the port is published on all addresses)",
    reason: NEWEST,
  },
  { id: "kill-texts", what: "wording of kill's refusals", reason: NEWEST },
  {
    id: "storage-opt",
    what: "unavailable quotas are 501, an unknown quota option is 400 (reference: 500)",
    reason: "features that a machine lacks are not failures of the engine",
  },
  {
    id: "link-status",
    what: "a malformed link is 400, a container's own name as a link 409 (reference: 500)",
    reason: NEWEST,
  },
  { id: "remove-texts", what: "wording of remove's refusals", reason: NEWEST },
  { id: "state-texts", what: "`container ID is not running` in lower case", reason: NEWEST },
  { id: "wait-condition", what: "an unknown wait condition is 400 (reference: uses the default)", reason: NEWEST },
  {
    id: "wait-body",
    what: "wait's body has Error only when there is one",
    reason: NEWEST,
    lines: [/^wait - body \.Error null$/],
  },
  {
    id: "log-option-values",
    what: "a bad value of a log option is 400 at create (reference: 201, and the container cannot be started)",
    reason: "a container that can never start is refused",
  },
  { id: "logs-stream-text", what: "wording when no stream is selected", reason: NEWEST },
  {
    id: "logs-content-type",
    what: "logs carry the stream's content type",
    reason: NEWEST,
    lines: [/^logs \+ (header Content-Type|type application\/vnd\.docker\.raw-stream)$/],
  },
  {
    id: "logs-tail",
    what: "with `until`, `tail` counts the lines up to that time (reference: lines of the whole log)",
    reason: "otherwise a request for the last lines before a time gets none if the log has grown since",
  },
  { id: "logs-since", what: "a bad since or until is 400 (reference: 500)", reason: NEWEST },
  { id: "exec-texts", what: "wording of exec's refusals", reason: NEWEST },
  {
    id: "health-timeout",
    what: "a health check that timed out reports its output (reference: does not)",
    reason: NEWEST,
  },
  {
    id: "exec-failed-code",
    what: "an exec that cannot be started has code 127 or 126, depending on the reason (reference: always 126)",
    reason: NEWEST,
  },
  { id: "exec-user-status", what: "a detached exec of an unknown user is 400 (reference: 500)", reason: NEWEST },
  { id: "resize-signed", what: "a negative size is refused (reference: accepted)", reason: NEWEST },
  { id: "image-texts", what: "wording and status of image refusals", reason: NEWEST },
  { id: "tag-status", what: "a bad reference to tag or commit is 400 (reference: 500)", reason: NEWEST },
  { id: "auth-refused", what: "refused credentials are 401 (reference: 500)", reason: NEWEST },
  { id: "no-image", what: "a pull of something that is no image is 400 (reference: 500)", reason: NEWEST },
  { id: "pull-auth", what: "a pull that a registry answers with 401 is 404 (reference: 500)", reason: NEWEST },
  {
    id: "live-restore",
    what: "LiveRestoreEnabled: our containers always outlive the daemon",
    reason: "dockerd needs a flag for this",
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
    reason: "the field was removed in 1.24 (surface §3.1); the reference still sends '<not supported>' below 1.25",
    lines: [/^info - body \.ExecutionDriver string$/],
  },
  {
    id: "info-runtimes",
    what: "Runtimes names the installed OCI runtimes",
    reason: "the reference adds containerd's shims, which we do not have, and does not search for crun",
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
    what: "the list of networks has no Containers from 1.28 on, and the bridge shows its gateway",
    reason: NEWEST,
    lines: [
      /^networks - body \[\]\.Containers object$/,
      /^networks? \+ body (\[\])?\.IPAM\.Config\[\]\.Gateway string$/,
    ],
  },
  {
    id: "image-stop-timeout",
    what: "an image's config has no StopTimeout",
    reason: "it is in no image specification, and the newest Docker engine omits it as well",
    lines: [/^committed inspect - body \.(Config|ContainerConfig)\.StopTimeout number$/],
  },
  {
    id: "graph-driver",
    what: "GraphDriver.Data names only existing directories: an image's top layer, and no LowerDir of a container",
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
    reason: "the reference has only the lines of older kernels",
    lines: [/^stats( at once)? \+ body \.memory_stats\.stats\.(total_)?(shmem|swap|swapcached|workingset_\w+) number$/],
  },
  {
    id: "memory-in-proc",
    what: "a tmpfs at or below /proc is refused like any other mount (reference: its runtime fails at a missing directory)",
    reason: "newer releases of its runtime refuse it too",
  },
  {
    id: "disconnect-told-twice",
    what: "one event tells that a running container was disconnected (reference: two)",
    reason: "one happening, one event",
  },
  {
    id: "refused-connection-kept",
    what: "a refused connection leaves nothing (reference: the container lists the network, without an address)",
    reason: "what was refused has not happened",
  },
  { id: "connect-settings-text", what: "wording of refused connection settings", reason: NEWEST },
  { id: "network-name", what: "a network without a name is 400 (reference: 500)", reason: NEWEST },
  {
    id: "dangling-networks",
    what: "a network with containers is not dangling (reference: every user-defined network is)",
    reason: "the filter says what its documentation says",
  },
  { id: "network-option", what: "an invalid option of a network is 400 (reference: 500)", reason: NEWEST },
  {
    id: "fixed-address-outside",
    what: "a fixed address outside of the network's subnets is 400 (reference: 500)",
    reason: NEWEST,
  },
  {
    id: "network-bad-input",
    what: "unusable subnets, ranges, gateways and options of a network are 400, in newer words (reference: 500, or taken)",
    reason: NEWEST,
  },
  {
    id: "endpoint-bad-input",
    what: "unusable settings of an endpoint are refused when it is connected (reference: when the container starts, or taken)",
    reason: NEWEST,
  },
  { id: "json-texts", what: "errors about a body begin with `invalid JSON`", reason: NEWEST },
  { id: "unbuilt", what: "operations and fields that are not built yet", reason: UNBUILT },
];
