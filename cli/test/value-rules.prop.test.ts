// One meaning has one rule at every door: annotations, values, --set, the mesh configuration and the ProxyConfig of a pod.
import { annotationRules, type JsonObject, type JsonValue, objectOf, ownError } from "@outrigger/base";
import { compileRelease, injectPod, lintSource, loadRelease, type SourceTree, valuesSchema } from "@outrigger/injector";
import { readMeshConfig, type ValueRule } from "@outrigger/mesh";
import { formatYaml } from "@outrigger/yaml";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../test/support/shipped-tree.ts";
import { parseSet } from "../options/values-options.ts";

type Texts = fc.Arbitrary<string>;

interface Meaning {
  readonly values?: readonly string[];
  /** Fields of a ProxyConfig: in mesh's defaultConfig, and in the annotation. */
  readonly proxy?: readonly string[];
  readonly mesh?: readonly string[];
  readonly right: Texts;
  readonly wrong: Texts;
}

const from = (...texts: readonly string[]) => fc.constantFrom(...texts);
const joined = (items: Texts, separator: string, least = 1) =>
  fc.array(items, { minLength: least, maxLength: 4 }).map((all) => all.join(separator));
/** A text with something at its end, in its middle or before it that makes it wrong. */
const spoilt = (right: Texts, ...spoilers: readonly string[]) =>
  fc.tuple(right, from(...spoilers)).map(([a, b]) => a + b);
const letters = (chars: string, minLength: number, maxLength: number) =>
  fc.string({ unit: from(...chars), minLength, maxLength });
const whole = (min: number, max: number) => fc.integer({ min, max }).map(String);
const NO_NUMBERS = from(
  "",
  " ",
  "x",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  "1_000",
  "yes",
  "null",
  "８０",
  "٣",
  "80;90",
  "8 0",
  "1".repeat(400),
);
const SPACES = from("a b", " a", "a ", "a\t", "a\nb", "\u00a0", "a\u2003b", "\u3000");

const portList = joined(
  fc.tuple(from("", " ", "\t"), whole(0, 65535)).map((pair) => pair.join("")),
  ",",
);
const range = fc
  .tuple(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }), fc.integer({ min: 0, max: 32 }))
  .map(([octets, bits]) => `${octets.join(".")}/${bits}`);
const rangeList = joined(fc.oneof(range, from("::/0", "fe80::/10", "2001:db8::1/128")), ",");
const wrongPorts = fc.oneof(
  spoilt(portList, ";80", ",x", ",65536", ",-1", ",", ",,1", ",0x10", ",1.5", ",*", ",８０", " 1"),
  from("x", "http", "80-90", "yes", "1_000"),
);
const wrongRanges = fc.oneof(
  spoilt(rangeList, "/", ",x", ", 10.0.0.0/8", ",10.0.0.0/33", ",10.0.0.0", ",", ",01.0.0.0/8", ",*", ",::/129", "0x"),
  from("x", "10.0.0.0", "10.0.0.0/99", "１０.0.0.0/8"),
);
const label = letters("abcXYZ019", 1, 20);
const domains = joined(label, ".");
const wrongDomains = fc.oneof(
  spoilt(domains, "..", "_", " a", "-", "/a", ":1", "é", ".-a", `.${"a".repeat(64)}`),
  SPACES,
);
const host = joined(letters("abcxyz", 1, 10), ".");
const addresses = fc.tuple(fc.oneof(host, from("10.0.0.1", "[::1]")), whole(1, 65535)).map((pair) => pair.join(":"));
const wrongAddresses = fc.oneof(
  fc
    .tuple(host, from("", ":", ":0", ":65536", ":x", ":80:80", ":８０", "/a:80", " :80", "_:80"))
    .map((p) => p.join("")),
  from(":80", "::1:80", "https://a:80", "a b:80", "a.1:80"),
);
const version = letters("abz019._-", 0, 20).map((rest) => `v${rest}`);
const path = joined(letters("abz019", 1, 8), "/");
const levels = ["trace", "debug", "info", "warning", "warn", "error", "critical", "off"];
const digest = letters("0123456789abcdef", 64, 64);
const wrongImages = fc.oneof(
  spoilt(
    path.map((each) => `registry.example/${each}`),
    "/",
    ":",
    "@",
    ":a b",
    ":-",
    "@sha256:12",
    "/Upper",
    "//a",
    " ",
    `:${"a".repeat(129)}`,
  ),
  from("Upper", "a b", "https://a/b", "proxyv2:1", "proxyv2@sha256:0", " ", "..", "é"),
);
const seconds = fc.tuple(whole(1, 3599), from("s", "m")).map((pair) => pair.join(""));
const noDurations = from("x", "5", "", "-5s", "5 s", "5d", "1h5", "５s", " 5s", "5s ", "s", "1.5.5s", "yes", "0x5s");

