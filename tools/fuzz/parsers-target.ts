// The target of small parsers: each is given damaged text of its own language, and either returns or throws an error with a
// code. What it accepts and can write again, it must read as the same.

import { readRecord, unpackParts } from "@outrigger/aws";
import { jsonEqual, OutriggerError, once } from "@outrigger/base";
import { importTemplate } from "@outrigger/import";
import { compileRelease, fromStored, injectPod, loadRelease, toStored } from "@outrigger/injector";
import { isQuantity, keepStoredForm } from "@outrigger/pod";
import { parseManifest, parsePublisherRequest, readChannelRecord } from "@outrigger/publisher";
import { type AdmitRequest, admit, parseClusterRecord, parseHead } from "@outrigger/serving";
import { parseSettings } from "@outrigger/webhook";
import { formatYaml, parseYaml, parseYamlDocuments } from "@outrigger/yaml";
import { pick } from "../../test/support/random.ts";
import { damagedText, MARKER } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";

interface Parser {
  /** Texts that it reads. */
  readonly samples: readonly string[];
  /** Reads a text, or promises to. May throw an OutriggerError; a returned text says what is wrong. */
  readonly read: (text: string) => unknown;
}

const YAML = [
  "a: &x [1, 'b', \"c\\n\"]\nb: *x\nc: >-\n  folded\n  text\nd: |\n  literal\n? key\n: value\ne: {f: null, g: ~, h: 0x1F}\n",
  "kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\n...\n",
  "!!map {!!str a: !!int 1, <<: {b: 2}}\n",
];
/** Makes a pod with this quantity, which is stored in its canonical text and compared by it. */
const withCpu = (cpu: string) => ({ spec: { overhead: { cpu } } });
const DIGEST = "0123456789abcdef0123456789abcdef";
const CLUSTER = `{"revisions":{"default":"stable"},"arn":"arn:aws:eks:eu-west-1:1:cluster/a","network":"n","tokens":[{"sha256":"${DIGEST}${DIGEST}","created":"2026-01-02T03:04:05Z"}],"kubernetesVersion":"1.33"}`;
const parameter = (value: string) => ({ name: "/outrigger/test/x", value, type: "String", version: 1 }) as const;

const SIDECAR = `spec:
  volumes: {{userVolumes (lookup metadata.annotations "sidecar.istio.io/userVolume")}}
  containers:
  - name: istio-proxy
    image: proxy
    volumeMounts: {{userVolumeMounts (lookup metadata.annotations "sidecar.istio.io/userVolumeMount")}}
`;
const injector = once(() => loadRelease(compileRelease([{ "templates/sidecar": SIDECAR }])));

/** Injects a pod with annotations: their values are read on the way. */
function injectWith(annotations: Readonly<Record<string, string>>): void {
  const pod = { metadata: { name: "web", annotations }, spec: { containers: [{ name: "web", image: "web" }] } };
  injectPod(injector(), { pod, namespace: "shop", parameters: {} });
}

