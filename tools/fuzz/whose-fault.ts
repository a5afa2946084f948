// Whose fault it is that a pod cannot be injected, found out apart from the product: by putting right what the pod's author answers for.
import { isObject, metadataKeys, OutriggerError } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { outcomeOf } from "@outrigger/serving";
import { NAMES, READ_LABEL, RIGHT_TEXTS } from "../../test/support/generated-pods.ts";

/** Injects a pod; undefined for one that is let through as it is. */
type Inject = (pod: Pod) => Pod | undefined;

/**
 * Returns what is wrong with the error of an injection; undefined where it names who is at fault. An author answers for an annotation or
 * label that is documented or read by its key, for the fields of an injected container that the pod names, and for a volume with the name
 * of the proxy's token: a denial names one of these, and does not come again once it is right. Everything else is the operator's, so the call fails, and it fails too where all of
 * these are right.
 */
export function wrongBlame(error: OutriggerError, pod: Pod, inject: Inject): string | undefined {
  const said = `${error.code} at ${error.path}: ${error.message}`;
  const injected = injectedNames(pod, inject);
  if (outcomeOf(error).kind === "denied") {
    const corrected = withoutFault(pod, error.path ?? "", injected);
    if (corrected === undefined) return `is denied for what its author does not answer for: ${said}`;
    const again = errorOf(corrected, inject);
    const isSame = again !== undefined && again.path === error.path && outcomeOf(again).kind === "denied";
    return isSame ? `is denied for what is right: ${again.message}` : undefined;
  }
  if (error.code !== "overlay-invalid") return said;
  if (!/; correct (?:template|partial) "/.test(error.message)) return `does not name the template: ${said}`;
  const again = errorOf(allRight(pod, injected), inject);
  const isStill = again !== undefined && outcomeOf(again).kind !== "denied";
  return isStill ? undefined : `blames the template for what its author can put right: ${said}`;
}

function errorOf(pod: Pod, inject: Inject): OutriggerError | undefined {
  try {
    inject(pod);
    return undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return error;
    throw error;
  }
}

const LISTS = ["containers", "initContainers"] as const;
type List = (typeof LISTS)[number];

/** The names of the containers that the templates of a pod bring, by list. */
type InjectedNames = Readonly<Record<List, ReadonlySet<string>>>;

/** Undefined where the templates cannot be injected into any pod, as two that have one name in both lists. */
function injectedNames(pod: Pod, inject: Inject): InjectedNames | undefined {
  const { metadata } = pod;
  const bare: Pod = {
    metadata: {
      ...metadata,
      name: "app",
      annotations: rightTexts(metadata?.annotations),
      labels: rightLabels(metadata?.labels),
    },
    spec: { containers: [{ name: "bare-app", image: "app" }] },
  };
  if (errorOf(bare, inject) !== undefined) return undefined;
  const made = inject(bare);
  const namesIn = (list: List) => new Set(made?.spec?.[list]?.map(({ name }) => name));
  return { containers: namesIn("containers"), initContainers: namesIn("initContainers") };
}

/** An author may name it in the wrong list, and answers for that too. */
function isInjected(names: InjectedNames | undefined, name: string): boolean {
  if (names === undefined) return NAMES.includes(name);
  return LISTS.some((each) => names[each].has(name));
}

/** The pod with the part put right that a denial names; undefined for a part that its author does not answer for. */
function withoutFault(pod: Pod, path: string, names: InjectedNames | undefined): Pod | undefined {
  const entry = /^metadata\.(annotations|labels)\["(.+)"\]$/.exec(path);
  if (entry !== null) {
    const [, field, key] = entry as unknown as readonly [string, "annotations" | "labels", string];
    const { [key]: text, ...others } = pod.metadata?.[field] ?? {};
    if (text === undefined || !isAnswered(key)) return undefined;
    const right = field === "labels" ? rightLabels({ [key]: text }) : rightTexts({ [key]: text });
    return withMetadata(pod, { [field]: { ...others, ...(right[key] !== text && right) } });
  }
  if (path === "spec.volumes") return withoutTokenVolume(pod);
  const [only, ...others] = pod.spec?.containers ?? [];
  if (path === "spec.containers" && others.length === 0 && only && isInjected(names, only.name)) {
    return { ...pod, spec: { ...pod.spec, containers: [only, { name: "added-app", image: "app" }] } };
  }
  const [, list, at, field] = /^spec\.(containers|initContainers)\[(\d+)\](?:\.(\w+))?/.exec(path) ?? [];
  const container = list && pod.spec?.[list as List]?.[Number(at)];
  if (!container || !isInjected(names, container.name)) return undefined;
  return withContainers(pod, (each) =>
    each === container ? ({ ...each, [field ?? ""]: field === "name" ? "own-name" : undefined } as Container) : each,
  );
}

/** The volume that has the proxy's token. */
const TOKEN = "istio-token";

/** The pod with another name for its volume that has the name of the proxy's token; undefined where it has none. */
function withoutTokenVolume(pod: Pod): Pod | undefined {
  const volumes = pod.spec?.volumes ?? [];
  if (!volumes.some(({ name }) => name === TOKEN)) return undefined;
  const renamed = volumes.map((each) => (each.name === TOKEN ? { ...each, name: "own-token" } : each));
  return { ...pod, spec: { containers: [], ...pod.spec, volumes: renamed } };
}

const DOCUMENTED: ReadonlySet<string> = new Set(Object.values(metadataKeys));

function isAnswered(key: string): boolean {
  return DOCUMENTED.has(key) || Object.hasOwn(RIGHT_TEXTS, key) || key === READ_LABEL;
}

/** The pod with everything right that its author answers for. */
function allRight(pod: Pod, names: InjectedNames | undefined): Pod {
  const { annotations, labels } = pod.metadata ?? {};
  const right = withMetadata(pod, { annotations: rightTexts(annotations), labels: rightLabels(labels) });
  if (names === undefined) return right;
  let count = 0;
  return withContainers(right, (each) =>
    isObject(each) && isInjected(names, each.name) ? { name: `own-${++count}`, image: each.image ?? "app" } : each,
  );
}

type Texts = Readonly<Record<string, string>>;

/** Annotations that no text is right for in each pod: it may have such a volume, or have bounded its CPU. */
const LEFT_OUT: readonly string[] = [
  metadataKeys.userVolume,
  metadataKeys.userVolumeMount,
  "sidecar.istio.io/proxyCPU",
  "sidecar.istio.io/proxyCPULimit",
];

function rightTexts(texts: Texts = {}): Texts {
  const kept = Object.entries(texts).filter(([key]) => !LEFT_OUT.includes(key));
  return Object.fromEntries(kept.map(([key, text]) => [key, RIGHT_TEXTS[key] ?? text]));
}

function rightLabels(texts: Texts = {}): Texts {
  return Object.hasOwn(texts, READ_LABEL) ? { ...texts, [READ_LABEL]: "web" } : texts;
}

function withMetadata(pod: Pod, metadata: Pod["metadata"]): Pod {
  return { ...pod, metadata: { ...pod.metadata, ...metadata } };
}

function withContainers(pod: Pod, change: (container: Container) => Container): Pod {
  const { containers = [], initContainers, ...spec } = pod.spec ?? {};
  return {
    ...pod,
    spec: {
      ...spec,
      containers: containers.map(change),
      ...(initContainers && { initContainers: initContainers.map(change) }),
    },
  };
}
