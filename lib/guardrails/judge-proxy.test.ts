// The containers of the mesh part by part: what each may have, and what another container may not share with the proxy.
import type { JsonObject, JsonValue } from "@outrigger/base";
import { UNKNOWN } from "@outrigger/template";
import { describe, expect, it } from "vitest";
import { injectionPowers } from "./injection-powers.ts";
import { isProxyVariable } from "./judge-proxy.ts";

const app = { name: "app", image: "registry.example/app:1" };

interface Given {
  /** What the author wrote of the container. */
  readonly mine?: JsonObject;
  readonly theirVolumes?: readonly JsonObject[];
  readonly volumes?: readonly JsonObject[];
  readonly others?: readonly JsonObject[];
}

/** What an injection of a container reports of it, images aside. */
function powersOf(container: object, { mine, theirVolumes = [], volumes = [], others = [] }: Given = {}) {
  const powers = injectionPowers(
    { metadata: {}, spec: { containers: [app, ...(mine ? [mine] : [])], volumes: theirVolumes } },
    {
      metadata: {},
      spec: { containers: [app, container as JsonObject, ...others], volumes: [...theirVolumes, ...volumes] },
    },
  );
  return powers.filter(({ kind }) => kind !== "image");
}

const fieldsOf = (container: object, given?: Given) =>
  powersOf(container, given).flatMap(({ kind, value }) => (kind === "field" ? [value.replace(/^spec\.\w+/, "")] : []));

describe("the arguments of the proxy", () => {
  it.each<[readonly string[], readonly string[]]>([
    [[], []],
    // What it is to be is not said.
    [["proxy"], ["[1]"]],
    [["proxy", "sidecar"], []],
    [["proxy", "router"], []],
    [["proxy", "sidecar", "--domain", "a.svc", "--concurrency", "2"], []],
    [["proxy", "sidecar", "--domain=a.svc", "--proxyLogLevel=info"], []],
    [["proxy", "sidecar", "--log_as_json", "--domain", "a.svc"], []],
    // No word follows: the next flag is a flag.
    [["proxy", "sidecar", "--domain", "--log_as_json", "extra"], ["[4]"]],
    [["--domain", "a.svc"], []],
    [["envoy", "sidecar"], ["[0]"]],
    [["proxy", "evil"], ["[1]"]],
    [
      ["evil", "evil"],
      ["[0]", "[1]"],
    ],
    [["proxy", "sidecar", "extra"], ["[2]"]],
    [["proxy", "sidecar", "--log_as_json", "extra"], ["[3]"]],
    [["proxy", "sidecar", "--domain", "a.svc", "extra"], ["[4]"]],
    [["proxy", "sidecar", "--evil"], ["[--evil]"]],
    [
      ["proxy", "sidecar", "--evil=1", "-v"],
      ["[--evil]", "[-v]"],
    ],
    [
      ["proxy", "sidecar", "-p", "15001"],
      ["[-p]", "[3]"],
    ],
  ])("%j are known but for %j", (args, found) => {
    expect(fieldsOf({ name: "istio-proxy", args })).toEqual(found.map((each) => `[istio-proxy].args${each}`));
  });

  it("are another command's in istio-init and istio-validation", () => {
    const args = ["istio-iptables", "-p", "15001", "-x", "", "--run-validation", "--skip-rule-apply"];
    for (const name of ["istio-init", "istio-validation"]) {
      expect(fieldsOf({ name, args })).toEqual([]);
      expect(fieldsOf({ name, args: ["proxy", "--domain", "--evil"] })).toEqual(
        ["0", "--domain", "--evil"].map((arg) => `[${name}].args[${arg}]`),
      );
    }
  });

  it("are not judged where they are the author's, and all of them where one is another", () => {
    const mine = { name: "istio-proxy", image: "auto", args: ["mine"] };
    expect(fieldsOf({ ...mine, args: ["mine"] }, { mine })).toEqual([]);
    expect(fieldsOf({ ...mine, args: ["mine", "more"] }, { mine })).toEqual([
      "[istio-proxy].args[0]",
      "[istio-proxy].args[1]",
    ]);
  });
});

