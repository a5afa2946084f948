// What comes of pods that an API server accepts, with templates that publish: a pod that it accepts too, or a denial that
// names what its author can change. And a second injection changes nothing.
// `OUTRIGGER_ACCEPTED_RUNS=1000000 npx vitest run --project property accepted-pods` tries more pods, from the seed
// OUTRIGGER_ACCEPTED_SEED on; a run of one repeats a seed.
import { beforeAll, describe, expect, it } from "vitest";
import { podGenerator } from "../../test/support/generated-pods.ts";
import { generatedTree } from "../../test/support/generated-trees.ts";
import { pick, type Random, randomOf } from "../../test/support/random.ts";
import { outcomeOf } from "../admission/outcome.ts";
import type { OutriggerError } from "../errors.ts";
import type { Pod } from "../kube/pod-types.ts";
import { validatePod } from "../kube/validate/validate-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { readSourceTree } from "../source/source-directory.ts";
import { injectPod } from "./inject-pod.ts";
import type { Injector } from "./injector.ts";

const RUNS = Number(process.env["OUTRIGGER_ACCEPTED_RUNS"] ?? 1000);
const FIRST_SEED = Number(process.env["OUTRIGGER_ACCEPTED_SEED"] ?? 1);
const TREES = 16;
const SAMPLE = "samples/plain-pod";

let injectors: readonly Injector[];
let makePod: (random: Random) => Pod;

beforeAll(async () => {
  const shipped = Object.entries(await readSourceTree("templates"));
  // Injecting the samples is most of the time of compiling: one of each kind that the pieces distinguish is enough.
  const layer = Object.fromEntries(shipped.filter(([path]) => !path.startsWith("samples/") || path === SAMPLE));
  injectors = Array.from({ length: TREES }, (_, at) =>
    loadRelease(compileRelease([layer, generatedTree(randomOf(at + 1))])),
  );
  makePod = podGenerator();
}, 60_000);

function inject(injector: Injector, pod: Pod): Pod | undefined {
  const result = injectPod(injector, { pod, namespace: "shop", parameters: {} });
  return result.injected ? result.pod : undefined;
}

/** What is wrong with what comes of the pod of a seed. */
function faultOf(seed: number): string | undefined {
  const random = randomOf(seed);
  const injector = pick(random, injectors);
  const pod = makePod(random);
  try {
    const injected = inject(injector, pod);
    if (injected === undefined) return undefined;
    const [violation] = validatePod(injected, { isTemplate: true });
    if (violation !== undefined) return `${violation.path} ${violation.message}`;
    const again = injectPod(injector, { pod: injected, namespace: "shop", parameters: {} });
    return again.injected && again.patch.length > 0 ? `changes again: ${again.patch[0]?.path}` : undefined;
  } catch (error) {
    const { kind } = outcomeOf(error);
    const { message, path = "" } = error as OutriggerError;
    return kind === "denied" && /^(?:metadata|spec)\b/.test(path) ? undefined : message;
  }
}

describe("a pod that an API server accepts", () => {
  it("is accepted when it is injected, or denied for a field of its author's, and a second injection is empty", () => {
    const faults: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS && faults.length < 12; seed++) {
      const fault = faultOf(seed);
      if (fault !== undefined) faults.push(`seed ${seed}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});
