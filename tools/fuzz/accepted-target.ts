// The target about pods that an API server accepts, with templates that publish: what comes out is accepted too, or it is
// a denial that names a value of the pod's author that is wrong, or a failure that names the template that is. A second injection changes nothing, and what is injected after
// another configuration is what would have been injected without it.

import type { JsonObject } from "@outrigger/base";
import { OutriggerError, once } from "@outrigger/base";
import type { Injector, SourceTree } from "@outrigger/injector";
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { validatePod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { changedByWebhooks } from "../../test/support/changed-by-others.ts";
import { podGenerator } from "../../test/support/generated-pods.ts";
import { generatedTree } from "../../test/support/generated-trees.ts";
import { randomOf } from "../../test/support/random.ts";
import { below } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { undocumentedDifference } from "./undocumented-difference.ts";
import { wrongBlame } from "./whose-fault.ts";

/** Compiling a tree takes as long as a hundred pods: so many trees serve so many seeds, and then others do. */
const TREES = 8;
const SEEDS = 20_000;
/** The share of pods that are injected a second time with the same tree, and of those with another one. */
const TWICE = 0.3;
const AFTER = 0.15;
/** Injecting the samples is most of the time of compiling: one is enough for a template that is known to publish. */
const SAMPLE = "samples/plain-pod";

export const ACCEPTED_PODS = "accepted-pods";

interface Accepted {
  /** The seed of the tree. */
  readonly tree: number;
  readonly pod: JsonObject;
  readonly isTwice: boolean;
  /** The seed of a tree that injects the pod before. */
  readonly before?: number;
}

export async function acceptedTarget(): Promise<FuzzTarget> {
  const shipped = Object.entries(await readSourceTree("templates"));
  const layer = Object.fromEntries(shipped.filter(([path]) => !path.startsWith("samples/") || path === SAMPLE));
  const makePod = once(podGenerator);
  const injectors = new Map<number, Injector>();

  function injectorOf(tree: number): Injector {
    const known = injectors.get(tree);
    if (known !== undefined) return known;
    if (injectors.size >= TREES) injectors.clear();
    const injector = loadRelease(publishedRelease(layer, tree));
    injectors.set(tree, injector);
    return injector;
  }

  return {
    name: ACCEPTED_PODS,
    share: 0,
    isJson: true,
    make: (random, seed): Accepted => {
      const treeOf = (): number => 1 + TREES * Math.floor(seed / SEEDS) + below(random, TREES);
      const input = { tree: treeOf(), pod: makePod()(random) as JsonObject, isTwice: random() < TWICE };
      return random() < AFTER ? { ...input, before: treeOf() } : input;
    },
    faultOf: async (input) => {
      const { tree, pod, isTwice, before } = input as Accepted;
      const injector = injectorOf(tree);
      const injected = injectAccepted(injector, pod);
      if (injected === undefined || "fault" in injected) return injected?.fault;
      const fault = isTwice
        ? (secondFault(injector, injected.pod) ?? betweenFault(injector, injected.pod, tree))
        : undefined;
      return fault ?? (before === undefined ? undefined : afterFault(injector, injectorOf(before), pod, injected.pod));
    },
  };
}

/** Returns a release of a generated tree; where one cannot be published, the next is tried. */
function publishedRelease(layer: SourceTree, tree: number) {
  for (let attempt = 0; ; attempt++) {
    try {
      return compileRelease([layer, generatedTree(randomOf(tree + attempt * 1_000_003))]);
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
    }
  }
}

const injection = (injector: Injector, pod: Pod) => injectPod(injector, { pod, namespace: "shop", parameters: {} });

/** The injected pod, undefined for one that is not injected or whose failure names who is at fault, or what is wrong. */
function injectAccepted(injector: Injector, pod: Pod): { pod: Pod } | { fault: string } | undefined {
  let injected: Pod;
  try {
    const result = injection(injector, pod);
    if (!result.injected) return undefined;
    injected = result.pod;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const fault = wrongBlame(error, pod, (other) => {
      const result = injection(injector, other);
      return result.injected ? result.pod : undefined;
    });
    return fault === undefined ? undefined : { fault };
  }
  const [violation] = validatePod(injected, { isTemplate: true });
  return violation === undefined ? { pod: injected } : { fault: `${violation.path} ${violation.message}` };
}

function secondFault(injector: Injector, injected: Pod): string | undefined {
  const again = injection(injector, injected);
  return again.injected && again.patch.length > 0 ? `changes again: ${again.patch[0]?.path}` : undefined;
}

/** Returns a fault if the third call changes what another webhook added between two calls. */
function betweenFault(injector: Injector, injected: Pod, seed: number): string | undefined {
  const changed = changedByWebhooks(injected, randomOf(seed));
  const again = injectAccepted(injector, changed);
  if (again === undefined) return "is denied after another webhook";
  if ("fault" in again) return `after another webhook, ${again.fault}`;
  const namesOf = ({ spec }: Pod) =>
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((one) => one.name);
  const lost = namesOf(changed).find((name) => !namesOf(again.pod).includes(name));
  if (lost !== undefined) return `loses ${lost} after another webhook`;
  const third = secondFault(injector, again.pod);
  return third === undefined ? undefined : `after another webhook, ${third}`;
}

/** Returns a fault if an injection with another configuration leaves a trace that the documentation does not list. */
function afterFault(injector: Injector, other: Injector, author: Pod, once: Pod): string | undefined {
  const before = injectAccepted(other, author);
  if (before === undefined || "fault" in before) return before?.fault;
  const after = injection(injector, before.pod);
  if (!after.injected) return `is not injected after another configuration: ${after.reason}`;
  const difference = undocumentedDifference(once, after.pod, author, before.pod);
  return difference === undefined ? undefined : `differs after another configuration: ${difference}`;
}