describe("the fields of the proxy", () => {
  const FREE = {
    args: ["proxy", "sidecar"],
    env: [],
    image: "a",
    imagePullPolicy: "Always",
    lifecycle: {},
    livenessProbe: {},
    ports: [],
    readinessProbe: {},
    resizePolicy: [],
    resources: {},
    restartPolicy: "Always",
    securityContext: {},
    startupProbe: {},
    terminationMessagePath: "/dev/log",
    terminationMessagePolicy: "File",
    volumeMounts: [],
  };

  it("are those that it needs", () => {
    expect(fieldsOf({ name: "istio-proxy", ...FREE })).toEqual([]);
  });

  it.each(["command", "workingDir", "envFrom", "stdin", "tty"])("are not %s, unless its author wrote it", (field) => {
    const container = { name: "istio-proxy", [field]: "x" };
    expect(powersOf(container)).toMatchObject([
      {
        kind: "field",
        value: `spec.containers[istio-proxy].${field}`,
        container: "istio-proxy",
        effect: "control-plane-address",
      },
    ]);
    expect(fieldsOf(container, { mine: { ...container, image: "auto" } })).toEqual([]);
    expect(fieldsOf({ ...container, name: "other" })).toEqual([]);
  });

  it("leave out what has no value", () => {
    expect(fieldsOf({ name: "istio-proxy", command: undefined })).toEqual([]);
  });
});

describe("the variables of the proxy", () => {
  it.each([
    ["CA_ADDR", "a", true],
    ["ISTIO_META_NETWORK", "a", true],
    ["ISTIO_META_TLS_CLIENT_KEY", "/a", false],
    ["OTEL_SERVICE_NAME", "a", true],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "a", true],
    ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/a", false],
    ["OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "/a", false],
    ["GODEBUG", "fips140=only", true],
    ["GODEBUG", "fips140=off", false],
    ["OUTPUT_CERTS", "/var/lib/istio/data", true],
    ["OUTPUT_CERTS", "/tmp", false],
    ["LD_PRELOAD", "/a", false],
    ["TZ", undefined, true],
    ["GODEBUG", undefined, false],
  ])("%s=%s: %s", (name, value, isKnown) => {
    expect(isProxyVariable(name, value)).toBe(isKnown);
    const env = [{ name, ...(value !== undefined && { value }) }];
    expect(fieldsOf({ name: "istio-proxy", env })).toEqual(isKnown ? [] : [`[istio-proxy].env[${name}]`]);
  });

  it.each<[string, readonly JsonObject[], boolean]>([
    ["a field of the pod", [{ name: "TZ", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }], true],
    ["a resource of the pod", [{ name: "TZ", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }], true],
    ["a Secret", [{ name: "TZ", valueFrom: { secretKeyRef: { name: "a", key: "b" } } }], false],
    ["a ConfigMap", [{ name: "TZ", valueFrom: { configMapKeyRef: { name: "a", key: "b" } } }], false],
    [
      "one before it",
      [
        { name: "POD_NAME", value: "a" },
        { name: "TZ", value: "x-$(POD_NAME)" },
      ],
      true,
    ],
    [
      "one after it",
      [
        { name: "TZ", value: "$(POD_NAME)" },
        { name: "POD_NAME", value: "a" },
      ],
      false,
    ],
    ["itself", [{ name: "TZ", value: "$(TZ)" }], false],
    ["one that is nowhere", [{ name: "TZ", value: "$(NOWHERE)" }], false],
    [
      "one before it and one that is nowhere",
      [
        { name: "CA_ADDR", value: "a" },
        { name: "TZ", value: "$(CA_ADDR)$(NO)" },
      ],
      false,
    ],
    ["dollar signs", [{ name: "TZ", value: "$$(NOWHERE) $x" }], true],
  ])("may have the value of %s: %#", (_what, env, isFree) => {
    expect(fieldsOf({ name: "istio-proxy", env })).toEqual(isFree ? [] : ["[istio-proxy].env[TZ]"]);
  });

  it("may not have the value of the author's, and are not judged where they are the author's", () => {
    const own = { name: "CA_ADDR", value: "own" };
    const evil = { name: "LD_PRELOAD", value: "/own" };
    const mine = { name: "istio-proxy", image: "auto", env: [own, evil] };
    const added = { name: "TZ", value: "$(CA_ADDR)" };
    expect(fieldsOf({ ...mine, env: [own, evil, added] }, { mine })).toEqual(["[istio-proxy].env[TZ]"]);
    expect(fieldsOf({ ...mine, env: [own, { ...evil }] }, { mine })).toEqual([]);
    expect(fieldsOf({ ...mine, env: [own, { ...evil, value: "/other" }] }, { mine })).toEqual([
      "[istio-proxy].env[LD_PRELOAD]",
    ]);
  });

  it("with a name that the pod decides are left to the injection of that pod", () => {
    expect(fieldsOf({ name: "istio-proxy", env: [{ name: UNKNOWN, value: "a" }] })).toEqual([]);
  });

  it("are said by their word, by which an author may ask for them", () => {
    expect(powersOf({ name: "istio-proxy", env: [{ name: "LD_PRELOAD", value: "a" }] })).toMatchObject([
      { word: "LD_PRELOAD", volume: undefined, effect: "control-plane-address" },
    ]);
  });
});

