// Resources of a whole pod: what it requests where only its limits, or only its containers, say so.
import { isObject, type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { quantityText, quantityThousandths } from "../quantity/compare-quantities.ts";
import { canonicalQuantity, isQuantity } from "../quantity/quantity.ts";

type Amounts = Readonly<Record<string, string>>;

/**
 * The resources of the pod with the limits and requests that follow from its containers. Limits of huge pages are those of the
 * containers. Where the pod has limits, it requests what the containers request, and its limits otherwise. Where it has requests only,
 * it is limited in what every container is limited in.
 *
 * Source: `defaultHugePagePodLimits`, `defaultPodRequests` and `defaultPodLimits` of Kubernetes' core/v1.
 *
 * @param spec of a pod that has `resources`, with the defaults of its containers
 */
export function defaultedPodResources(spec: JsonObject): JsonObject {
  const resources = objectOf(spec["resources"]);
  const requests = amountsIn(resources, "requests");
  const own = amountsIn(resources, "limits");
  if (isEmpty(own) && isEmpty(requests)) return resources;
  const pages = Object.entries(totalOf(spec, "limits", isHugePage)).filter(([name]) => requests[name] === undefined);
  const limits = { ...Object.fromEntries(pages), ...own };
  if (!isEmpty(limits))
    return { ...resources, limits, requests: { ...limits, ...totalOf(spec, "requests", isShared), ...requests } };
  const common = onlyCommon(spec, totalOf(spec, "limits", isShared));
  return isEmpty(common) ? resources : { ...resources, limits: common };
}

/** Resources of which a node promises more than it has. */
function isShared(name: string): boolean {
  return name === "cpu" || name === "memory";
}

function isHugePage(name: string): boolean {
  return name.startsWith("hugepages-");
}

type Part = "limits" | "requests";

function amountsIn(resources: JsonObject, part: Part): Amounts {
  const { [part]: amounts } = resources;
  return isObject(amounts) ? (amounts as Amounts) : {};
}

function isEmpty(amounts: object): boolean {
  return Object.keys(amounts).length === 0;
}

/** Of what every container is limited in. */
function onlyCommon({ containers, initContainers }: JsonObject, amounts: Amounts): Amounts {
  const all = [...objectsOf(containers), ...objectsOf(initContainers)];
  const isCommon = (name: string) =>
    all.every((each) => amountsIn(objectOf(each["resources"]), "limits")[name] !== undefined);
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => isCommon(name)));
}

/**
 * The amounts that a pod takes, by resource: its own where it has any, or what its containers need at once.
 *
 * Source: `PodRequests` and `PodLimits` of Kubernetes' component-helpers, by which quotas count.
 */
export function podAmounts(spec: JsonObject, part: Part): Amounts {
  return { ...totalOf(spec, part, () => true), ...amountsIn(objectOf(spec["resources"]), part) };
}

/**
 * What the containers need at once: all that run at the same time, or one init container with the native sidecars that have started
 * before it.
 */
function totalOf(
  { containers, initContainers }: JsonObject,
  part: Part,
  isCounted: (name: string) => boolean,
): Amounts {
  const amountsOf = (container: JsonObject) => amountsIn(objectOf(container["resources"]), part);
  const all = [...objectsOf(initContainers), ...objectsOf(containers)].flatMap((each) => Object.keys(amountsOf(each)));
  return Object.fromEntries(
    [...new Set(all)].filter(isCounted).flatMap((name) => {
      const written: string[] = [];
      const amount = (container: JsonObject): bigint => {
        const text = amountsOf(container)[name];
        if (text === undefined || !isQuantity(text)) return 0n;
        written.push(text);
        return quantityThousandths(text);
      };
      let sidecars = 0n;
      let most = 0n;
      for (const each of objectsOf(initContainers)) {
        const own = amount(each);
        if (each["restartPolicy"] === "Always") sidecars += own;
        most = larger(most, each["restartPolicy"] === "Always" ? sidecars : sidecars + own);
      }
      const together = objectsOf(containers).reduce((sum, each) => sum + amount(each), sidecars);
      const [first] = written;
      return first === undefined ? [] : [[name, textOf(larger(most, together), first)]];
    }),
  );
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** The amount in the suffixes of another quantity: of powers of two, or of ten. */
function textOf(thousandths: bigint, like: string): string {
  const isBinary = quantityText(like).endsWith("i") && thousandths % 1_024_000n === 0n;
  return canonicalQuantity(isBinary ? `${thousandths / 1_024_000n}Ki` : `${thousandths}m`);
}
