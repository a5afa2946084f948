// Pods that an API server accepts, injected, and then changed by any sequence of what others do: none of it is taken for a change
// of the release, and what a release changes is found as exactly that.
import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import { defaultedPod } from "@outrigger/fake-aws";
import { type Injector, injectPod, podChanges } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { changedByOthers, retagged } from "../../../test/support/changed-by-others.ts";
import { changedTrees } from "../../../test/support/changed-trees.ts";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { pick, randomOf } from "../../../test/support/random.ts";
import { type Judged, judgePod } from "./judge-pod.ts";

const RUNS = Number(process.env["OUTRIGGER_COMPARED_PODS"] ?? 30);
const FIRST_SEED = Number(process.env["OUTRIGGER_COMPARED_SEED"] ?? 1);
const SETTINGS: Settings = { channel: "stable", cluster: {}, parameters: { ISTIO_META_CLUSTER_ID: "east" } };
/** Settings with each of which the same release makes another pod. */
const OTHER_SETTINGS: readonly Settings[] = [
  { ...SETTINGS, parameters: { ISTIO_META_CLUSTER_ID: "west" } },
  { ...SETTINGS, cluster: { network: "west" } },
  { ...SETTINGS, cluster: { revision: "canary" } },
  { ...SETTINGS, cluster: { nativeSidecars: false } },
];
const MOST = 5;

interface Settings {
  readonly channel: string;
  readonly cluster: NonNullable<Parameters<typeof injectPod>[1]["cluster"]>;
  readonly parameters: Readonly<Record<string, string>>;
}