describe("the configuration of the proxy", () => {
  const AT = "[istio-proxy].env[PROXY_CONFIG].value";

  it.each<[string, readonly string[]]>([
    ["{}", []],
    ['{"discoveryAddress": "a:15012", "concurrency": 2}', []],
    ['{"proxyMetadata": {"ISTIO_META_A": "a", "GODEBUG": "fips140=only"}}', []],
    ['{"binaryPath": "/evil"}', [`${AT}.binaryPath`]],
    [
      '{"configPath": "/evil", "concurrency": 2, "customConfigFile": "/x"}',
      [`${AT}.configPath`, `${AT}.customConfigFile`],
    ],
    ['{"proxyMetadata": {"LD_PRELOAD": "/evil"}}', [`${AT}.proxyMetadata.LD_PRELOAD`]],
    ['{"proxyMetadata": {"GODEBUG": "x"}}', [`${AT}.proxyMetadata.GODEBUG`]],
    ["binaryPath: /evil", [AT]],
    ["[]", [AT]],
    [`{"binaryPath": "${UNKNOWN}"}`, []],
  ])("%s has %j", (value, found) => {
    expect(fieldsOf({ name: "istio-proxy", env: [{ name: "PROXY_CONFIG", value }] })).toEqual(found);
  });

  it("says the word of a field, and of a variable in it", () => {
    const value = '{"binaryPath": "/evil", "proxyMetadata": {"LD_PRELOAD": "/evil"}}';
    const words = powersOf({ name: "istio-proxy", env: [{ name: "PROXY_CONFIG", value }] }).map(({ word }) => word);
    expect(words).toEqual(["binaryPath", "LD_PRELOAD"]);
  });
});

describe("the mounts of the proxy", () => {
  const volumes = [
    { name: "istio-envoy", emptyDir: {} },
    { name: "own", emptyDir: {} },
  ];

  it.each([
    ["istio-envoy", "/etc/istio/proxy", true],
    ["istio-envoy", "/etc/istio/proxy/", true],
    ["istio-envoy", "/etc/other", false],
    ["own", "/etc/istio/proxy", false],
    ["own", "/own", false],
  ])("of %s at %s: %s", (name, mountPath, isKnown) => {
    const volumeMounts = [{ name, mountPath }];
    const powers = powersOf({ name: "istio-proxy", volumeMounts }, { volumes });
    const found = {
      kind: "field",
      value: `spec.containers[istio-proxy].volumeMounts[${mountPath}]`,
      volume: name,
      word: name,
      effect: "control-plane-address",
    };
    expect(powers).toMatchObject(isKnown ? [] : [found]);
    const mine = { name: "istio-proxy", image: "auto", volumeMounts };
    expect(powersOf({ ...mine, volumeMounts: [{ name, mountPath }] }, { volumes, mine })).toEqual([]);
  });

  it("of a volume of the author's are judged by what it is", () => {
    const theirVolumes = [{ name: "key", secret: { secretName: "key" } }];
    const volumeMounts = [{ name: "key", mountPath: "/own" }];
    expect(powersOf({ name: "istio-proxy", volumeMounts }, { theirVolumes })).toMatchObject([
      { kind: "secret", value: "key", effect: "identity-used" },
    ]);
  });
});

