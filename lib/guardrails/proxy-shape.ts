// What the containers of the mesh may be given, as data: the proxy acts for the workload, so that a variable, a flag, a mount or a file
// that is not here is a power. It is what the shipped templates write, and the tuning of Istio's pages.

/** A command line: its first words, and its flags. */
export interface CommandLine {
  readonly words: readonly (readonly string[])[];
  /** Its flags, and whether a word follows. */
  readonly flags: ReadonlyMap<string, boolean>;
}

function flagsOf(taking: string, alone: string): ReadonlyMap<string, boolean> {
  const names = `${taking} ${alone}`.split(" ");
  return new Map(names.map((name) => [name, taking.split(" ").includes(name)]));
}

/** The agent, which starts the proxy. */
const AGENT: CommandLine = {
  words: [["proxy"], ["sidecar", "router"]],
  flags: flagsOf(
    "--log_output_level --domain --proxyLogLevel --proxyComponentLogLevel --stsPort --outlierLogPath --concurrency",
    "--log_as_json",
  ),
};

/** The rules that capture traffic. */
const IPTABLES: CommandLine = {
  words: [["istio-iptables"]],
  flags: flagsOf(
    "--log_output_level -p -z -u -m -i -x -b -d -q -o -k -c",
    "--log_as_json --run-validation --skip-rule-apply --force-apply --native-nftables",
  ),
};

/** The containers of the mesh, by name: what each runs. */
export const COMMAND_LINES: ReadonlyMap<string, CommandLine> = new Map([
  ["istio-proxy", AGENT],
  ["istio-init", IPTABLES],
  ["istio-validation", IPTABLES],
]);

/** The fields that such a container may have; a command is its image's. */
export const PROXY_FIELDS: ReadonlySet<string> = new Set(
  `args env image imagePullPolicy lifecycle livenessProbe name ports readinessProbe
  resizePolicy resources restartPolicy securityContext startupProbe terminationMessagePath terminationMessagePolicy
  volumeMounts`.split(/\s+/),
);

/** What its hooks may run: words by place, and any after them. */
export const PROXY_HOOKS: readonly (readonly RegExp[])[] = [
  [/^pilot-agent$/, /^(?:wait|request)$/],
  [/^(?:\/bin\/)?sleep$/, /^\d+$/],
];

/** Variables of tracing and telemetry that say who reports, what, and where to. None of them loads a program or a file. */
export const TELEMETRY_VARIABLES: readonly string[] = `
  DD_AGENT_HOST DD_DOGSTATSD_* DD_ENTITY_ID DD_ENV DD_LOGS_INJECTION DD_LOG_LEVEL DD_PROFILING_ENABLED DD_RUNTIME_METRICS_ENABLED
  DD_SERVICE DD_TAGS DD_TRACE_AGENT_* DD_TRACE_ENABLED DD_TRACE_RATE_LIMIT DD_TRACE_SAMPLE_RATE DD_VERSION
  OTEL_ATTRIBUTE_* OTEL_BLRP_* OTEL_BSP_* OTEL_EXPORTER_OTLP_* OTEL_EVENT_* OTEL_LINK_* OTEL_LOGS_EXPORTER OTEL_LOG_LEVEL
  OTEL_METRICS_* OTEL_METRIC_EXPORT_* OTEL_NODE_NAME OTEL_POD_* OTEL_PROPAGATORS OTEL_RESOURCE_ATTRIBUTES*
  OTEL_SDK_DISABLED OTEL_SERVICE_NAME OTEL_SPAN_* OTEL_TRACES_*`
  .trim()
  .split(/\s+/);

/**
 * Variables of a container of the mesh: `NAME`, `NAME_*`, or `NAME=value` for one that is only known with that value.
 */