const parsers: Readonly<Record<string, Parser>> = {
  yaml: { samples: YAML, read: (text) => faultOfYaml(text) },
  documents: { samples: YAML, read: (text) => void parseYamlDocuments(text, "fuzz") },
  quantity: {
    samples: ["100m", "1.5Gi", "1e3", "-5k", "+.5", "12345678901234567890Ei"],
    read: (text) => isQuantity(text) && void keepStoredForm(withCpu(text), withCpu("1")),
  },
  duration: {
    samples: ["10s", "1m30s", "-1.5h", "0", "300ms1us"],
    read: (text) => injectWith({ "proxy.istio.io/config": JSON.stringify({ drainDuration: text }) }),
  },
  timeout: {
    samples: ["10s", "1m30s", "500ms"],
    read: (text) => answered({ query: { timeout: text } }),
  },
  route: {
    samples: ["/inject", `/t/${DIGEST}/inject/cluster/a/net/b`, "/t/x/r/canary/inject", "/inject/%41=%42"],
    read: (text) => answered({ path: text }),
  },
  review: {
    samples: [
      '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","object":{"kind":"Pod"}}}',
    ],
    read: (text) => answered({ body: text }),
  },
  "proxy-config": {
    samples: [
      "concurrency: 2\nproxyMetadata: {A: b}\ntracing: {zipkin: {address: 'a:1'}, sampling: 1.5}\nimage: {imageType: debug}\n",
      "drainDuration: 45s\nholdApplicationUntilProxyStarts: true\nreadinessProbe: {httpGet: {path: /, port: 1}}\n",
    ],
    read: (text) => injectWith({ "proxy.istio.io/config": text }),
  },
  annotations: {
    samples: ["100m", "true", "80,90", "*", "10.0.0.0/8,::/0", "REDIRECT", "istio-envoy=x"],
    read: (text) => {
      const keys = ["sidecar.istio.io/proxyCPU", "traffic.sidecar.istio.io/includeInboundPorts"];
      const others = ["traffic.sidecar.istio.io/includeOutboundIPRanges", "sidecar.istio.io/interceptionMode"];
      for (const key of [...keys, ...others]) tolerate(() => injectWith({ [key]: text }));
    },
  },
  "user-volumes": {
    samples: ['[{"name":"v","hostPath":{"path":"/v"}}]', '{"v":{"emptyDir":{}}}', '{"v":{"mountPath":"/v"}}'],
    read: (text) => {
      tolerate(() => injectWith({ "sidecar.istio.io/userVolume": text }));
      injectWith({ "sidecar.istio.io/userVolumeMount": text });
    },
  },
  cluster: { samples: [CLUSTER], read: (text) => void parseClusterRecord(json(text), "fuzz") },
  channel: {
    samples: ['{"release":"0123456789ab","history":[{"release":"0123456789ab","at":"2026-01-02T03:04:05Z","by":"a"}]}'],
    read: (text) => void readChannelRecord(parameter(text)),
  },
  request: {
    samples: [
      '{"action":"publish","channel":"stable","cause":{"by":"a","message":"b"}}',
      `{"action":"put-cluster","cluster":"east","record":${CLUSTER},"cause":{"by":"a"}}`,
      '{"action":"rollback","channel":"stable","release":"0123456789ab","cause":{"by":"a"}}',
    ],
    read: (text) => void parsePublisherRequest(json(text)),
  },
  head: { samples: [`{"digest":"${DIGEST}","parts":3,"seq":7}`], read: (text) => void parseHead(text, "fuzz") },
  parts: {
    samples: [`${DIGEST} 0/1 GwEA`],
    read: (text) => void unpackParts([text], DIGEST, "fuzz"),
  },
  record: { samples: ['{"a":[1,"b"]}', YAML[0] as string], read: (text) => void readRecord(parameter(text)) },
  manifest: {
    samples: [`{"digest":"${DIGEST}","state":"done","at":"2026-01-02T03:04:05Z"}`],
    read: (text) => void parseManifest(parameter(text)),
  },
  settings: {
    samples: ['{"failurePolicy":"Ignore","timeoutSeconds":10,"revision":"default","namespaces":["a"]}'],
    read: (text) => void parseSettings(text),
  },
  tags: {
    samples: [
      "a: {{values.b}}\n{{#if c}}x{{else}}y{{/if}}\n",
      "a: <% values.b %>",
      "{{{{raw}}}} {{! <% }}",
      "a: { b: { } }",
    ],
    read: (text) => {
      const stored = toStored(text, "fuzz");
      return fromStored(stored, "fuzz") === text ? undefined : "the text is another after it was stored and read";
    },
  },
  import: {
    samples: [
      '{{- $a := index .ObjectMeta.Annotations "b" }}\nspec:\n  containers:\n  - name: a\n    image: {{ if eq $a "x" }}{{ .Values.global.hub }}{{ else }}b{{ end }}\n{{- range $k, $v := .Values.c }}\n    {{ $k }}: {{ $v | quote }}\n{{- end }}\n',
    ],
    read: (text) => void importTemplate("agent", text, "fuzz"),
  },
};

const tokens = [
  ..."{}[]\"',:\n\t -#&*!|>%@`?~=/\\.<>()$".split(""),
  "{{", "}}", "<%", "%>", "---\n", "__proto__", "constructor", "null", "1e999", "-0", "NaN", "0x", "9".repeat(40),
  "\u0000", "\u2028", "\ud800", "\ufeff", "é", "&a ", "*a", "<<: *a", "!!binary ", "$patch", MARKER, "[".repeat(500),
]; // biome-ignore format: a table

interface Sent {
  readonly parser: string;
  readonly text: string;
}

export const parsersTarget: FuzzTarget = {
  name: "parsers",
  share: 52,
  make: (random): Sent => {
    const parser = pick(random, Object.keys(parsers));
    return { parser, text: damagedText(pick(random, parsers[parser]?.samples ?? []), random, tokens) };
  },
  faultOf: async (input) => {
    const { parser, text } = input as Sent;
    const fault = await tolerateLater(() => parsers[parser]?.read(text));
    return typeof fault === "string" ? fault : undefined;
  },
};

function tolerate(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof OutriggerError && error.message !== "") return undefined;
    throw error;
  }
}

const REVIEW =
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","object":{"kind":"Pod"}}}';

/** Returns what is wrong with the answer to a request: any request gets an answer that says whose fault it is. */
async function answered(request: Partial<AdmitRequest>): Promise<string | undefined> {
  let timeout: number | undefined;
  const find = (call: { readonly timeout: number }) => {
    timeout = call.timeout;
    return { inject: () => ({ injected: false, reason: "opted-out", message: "" }) as const, release: "fuzz" };
  };
  const headers = { "content-type": "application/json" };
  const { log } = await admit(
    { method: "POST", path: "/inject", query: {}, headers, body: REVIEW, ...request },
    { find, now: () => 0 },
  );
  if (timeout === undefined || !(timeout > 0)) return `${timeout} ms`;
  return log.reason === "bug" ? "it is answered as a bug" : undefined;
}

async function tolerateLater(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return tolerate(() => {
      throw error;
    });
  }
}

function faultOfYaml(text: string): string | undefined {
  const value = parseYaml(text, "fuzz");
  if (typeof value !== "object" || value === null) return undefined;
  const written = formatYaml(value);
  return jsonEqual(parseYaml(written, "fuzz"), value)
    ? undefined
    : `it is another when it is written and read again: ${written.slice(0, 300)}`;
}

/** Parses JSON. A decoder is not at fault for text that is not JSON. */
function json(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new OutriggerError("usage", "It is not JSON");
  }
}