describe("the handlers of the proxy", () => {
  it.each<[readonly string[], boolean]>([
    [["pilot-agent", "wait"], true],
    [["pilot-agent", "request", "POST", "drain"], true],
    [["sleep", "5"], true],
    [["/bin/sleep", "10"], true],
    [["sleep", "5; evil"], false],
    [["sleep", ""], false],
    [["sleep"], false],
    [["pilot-agent", "evil"], false],
    [["pilot-agent-evil", "wait"], false],
    [["evil/bin/sleep", "5"], false],
    [["sh", "-c", "evil"], false],
    [[], false],
  ])("run %j: %s", (command, isKnown) => {
    const handler = { exec: { command } };
    const fields = ["livenessProbe", "readinessProbe", "startupProbe"];
    const container = {
      name: "istio-proxy",
      lifecycle: { postStart: handler, preStop: handler },
      ...Object.fromEntries(fields.map((field) => [field, handler])),
    };
    expect(fieldsOf(container)).toEqual(
      isKnown
        ? []
        : ["lifecycle.postStart", "lifecycle.preStop", ...fields].map((field) => `[istio-proxy].${field}.exec`),
    );
  });

  it("may ask the proxy itself", () => {
    expect(fieldsOf({ name: "istio-proxy", readinessProbe: { httpGet: { path: "/healthz", port: 15021 } } })).toEqual(
      [],
    );
  });
});

describe("the identity of the proxy in another container", () => {
  const token = (audience?: string) => ({
    projected: {
      sources: [{ configMap: { name: "a" } }, { serviceAccountToken: { path: "t", ...(audience && { audience }) } }],
    },
  });
  const mounting = (name: string): JsonObject => ({ name: "agent", volumeMounts: [{ name, mountPath: "/x" }] });
  const identitiesIn = (volume: JsonObject, given: Given = {}) =>
    powersOf(mounting(volume["name"] as string), { volumes: [volume], ...given }).filter(
      ({ kind }) => kind === "identity",
    );

  it.each<[string, JsonObject, boolean]>([
    ["a volume of the proxy's by its name", { name: "istio-token", emptyDir: {} }, true],
    ["its sockets", { name: "workload-socket", emptyDir: {} }, true],
    ["a driver of identities by another name", { name: "own", csi: { driver: "csi.spiffe.io" } }, true],
    ["another driver", { name: "own", csi: { driver: "csi.example" } }, false],
    ["a token for Istio's authority", { name: "own", ...token("istio-ca") }, true],
    ["a token for another audience", { name: "own", ...token("vault") }, false],
    ["a token for the API server", { name: "own", ...token() }, false],
    ["an empty folder", { name: "own", emptyDir: {} }, false],
  ])("is found in %s: %#", (_what, volume, isFound) => {
    const name = volume["name"] as string;
    expect(identitiesIn(volume)).toMatchObject(
      isFound
        ? [
            {
              kind: "identity",
              value: name,
              volume: name,
              container: "agent",
              at: ["spec", "containers", 1, "volumeMounts", 0],
            },
          ]
        : [],
    );
  });

  it("is a token for whom a token of the proxy's is for", () => {
    const volumes = [
      { name: "theirs", ...token("custom") },
      { name: "own", ...token("custom") },
    ];
    const proxyWith = (...names: readonly string[]) => ({
      name: "istio-proxy",
      volumeMounts: names.map((name) => ({ name, mountPath: "/x" })),
    });
    const found = (...names: readonly string[]) => {
      const powers = powersOf(mounting("own"), { volumes, others: [proxyWith(...names)] });
      return powers.filter(({ kind }) => kind === "identity").map(({ value }) => value);
    };
    expect(found("theirs")).toEqual(["own"]);
    expect(found()).toEqual([]);
    const named = [
      { name: "istio-token", ...token("custom") },
      { name: "own", ...token("custom") },
    ];
    expect(identitiesIn({ name: "own" }, { volumes: named })).toHaveLength(1);
  });

  it("is not judged in a volume or a mount of the author's, nor where nothing mounts it", () => {
    const volume = { name: "istio-token", emptyDir: {} };
    expect(identitiesIn(volume, { volumes: [], theirVolumes: [volume] })).toEqual([]);
    const mine = { ...mounting("istio-token"), image: "auto" };
    expect(powersOf(structuredClone(mine), { mine, volumes: [volume] })).toEqual([]);
    expect(powersOf({ name: "agent", volumeMounts: [] }, { volumes: [volume] })).toEqual([]);
    expect(powersOf({ name: "agent" }, { volumes: [volume] })).toEqual([]);
  });

  it("makes its holder one whose command line and fields nobody knows", () => {
    const container = { ...mounting("istio-token"), command: ["sh"], args: ["-c"] };
    const found = fieldsOf(container, { volumes: [{ name: "istio-token", emptyDir: {} }] });
    expect(found.toSorted()).toEqual(["[agent].args[-c]", "[agent].command", "[agent].volumeMounts[/x]"]);
    const other = { name: "agent", command: ["sh"] as JsonValue };
    expect(fieldsOf(other)).toEqual([]);
  });
});
