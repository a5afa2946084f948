// No annotation can make a request cost more than a multiple of its characters. Searches for the one that costs the most: of many, those
// that cost the most for each character are changed and tried again. Counts how often blocks of the product's code run, as
// growth.test.ts does, so that the answer is the same on every machine. OUTRIGGER_COST_GENERATIONS searches longer.
import { Session } from "node:inspector/promises";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandler } from "../../../functions/inject/index.ts";
import { pick, randomOf } from "../../../test/support/random.ts";
import { below, damagedText } from "../../fuzz/damage.ts";
import { TEXTS } from "../../fuzz/pods.ts";

/** The blocks of code that a request may run whatever is in it, and that each character of an annotation may add. */
const BASE = 40_000;
const PER_CHARACTER = 30;

/** The approximate number of characters of each annotation that is tried: enough for constant costs not to count. */
const LENGTH = 3000;
const GENERATIONS = Number(process.env["OUTRIGGER_COST_GENERATIONS"] ?? 4);
const CHILDREN = 30;
const SURVIVORS = 6;

interface Tried {
  readonly key: string;
  readonly text: string;
  readonly work: number;
}

describe("a request with an annotation", () => {
  const session = new Session();
  let handler: ReturnType<typeof createHandler>;

  beforeAll(async () => {
    handler = createHandler({ release: compileRelease([await readSourceTree("templates")]), write: () => undefined });
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }, 120_000);

  afterAll(async () => {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  });

  async function tryOne(key: string, text: string): Promise<Tried> {
    const object = {
      metadata: { name: "web", annotations: { [key]: text } },
      spec: { containers: [{ name: "app", image: "app" }] },
    };
    const request = { uid: "u", namespace: "shop", object };
    const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
    const requestContext = { http: { method: "POST", path: "/inject" } };
    await handler({ rawPath: "/inject", headers: { "content-type": "application/json" }, requestContext, body });
    // Ends this count and begins the next: what the search does in between is no code of the product.
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const blocks = result.filter(({ url }) => url.includes("/lib/")).flatMap(({ functions }) => functions);
    const work = blocks.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
    return { key, text, work };
  }

  it("costs no more than its characters allow, whatever a search for the costliest finds", async () => {
    const random = randomOf(1);
    const repeated = (text: string, separator: string) =>
      Array.from({ length: Math.ceil(LENGTH / (text.length + 1)) }, () => text).join(separator);
    const changed = (text: string) => {
      const damaged = damagedText(text.slice(0, 2 * LENGTH), random, TOKENS);
      return random() < 0.5 ? damaged : repeated(damaged.slice(0, 1 + below(random, 60)), pick(random, SEPARATORS));
    };
    // Begins the first count.
    await tryOne("example.com/first", "x");
    let best: readonly Tried[] = [];
    for (const key of TEXTS.annotations) {
      for (const text of [repeated(pick(random, TEXTS.texts), pick(random, SEPARATORS)), nested(random() < 0.5)])
        best = costliest([...best, await tryOne(key, text)]);
    }
    for (let generation = 0; generation < GENERATIONS; generation++) {
      for (let child = 0; child < CHILDREN; child++) {
        const { key, text } = pick(random, best);
        best = costliest([...best, await tryOne(key, changed(text))]);
      }
    }
    expect(best.length).toBe(SURVIVORS);
    for (const { key, text, work } of best) {
      expect(work, `${key}: ${text.slice(0, 100)}`).toBeLessThanOrEqual(BASE + PER_CHARACTER * text.length);
    }
  });
});

const TOKENS = ["{", "}", "[", "]", ",", ":", '"', "\n", "- ", "&a ", "*a", "  ", "null", "1e9", "/", "."];
const SEPARATORS = [",", "\n", "", " ", "},{", "\n  "];

function nested(isMap: boolean): string {
  return isMap
    ? `${'{"a":'.repeat(LENGTH / 6)}1${"}".repeat(LENGTH / 6)}`
    : `${"[".repeat(LENGTH / 2)}${"]".repeat(LENGTH / 2)}`;
}

/** Returns those whose characters cost the most, one for each annotation, so that the search does not end with the first that it finds. */
function costliest(tried: readonly Tried[]): readonly Tried[] {
  const cost = ({ text, work }: Tried) => (work - BASE) / (text.length + 100);
  const sorted = tried.toSorted((a, b) => cost(a) - cost(b));
  return [...new Map(sorted.map((each) => [each.key, each])).values()]
    .toSorted((a, b) => cost(b) - cost(a))
    .slice(0, SURVIVORS);
}