/** By the rule's name. What Istio accepts and refuses was written down apart from the table that is tested. */
const MEANINGS: Readonly<Partial<Record<ValueRule, Meaning>>> = {
  portOrNone: {
    values: ["global.proxy.statusPort", "global.sts.servicePort"],
    right: fc.oneof(whole(0, 65535), from("08", "00080", " 80", "80 ", "\u300080")),
    wrong: fc.oneof(whole(65536, 9_999_999), NO_NUMBERS),
  },
  port: {
    mesh: ["proxyListenPort"],
    proxy: ["statusPort", "proxyAdminPort"],
    right: whole(1, 65535),
    wrong: fc.oneof(whole(65536, 9_999_999), NO_NUMBERS, from("0", "08")),
  },
  ports: {
    values: ["excludeInboundPorts", "includeOutboundPorts", "excludeOutboundPorts"].map(
      (name) => `global.proxy.${name}`,
    ),
    right: portList,
    wrong: fc.oneof(wrongPorts, from("*")),
  },
  allOrPorts: {
    values: ["global.proxy.includeInboundPorts"],
    right: fc.oneof(portList, from("*", "")),
    wrong: fc.oneof(wrongPorts, from("**", "*,80", " *")),
  },
  ranges: { values: ["global.proxy.excludeIPRanges"], right: rangeList, wrong: fc.oneof(wrongRanges, from("*")) },
  allOrRanges: {
    values: ["global.proxy.includeIPRanges"],
    right: fc.oneof(rangeList, from("*", "")),
    wrong: fc.oneof(wrongRanges, from("**", "*,::/0", " *")),
  },
  seconds: {
    values: ["InitialDelay", "Period"].map((name) => `global.proxy.readiness${name}Seconds`),
    right: whole(0, 2 ** 31),
    wrong: fc.oneof(NO_NUMBERS, from("4294967296", " 1", "2s")),
  },
  quantity: {
    values: ["global.proxy.resources.requests.cpu", "global.proxy.resources.limits.memory"],
    right: fc.tuple(whole(1, 9999), from("", "m", "k", "Ki", "Mi", "Gi", ".5", "e2")).map((pair) => pair.join("")),
    wrong: fc.oneof(
      spoilt(whole(1, 99), "KB", " Gi", "Mb", "x", "１", "%", "\n", ",5"),
      from("", " ", "lots", "yes", "0x10"),
    ),
  },
  level: {
    values: ["global.proxy.logLevel"],
    right: from("", ...levels),
    wrong: fc.oneof(
      letters("xyz", 1, 9),
      SPACES,
      spoilt(from(...levels), " ", "s", ",info", ":x"),
      from("INFO", "fatal", "0", "yes"),
    ),
  },
  componentLevels: {
    values: ["global.proxy.componentLogLevel"],
    right: joined(
      fc.tuple(letters("abz_", 1, 9), from(...levels)).map((pair) => pair.join(":")),
      ",",
      0,
    ),
    wrong: fc.oneof(
      joined(from("misc", "misc:", ":info", "misc:loud", "a:b:info", " misc:info"), ",").filter((text) => text !== ""),
      SPACES,
    ),
  },
  agentLevels: {
    values: ["global.logging.level"],
    right: joined(
      fc
        .tuple(from("", "default:", "all:", "ads:"), from("debug", "info", "warn", "error", "none"))
        .map((p) => p.join("")),
      ",",
    ),
    wrong: fc.oneof(
      joined(from("loud", "default:", ":info", "default:loud", "a:b:info", " info", "INFO"), ","),
      SPACES,
      from("", ",info"),
    ),
  },
  image: {
    values: ["global.proxy.image", "global.proxy_init.image"],
    right: fc.oneof(
      letters("abz019", 1, 20),
      fc.tuple(path, version).map(([a, b]) => `registry.example:5000/${a}:${b}`),
      fc.tuple(path, digest).map(([a, b]) => `registry.example/${a}@sha256:${b}`),
      from("", "localhost/a", "Registry.example/a"),
    ),
    wrong: wrongImages,
  },
  imageType: {
    values: ["global.variant"],
    proxy: ["image.imageType"],
    right: fc.oneof(letters("abz019-_.", 1, 20), from("", "distroless", "debug", "default")),
    wrong: fc.oneof(SPACES, spoilt(letters("abz", 1, 9), ":", "/", "@", "é", " ", "\n", "+"), from("x".repeat(101))),
  },
  interceptionMode: {
    proxy: ["interceptionMode"],
    right: from("REDIRECT", "TPROXY", "NONE"),
    wrong: fc.oneof(
      letters("RETNO", 1, 3),
      SPACES,
      from("", "redirect", "0", "1", "TPROXI", "yes", "REDIRECT ", "ＮＯＮＥ"),
    ),
  },
  boolean: {
    right: from("1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"),
    wrong: fc.oneof(letters("xyzn", 1, 6), SPACES, from("", "yes", "no", "tRUE", " true", "2")),
  },
  interfaces: {
    right: joined(letters("abz", 1, 15), ","),
    wrong: fc.oneof(spoilt(letters("abz", 1, 5), ",", ",1", ", ,", "a b", "é", "/"), from("0", "-", "a".repeat(16))),
  },
  address: {
    proxy: ["discoveryAddress", "statsdUdpAddress", "envoyMetricsService.address", "tracing.lightstep.address"],
    right: addresses,
    wrong: wrongAddresses,
  },
  addressOrNone: { values: ["global.caAddress"], right: fc.oneof(addresses, from("")), wrong: wrongAddresses },
  collector: {
    proxy: ["tracing.zipkin.address", "tracing.datadog.address"],
    right: fc.oneof(addresses, from("$(HOST_IP):9411")),
    wrong: fc.oneof(wrongAddresses, from("$(NODE_IP):9411", "$(HOST_IP)", "$HOST_IP:1")),
  },
  wholeSeconds: {
    proxy: ["drainDuration"],
    right: seconds,
    wrong: fc.oneof(
      noDurations,
      from("0s", "1.5s", "1us", "100ms"),
      whole(1, 999).map((each) => `${each}ms`),
    ),
  },
  delay: {
    proxy: ["terminationDrainDuration"],
    right: fc.oneof(seconds, from("0s", "1.5s", "1us")),
    wrong: fc.oneof(
      noDurations,
      whole(-9999, -1).map((each) => `${each}ms`),
    ),
  },
  duration: {
    mesh: ["connectTimeout"],
    right: fc.oneof(
      whole(1, 3600).map((each) => `${each}s`),
      from("1ms", "1.5s"),
    ),
    wrong: fc.oneof(
      noDurations,
      whole(1, 999).map((each) => `${each}us`),
    ),
  },
  domain: {
    values: ["global.proxy.clusterDomain"],
    mesh: ["trustDomain"],
    right: domains,
    wrong: fc.oneof(wrongDomains, from("")),
  },
  domainOrNone: { values: ["global.trustDomain"], right: fc.oneof(domains, from("")), wrong: wrongDomains },
  hub: {
    values: ["global.hub"],
    right: fc.oneof(
      path,
      path.map((each) => `Registry.example:5000/${each}`),
    ),
    wrong: fc.oneof(spoilt(path, "/", ":", " ", "/Upper", "//a", "@"), SPACES, from("", "https://a", "a/b:1", "é")),
  },
  tag: {
    values: ["global.tag"],
    right: fc.oneof(version, whole(1, 99), from("1.5", "_a")),
    wrong: fc.oneof(spoilt(version, " ", ":", "/", "@", "é", "+", "\n"), SPACES, from("", "-a", ".a", "a".repeat(129))),
  },
  clusterName: {
    values: ["global.multiCluster.clusterName"],
    right: fc.oneof(letters("abZ019-_:/.", 1, 30), from("", "arn:aws:eks:eu-west-1:1:cluster/a")),
    wrong: fc.oneof(spoilt(letters("abz", 0, 9), " ", "\t", "\n", "\u0000", "\u00a0", "\u200b", "\u2003x"), SPACES),
  },
  network: {
    values: ["global.network"],
    right: fc.oneof(letters("abZ019", 1, 63), from("", "a-b_c.d")),
    wrong: fc.oneof(spoilt(letters("abz", 0, 9), "-", "_", "/", " ", "é", "."), SPACES, from("a".repeat(64), "-a")),
  },
  pullPolicy: {
    values: ["global.imagePullPolicy"],
    right: from("", "Always", "IfNotPresent", "Never"),
    wrong: fc.oneof(letters("abz", 1, 9), SPACES, from("always", "IfNotPresnt", "Never ", "yes", "0")),
  },
};