function injected(
  injector: Injector,
  pod: Pod,
  release: string | undefined,
  settings: Settings = SETTINGS,
): Pod | undefined {
  try {
    const request = { pod, namespace: "shop", ...settings, ...(release !== undefined && { release }) };
    const result = injectPod(injector, request);
    return result.injected ? result.pod : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

const judged = (
  pod: JsonObject,
  served: Injector,
  release: string,
  earlier: Injector | undefined,
  settings: Settings = SETTINGS,
): Promise<Judged> =>
  judgePod(pod, {
    servedFor: () => [{ ...settings, injector: served, release }],
    releaseOf: async () => earlier,
  });

/**
 * Whether a new pod would be denied, whichever of the two webhooks is called first, because of what another one has added since. A proxy of
 * the author's that is alone stays a container, with a restart policy of its own that no native sidecar can have; it is one once a
 * container comes to it, and the API server calls a webhook again for that.
 */
function isDeniedNow(injector: Injector, author: Pod, once: Pod, pod: JsonObject): boolean {
  const { containers = [], ...spec } = author.spec ?? {};
  const there = new Set(once.spec?.containers?.map(({ name }) => name));
  const added = (pod as unknown as Pod).spec?.containers?.filter(({ name }) => !there.has(name)) ?? [];
  // Its volumes come with it: its name is enough here.
  const bare = added.map(({ name, image }) => ({ name, ...(image !== undefined && { image }) }));
  const first = defaultedPod({ ...author, spec: { ...spec, containers: [...containers, ...bare] } });
  return added.length > 0 && [first, pod as unknown as Pod].every((each) => !injected(injector, each, "2"));
}

const changesOf = ({ verdict }: Judged) => ("changes" in verdict ? verdict.changes : [{ field: verdict.state }]);
const fieldsOf = (changes: readonly { readonly field: string }[]) => changes.map(({ field }) => field).toSorted();

describe("judgePod()", () => {
  it(`takes nothing that others did to ${RUNS} pods for a change, and finds what releases changed`, async () => {
    const [makePod, pairs] = [podGenerator(), await changedTrees()];
    const faults: string[] = [];
    let [compared, changed] = [0, 0];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS && faults.length < MOST; seed++) {
      const random = randomOf(seed);
      const { name, before, after } = pick(random, pairs);
      const isNoted = random() < 0.7;
      const made = defaultedPod(makePod(random));
      const author = { ...made, metadata: { ...made.metadata, namespace: "shop" } };
      const once = injected(before, author, isNoted ? "1" : undefined);
      const next = once && injected(after, author, undefined);
      if (once === undefined || next === undefined) continue;
      const pod = changedByOthers(once, random, isNoted);
      const known = isNoted ? before : undefined;
      const same = await judged(pod, before, "2", known);
      if (same.verdict.state === "refused") {
        if (!isDeniedNow(before, author, once, pod)) faults.push(`seed ${seed}, refused: a new pod would be injected`);
        continue;
      }
      if (same.verdict.state !== "current") faults.push(`seed ${seed}, the same: ${fieldsOf(changesOf(same))}`);
      const other = await judged(pod, after, "2", known);
      // Where the earlier release is not known, resources that were resized since cannot be compared.
      const isKnowable = ({ field }: { readonly field: string }) =>
        isNoted || !(field.includes(".resources.") && JSON.stringify(pod).includes('"subresource":"resize"'));
      const expected = fieldsOf(podChanges(once as JsonObject, next as JsonObject).filter(isKnowable));
      const found = other.verdict.state === "current" ? [] : fieldsOf(changesOf(other).filter(isKnowable));
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        faults.push(`seed ${seed}, ${name}, ${isNoted ? "noted" : "unknown"}: ${found} in place of ${expected}`);
      }
      compared++;
      if (expected.length > 0) changed++;
    }
    expect(faults).toEqual([]);
    expect(compared).toBeGreaterThan(RUNS / 2);
    expect(changed).toBeGreaterThan(RUNS / 4);
  });

  it(`takes none of ${RUNS} pods for current because of its record where a new one would differ`, async () => {
    const [makePod, pairs] = [podGenerator(), await changedTrees()];
    const faults: string[] = [];
    let [compared, changed] = [0, 0];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS && faults.length < MOST; seed++) {
      const random = randomOf(seed);
      const { before } = pick(random, pairs);
      const made = defaultedPod(makePod(random));
      const author = { ...made, metadata: { ...made.metadata, namespace: "shop" } };
      const [settings, once] = [pick(random, OTHER_SETTINGS), injected(before, author, "1")];
      const next = once && injected(before, author, "1", settings);
      if (once === undefined || next === undefined) continue;
      const pod = changedByOthers(once, random, false);
      const same = await judged(changedByOthers(once, random, true), before, "1", before);
      if (same.verdict.state !== "current") faults.push(`seed ${seed}, the same: ${fieldsOf(changesOf(same))}`);
      // Resources that were resized since cannot be compared: no release is known that would make the same pod with other settings.
      const isKnowable = ({ field }: { readonly field: string }) => !field.includes(".resources");
      const expected = fieldsOf(podChanges(once as JsonObject, next as JsonObject).filter(isKnowable));
      const other = await judged(pod, before, "1", before, settings);
      const found = other.verdict.state === "current" ? [] : fieldsOf(changesOf(other).filter(isKnowable));
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        faults.push(`seed ${seed}, ${JSON.stringify(settings)}: ${found} in place of ${expected}`);
      }
      const { pod: written, container } = retagged(changedByOthers(once, random, true), random);
      const image = fieldsOf(changesOf(await judged(written, before, "1", before)));
      // Another webhook's container may let the proxy be a native sidecar: in either list, it is the same change.
      const isFound =
        container === undefined ? image[0] === "current" : image[0]?.endsWith(`ontainers[${container}].image`);
      if (image.length !== 1 || isFound !== true) faults.push(`seed ${seed}, another image of ${container}: ${image}`);
      compared++;
      if (expected.length > 0 && container !== undefined) changed++;
    }
    expect(faults).toEqual([]);
    expect(compared).toBeGreaterThan(RUNS / 2);
    expect(changed).toBeGreaterThan(RUNS / 4);
  });
});