export const PROXY_VARIABLES: readonly string[] = [
  // The shipped templates.
  ...`CA_ADDR COMPLIANCE_POLICY DISABLE_ENVOY GODEBUG=fips140=only GOMAXPROCS GOMEMLIMIT HOST_IP INSTANCE_IP ISTIO_CPU_LIMIT
  ISTIO_KUBE_APP_PROBERS ISTIO_META_* ISTIO_PROMETHEUS_ANNOTATIONS OUTPUT_CERTS=/var/lib/istio/data PILOT_CERT_PROVIDER POD_NAME
  POD_NAMESPACE PROXY_CONFIG REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION SERVICE_ACCOUNT TRUST_DOMAIN`.split(/\s+/),
  // Tuning.
  ...`BOOTSTRAP_XDS_AGENT DNS_FORWARD_PARALLEL ECC_CURVE ECC_SIGNATURE_ALGORITHM
  ENVOY_PROMETHEUS_PORT ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL EXIT_ON_ZERO_ACTIVE_CONNECTIONS GRPC_KEEPALIVE_INTERVAL
  GRPC_KEEPALIVE_TIMEOUT INVALID_DROP IPTABLES_TRACE_LOGGING ISTIO_DELTA_XDS ISTIO_DUAL_STACK ISTIO_GPRC_MAXRECVMSGSIZE
  METRICS_LOCALHOST_ACCESS_ONLY METRIC_GRACEFUL_DELETION_INTERVAL METRIC_ROTATION_INTERVAL MINIMUM_DRAIN_DURATION
  PKCS8_KEY PROXY_XDS_DEBUG_VIA_AGENT PROXY_XDS_VIA_AGENT SECRET_GRACE_PERIOD_RATIO SECRET_TTL
  STALED_CONNECTION_RECYCLE_RUN_INTERVAL TERMINATION_DRAIN_DURATION_SECONDS TZ WASM_HTTP_REQUEST_MAX_RETRIES
  WASM_HTTP_REQUEST_TIMEOUT WASM_MODULE_EXPIRY WASM_PURGE_INTERVAL WORKLOAD_RSA_KEY_SIZE`.split(/\s+/),
  ...TELEMETRY_VARIABLES,
];

/** Of those, the ones that name files with certificates. */
export const CLOSED_VARIABLES: readonly string[] = [
  "ISTIO_META_TLS_*",
  "OTEL_EXPORTER_OTLP_*CERTIFICATE",
  "OTEL_EXPORTER_OTLP_*CLIENT_KEY",
];

/** Fields of the proxy's configuration in `PROXY_CONFIG`. The others name a program, a file or another trust. */
export const PROXY_CONFIG_FIELDS: readonly string[] =
  `clusterName concurrency controlPlaneAuthPolicy discoveryAddress drainDuration
  envoyAccessLogService envoyMetricsService extraStatTags fileFlushInterval fileFlushMinSizeKb gatewayTopology
  holdApplicationUntilProxyStarts image interceptionMode meshId parentShutdownDuration proxyAdminPort proxyHeaders
  proxyMetadata proxyStatsMatcher runtimeValues sds serviceCluster statNameLength statsdUdpAddress statusPort
  terminationDrainDuration tracing tracingServiceName zipkinAddress`.split(/\s+/);

/** The mounts of the proxy: `path=volume`, each of a volume that may be there. */
export const PROXY_MOUNTS: ReadonlySet<string> = new Set(
  `/etc/certs=istio-certs /etc/istio/pod=istio-podinfo
  /etc/istio/proxy=istio-envoy /etc/istio/proxy=istio-xds /run/secrets/workload-spiffe-uds=workload-socket
  /var/lib/istio/data=istio-data /var/run/secrets/credential-uds=credential-socket
  /var/run/secrets/istio=istiod-ca-cert /var/run/secrets/istio/crl=istio-ca-crl /var/run/secrets/tokens=istio-token
  /var/run/secrets/workload-spiffe-credentials=workload-certs
  /var/run/secrets/workload-spiffe-credentials=gke-workload-certificate
  /var/run/secrets/workload-spiffe-uds=workload-socket`.split(/\s+/),
);

/** The volumes that are the proxy's own: what it proves its identity with, and where it keeps what it is told. */
export const IDENTITY_VOLUMES: readonly string[] =
  `credential-socket gke-workload-certificate istio-certs istio-data istio-envoy
  istio-podinfo istio-token istio-xds workload-certs workload-socket`.split(/\s+/);