const TEXTS = 50;
let shipped: SourceTree;
const injector = loadRelease(compileRelease([{ "templates/sidecar": "spec: {}" }]));
beforeAll(async () => {
  shipped = await shippedTreeUntried();
});

/** What is said of a text, from behind the name of its place; undefined where it is accepted. */
type Door = (texts: readonly string[]) => readonly (string | undefined)[];

function annotationDoor(key: string, around: (text: string) => string, place: string): Door {
  return (texts) =>
    texts.map((text) => {
      const annotations = { [key]: around(text) };
      const pod = { metadata: { annotations }, spec: { containers: [{ name: "web", image: "web" }] } };
      return saidOf(() => injectPod(injector, { pod, namespace: "shop", parameters: {} }), place);
    });
}

function saidOf(run: () => unknown, place: string): string | undefined {
  try {
    run();
    return undefined;
  } catch (cause) {
    const { message } = ownError(cause);
    expect(message).toContain(place);
    return message.slice(message.indexOf(place) + place.length);
  }
}

/** Each text in a file of its own: all of them are linted at once. */
function valuesDoor(place: string, around: (text: string) => JsonValue): Door {
  return (texts) => {
    const files = texts.map((text, at) => [`values/${100 + at}`, formatYaml(around(text))] as const);
    const { findings } = lintSource([shipped, Object.fromEntries(files)], true);
    return files.map(([file]) => {
      const [found, ...others] = findings.filter(({ severity, path }) => severity === "error" && path === file);
      expect(others).toEqual([]);
      return found?.message.slice(`Cannot use ${file}: values.${place} `.length);
    });
  };
}

