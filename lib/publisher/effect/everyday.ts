// What an edit may change without a person's word: a closed list, as data. A write or an input that is not here, or that gets another
// value than its rule admits, waits. What the classes in effects.ts say of an edit are headings for people.
import { type JsonValue, memoizeObject, textOf } from "@outrigger/base";
import { isQuantity, quantityThousandths } from "@outrigger/pod";

/** Which values may come in the place of another by themselves. */
interface Rule {
  /** `from 10m to 8`: completes "may become". */
  readonly doc: string;
  readonly admits: (after: JsonValue, before: JsonValue | undefined) => boolean;
}

const LEVELS = "trace debug info warning warn error critical none off fatal".split(" ");
const LEVEL = `(?:${LEVELS.join("|")})`;

function matching(doc: string, pattern: RegExp): Rule {
  return { doc, admits: (after) => typeof after === "string" && pattern.test(after) };
}

function whole(least: number, most: number): Rule {
  const admits = (after: JsonValue) => Number.isInteger(after) && Number(after) >= least && Number(after) <= most;
  return { doc: `a whole number from ${least} to ${most}`, admits };
}

function quantity(least: string, most: string): Rule {
  const [from, to] = [quantityThousandths(least), quantityThousandths(most)];
  const admits = (after: JsonValue) => {
    const text = typeof after === "number" ? String(after) : textOf(after);
    if (text === undefined || !isQuantity(text)) return false;
    const amount = quantityThousandths(text);
    return amount >= from && amount <= to;
  };
  return { doc: `from ${least} to ${most}`, admits };
}

function oneOf(...values: readonly JsonValue[]): Rule {
  return { doc: values.map((value) => JSON.stringify(value)).join(", "), admits: (after) => values.includes(after) };
}

const LOG_LEVEL = matching("a log level", new RegExp(`^${LEVEL}$`));
const COMPONENT_LEVELS = matching("log levels by component", new RegExp(`^[\\w-]+:${LEVEL}(?:,[\\w-]+:${LEVEL})*$`));
const SWITCH = oneOf(true, false);
const SECONDS = /^(\d{1,5})(ms|s|m)$/;
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 };

const DURATION: Rule = {
  doc: "a duration of at most an hour",
  admits: (after) => {
    const [, count = "", unit = ""] = SECONDS.exec(textOf(after) ?? "") ?? [];
    return count !== "" && Number(count) * (UNITS[unit] ?? Number.NaN) <= 3600;
  },
};

const TAG: Rule = {
  doc: "a tag",
  admits: (after) =>
    (typeof after === "string" || typeof after === "number") && /^\w[\w.-]{0,127}$/.test(String(after)),
};

const SAME_REPOSITORY: Rule = {
  doc: "another tag or digest of the same repository",
  admits: (after, before) => {
    const name = taggedName(after);
    return name !== undefined && name === taggedName(before);
  },
};

/** Host, path, tag and digest. Source: the grammar of the distribution project. */
const IMAGE =
  /^((?:[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d+)?\/)?[a-z\d]+(?:[._/-]+[a-z\d]+)*)((?::\w[\w.-]{0,127})?(?:@sha256:[a-f\d]{64})?)$/;

/** The name of an image that has a tag or a digest. */
function taggedName(image: JsonValue | undefined): string | undefined {
  const [, name, version] = IMAGE.exec(textOf(image) ?? "") ?? [];
  return version === "" ? undefined : name;
}

const CPU_LIMIT = quantity("10m", "8");
const CPU_REQUEST = quantity("1m", "2");
const MEMORY_LIMIT = quantity("64Mi", "8Gi");
const MEMORY_REQUEST = quantity("16Mi", "2Gi");

const RESOURCES = {
  "limits.cpu": CPU_LIMIT,
  "limits.memory": MEMORY_LIMIT,
  "requests.cpu": CPU_REQUEST,
  "requests.memory": MEMORY_REQUEST,
};

const PROBES = {
  failureThreshold: whole(1, 3600),
  initialDelaySeconds: whole(0, 600),
  periodSeconds: whole(1, 600),
  successThreshold: whole(1, 10),
  timeoutSeconds: whole(1, 600),
};

type Table = Readonly<Record<string, Rule>>;

