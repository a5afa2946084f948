// The target about pods that an API server accepts, with templates that publish: what comes out is accepted too, or it is
// a denial that names what the pod's author can change. And a second injection changes nothing.
import { outcomeOf } from "../../lib/admission/outcome.ts";
import { OutriggerError } from "../../lib/errors.ts";
import { injectPod } from "../../lib/inject/inject-pod.ts";
import type { Injector } from "../../lib/inject/injector.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Pod } from "../../lib/kube/pod-types.ts";
import { validatePod } from "../../lib/kube/validate/validate-pod.ts";
import { once } from "../../lib/once.ts";
import { compileRelease } from "../../lib/release/compile-release.ts";
import { loadRelease } from "../../lib/release/load-release.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import { readSourceTree } from "../../lib/source/source-directory.ts";
import { podGenerator } from "../support/generated-pods.ts";
import { generatedTree } from "../support/generated-trees.ts";
import { randomOf } from "../support/random.ts";
import { below } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";

/** Compiling a tree takes as long as a hundred pods: so many trees serve so many seeds, and then others do. */
const TREES = 16;
const SEEDS = 20_000;
/** How often the pod is injected a second time. */
const TWICE = 0.3;
/** Injecting the samples is most of the time of compiling: one is enough for a template that is known to publish. */
const SAMPLE = "samples/plain-pod";

export const ACCEPTED_PODS = "accepted-pods";

interface Accepted {
  /** The seed of the tree. */
  readonly tree: number;
  readonly pod: JsonObject;
  readonly isTwice: boolean;
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
    make: (random, seed): Accepted => ({
      tree: 1 + TREES * Math.floor(seed / SEEDS) + below(random, TREES),
      pod: makePod()(random) as JsonObject,
      isTwice: random() < TWICE,
    }),
    faultOf: async (input) => {
      const { tree, pod, isTwice } = input as Accepted;
      return faultOf(injectorOf(tree), pod, isTwice);
    },
  };
}

/** Not every generated tree publishes: then it is another one. */
function publishedRelease(layer: SourceTree, tree: number) {
  for (let attempt = 0; ; attempt++) {
    try {
      return compileRelease([layer, generatedTree(randomOf(tree + attempt * 1_000_003))]);
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
    }
  }
}

function faultOf(injector: Injector, pod: Pod, isTwice: boolean): string | undefined {
  let injected: Pod;
  try {
    const result = injectPod(injector, { pod, namespace: "shop", parameters: {} });
    if (!result.injected) return undefined;
    injected = result.pod;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const { kind } = outcomeOf(error);
    const isAuthors = kind === "denied" && /^(?:metadata|spec)\b/.test(error.path ?? "");
    return isAuthors ? undefined : `${error.code} at ${error.path}: ${error.message}`;
  }
  const [violation] = validatePod(injected, { isTemplate: true });
  if (violation !== undefined) return `${violation.path} ${violation.message}`;
  if (!isTwice) return undefined;
  const again = injectPod(injector, { pod: injected, namespace: "shop", parameters: {} });
  return again.injected && again.patch.length > 0 ? `changes again: ${again.patch[0]?.path}` : undefined;
}