const asSetText = (text: string) => text.replaceAll(/[\\,{}]/g, "\\$&");

function nested(place: string, value: JsonValue): JsonValue {
  return place.split(".").reduceRight((inner: JsonValue, key) => ({ [key]: inner }), value);
}

/** What else a field needs to be valid. */
function proxyConfig(field: string, text: string): JsonValue {
  return field.startsWith("tracing.lightstep.")
    ? { tracing: { lightstep: { address: text, accessToken: "a" } } }
    : nested(field, text);
}

function doorsOf(
  rule: ValueRule,
  { values = [], proxy = [], mesh = [] }: Meaning,
): readonly (readonly [string, Door])[] {
  const keys = [...annotationRules].flatMap(([key, each]) => (each === rule ? [key] : []));
  const inMesh =
    (place: string, around: (text: string) => JsonValue): Door =>
    (texts) =>
      texts.map((text) => saidOf(() => readMeshConfig([JSON.stringify(around(text))], "mesh"), `${place} `));
  return [
    ...keys.map((key) => [key, annotationDoor(key, (text) => text, `Annotation ${key} `)] as const),
    ...values.flatMap((place) => [
      [`values.${place}`, valuesDoor(place, (text) => nested(place, text))] as const,
      [`--set ${place}`, valuesDoor(place, (text) => parseSet([`${place}=${asSetText(text)}`]))] as const,
    ]),
    ...mesh.map((place) => [`mesh ${place}`, inMesh(place, (text) => nested(place, text))] as const),
    ...proxy.flatMap((field) => [
      [
        `mesh defaultConfig.${field}`,
        inMesh(`defaultConfig.${field}`, (text) => ({ defaultConfig: proxyConfig(field, text) })),
      ] as const,
      [
        `proxy.istio.io/config ${field}`,
        annotationDoor("proxy.istio.io/config", (text) => JSON.stringify(proxyConfig(field, text)), `: ${field} `),
      ] as const,
    ]),
  ];
}