/** Fields of pods, by their path; `*` is any name. `images` are those that annotations may choose another type of. */
export const EVERYDAY_WRITES: Table = {
  "spec.*[*].image": SAME_REPOSITORY,
  "images.*": SAME_REPOSITORY,
  ...within("spec.*[*].resources", RESOURCES),
  ...within("spec.*[*].startupProbe", PROBES),
  ...within("spec.*[*].readinessProbe", PROBES),
  ...within("spec.*[*].livenessProbe", PROBES),
  "spec.*[*].env[*LOG_LEVEL].value": LOG_LEVEL,
  "metadata.labels.*": matching("another value of a label", /^(?:[a-z\d](?:[\w.-]{0,61}[a-z\d])?)?$/i),
  "metadata.annotations.*": matching("another value of an annotation", /^[\w .,:/-]{0,200}$/),
};

/** Values and fields of the mesh by which the shipped templates are tuned, where no text of the tree's own reads them. */
export const EVERYDAY_INPUTS: Table = {
  "values.global.tag": TAG,
  "values.global.logAsJson": SWITCH,
  "values.global.imagePullPolicy": oneOf("", "Always", "IfNotPresent"),
  "values.global.logging.level": COMPONENT_LEVELS,
  "values.global.proxy.logLevel": LOG_LEVEL,
  "values.global.proxy.componentLogLevel": COMPONENT_LEVELS,
  ...within("values.global.proxy.resources", RESOURCES),
  ...within("values.global.proxy_init.resources", RESOURCES),
  "values.global.proxy.startupProbe.enabled": SWITCH,
  "values.global.proxy.startupProbe.failureThreshold": whole(1, 3600),
  "values.global.proxy.readinessInitialDelaySeconds": whole(0, 600),
  "values.global.proxy.readinessPeriodSeconds": whole(1, 600),
  "values.global.proxy.readinessFailureThreshold": whole(1, 3600),
  "values.global.proxy.holdApplicationUntilProxyStarts": SWITCH,
  "mesh.defaultConfig.concurrency": whole(0, 64),
  "mesh.defaultConfig.drainDuration": DURATION,
  "mesh.defaultConfig.terminationDrainDuration": DURATION,
  "mesh.defaultConfig.holdApplicationUntilProxyStarts": SWITCH,
  "mesh.defaultConfig.tracing.sampling": {
    doc: "a percentage",
    admits: (after) => typeof after === "number" && after >= 0 && after <= 100,
  },
};

function within(path: string, rules: Table): Table {
  return Object.fromEntries(Object.entries(rules).map(([field, rule]) => [`${path}.${field}`, rule]));
}

/** Labels and annotations with a prefix have a controller that obeys them; these select pods. */
const OBEYED = /\/|^(?:app|version|k8s-app|job-name|controller-uid|pod-template-hash|controller-revision-hash)$/;

/** Whether a field may get another value by itself: both are known, and neither is new or gone. */
export function isEverydayWrite(path: string, after: JsonValue | undefined, before: JsonValue | undefined): boolean {
  if (after === undefined || before === undefined) return false;
  const [, key] = /^metadata\.(?:labels|annotations)(?:\.([\w-]+)|\[.*\])$/.exec(path) ?? [];
  if (path.startsWith("metadata.") && (key === undefined || OBEYED.test(key))) return false;
  return rulesFor(EVERYDAY_WRITES, path).some(({ admits }) => admits(after, before));
}

/** Whether a value or a field of the mesh may get another value by itself: one that goes away takes its default, which is not known here. */
export function isEverydayInput(path: string, after: JsonValue | undefined, before: JsonValue | undefined): boolean {
  return after !== undefined && rulesFor(EVERYDAY_INPUTS, path).some(({ admits }) => admits(after, before));
}

function rulesFor(table: Table, path: string): readonly Rule[] {
  return patternsOf(table).flatMap(([pattern, rule]) => (pattern.test(path) ? [rule] : []));
}

/** Each difference of an edit is looked up. */
const patternsOf = memoizeObject((table: Table) =>
  Object.entries(table).map(([path, rule]) => [asPattern(path), rule] as const),
);

function asPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.[\]]/g, "\\$&").replaceAll("*", "[\\w-]+")}$`);
}