/** What --set reads as no text: it deletes, or is a list. */
const isDeletion = (door: string, text: string) => door.startsWith("--set ") && text === "null";

describe("one rule for one meaning", () => {
  it.each(Object.entries(MEANINGS) as readonly (readonly [ValueRule, Meaning])[])(
    "answers the same of %s at every door",
    (rule, meaning) => {
      const doors = doorsOf(rule, meaning);
      expect(doors.length).toBeGreaterThan(0);
      const sampled = (texts: Texts) => fc.sample(texts, { numRuns: TEXTS, seed: 61 });
      for (const [kind, texts] of [
        ["right", sampled(meaning.right)],
        ["wrong", sampled(meaning.wrong)],
      ] as const) {
        const answers = doors.map(([name, door]) => [name, door(texts)] as const);
        for (const [at, text] of texts.entries()) {
          const said = answers.flatMap(([name, all]) => (isDeletion(name, text) ? [] : [[name, all[at]] as const]));
          const [, first] = said[0] ?? [];
          expect({ rule, kind, text, accepted: first === undefined }).toEqual({
            rule,
            kind,
            text,
            accepted: kind === "right",
          });
          expect(said).toEqual(said.map(([name]) => [name, first]));
        }
      }
    },
  );

  it("is asked of every rule of an annotation", () => {
    const missing = [...annotationRules.values()].filter((rule) => rule !== "proxyConfig" && !(rule in MEANINGS));
    expect(missing).toEqual([]);
  });
});

describe("the schema of values", () => {
  let whole: JsonObject;
  beforeAll(() => {
    whole = valuesSchema(compileRelease([shipped]).values);
  });
  const schemaAt = (place: string): JsonObject =>
    place.split(".").reduce((schema, key) => objectOf(objectOf(schema["properties"])[key]) as JsonObject, whole);
  const takes = ({ pattern, enum: choices }: JsonObject, text: string) =>
    Array.isArray(choices) ? choices.includes(text) : new RegExp(String(pattern), "u").test(text);

  const described = Object.values(MEANINGS).flatMap(({ values = [], right, wrong }) =>
    values.map((place) => [place, right, wrong] as const),
  );

  it.each(described)("takes every right text of %s, and refuses many wrong ones", (place, right, wrong) => {
    const schema = schemaAt(place);
    expect([schema["pattern"], schema["enum"]]).not.toEqual([undefined, undefined]);
    const sampled = (texts: Texts) => fc.sample(texts, { numRuns: TEXTS, seed: 61 });
    expect(sampled(right).filter((text) => !takes(schema, text))).toEqual([]);
    expect(sampled(wrong).filter((text) => !takes(schema, text)).length).toBeGreaterThan(TEXTS / 5);
  });
});
