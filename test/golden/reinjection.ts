// Injecting again: with the same configuration nothing changes, with another one the pod comes out as if it had been
// the first, whatever happened to the pod in between. Runs on every pod of the conformance data that is injected.

import { type JsonObject, metadataKeys, OutriggerError } from "@outrigger/base";
import type { Injector } from "@outrigger/injector";
import { injectPod } from "@outrigger/injector";
import type { Container, Pod } from "@outrigger/pod";
import { parsePathParameters } from "@outrigger/serving";
import { beforeAll, describe, expect, it } from "vitest";
import type { CaseSet } from "../../tools/conformance/case-sets.ts";
import { compareObjects as compare } from "../../tools/conformance/compare-objects.ts";
import { namespaceOf } from "../../tools/conformance/conformance-case.ts";
import { applied, type CaseInput } from "../../tools/conformance/entry-points.ts";
import { undocumentedDifference } from "../../tools/fuzz/undocumented-difference.ts";
import { randomOf } from "../support/random.ts";
import type { Cases } from "./cases.ts";

/** Nearly as much as an API server accepts of annotations. */
const LONG = Buffer.alloc(250_000, "x").toString();
const pairs = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 150);
/** A status is forged in each case in two of six ways; with OUTRIGGER_PROPERTY_RUNS, in all. */
const isWhole = process.env["OUTRIGGER_PROPERTY_RUNS"] !== undefined;

const forgeries: readonly (readonly [string, (pod: Pod) => string])[] = [
  ["is not JSON", () => "{"],
  ["has wrong types", () => '{"containers":"istio-proxy","volumes":[1]}'],
  ["is a list", () => "[]"],
  ["is a quarter of a megabyte", () => LONG],
  ["names containers of the author's", (pod) => forged(pod, (names) => [...names, ...allNames(pod)])],
  ["names nothing", (pod) => forged(pod, () => [])],
];

export function describeReinjection(all: Cases): void {
  describe("reinjection", () => {
    let cases: readonly InjectedCase[];

    beforeAll(() => {
      cases = all.sets.flatMap((set) => injectedCases(set, all));
    }, 120_000);

    it("injectPod() of an injected pod makes an empty patch", () => {
      expect(cases.length).toBeGreaterThan(all.notice === undefined ? 500 : 400);
      const changed = cases.filter(({ again }) => again(again.first).length > 0).map(({ name }) => name);
      expect(changed).toEqual([]);
    });

    it("injectPod() repairs an injected container that was altered", () => {
      const changed = cases.filter((injected) => {
        const { first } = injected.again;
        const names = injectedNames(first);
        // The environment is added to, not replaced: it holds the only record of the author's probes.
        const alter = (container: Container): Container =>
          names.includes(container.name)
            ? {
                ...container,
                image: "altered.example/x:1",
                args: ["altered"],
                env: [{ name: "ALTERED" }, ...(container.env ?? [])],
                resources: {},
              }
            : container;
        const altered = mapContainers(first, alter);
        return names.length > 0 && compare(first, injected.inject(altered)).length > 0;
      });
      expect(changed.map(({ name }) => name)).toEqual([]);
    });

    it.each(forgeries.map(([what, forge], way) => [what, forge, way % 3] as const))(
      "injectPod() loses nothing of the author's when the status %s",
      (_, forge, way) => {
        const failures: string[] = [];
        for (const injected of cases.filter((_one, at) => isWhole || at % 3 === way)) {
          const { first, author } = injected.again;
          const pod = withStatus(first, forge(first));
          const result = unlessUnmergeable(() => injected.inject(pod));
          if (result === undefined) continue;
          const lost = authoredNames(author).filter((name) => !allNames(result).includes(name));
          const kept =
            author.spec?.volumes?.filter(({ name }) => !result.spec?.volumes?.some((volume) => volume.name === name)) ??
            [];
          const survives = authoredNames(author).filter((name) => allNames(first).includes(name));
          if (lost.some((name) => survives.includes(name))) failures.push(`${injected.name}: lost ${lost.join(", ")}`);
          if (kept.some(({ name }) => first.spec?.volumes?.some((volume) => volume.name === name)))
            failures.push(`${injected.name}: lost a volume`);
          if (
            new Set(allNames(result)).size < allNames(result).length &&
            new Set(allNames(first)).size === allNames(first).length
          )
            failures.push(`${injected.name}: a name twice`);
        }
        expect(failures).toEqual([]);
      },
    );

    it(`injectPod() converges: B after A gives what B gives, for ${pairs} pairs`, () => {
      const random = randomOf(20_261_121);
      // The overlays of `merge` delete and replace what the author wrote, which nothing can bring back.
      const configurations = cases.filter(({ name }) => !name.startsWith("merge/"));
      const pick = () => configurations[Math.floor(random() * configurations.length)] as InjectedCase;
      const pods = cases.filter(({ again }) => isComparable(again.author));
      const unexplained: string[] = [];
      let compared = 0;
      let equal = 0;
      while (compared < pairs) {
        const [a, b, p] = [pick(), pick(), pods[Math.floor(random() * pods.length)] as InjectedCase];
        const straight = outcome(() => b.inject(p.again.author));
        const first = outcome(() => a.inject(p.again.author));
        if (straight === undefined || first === undefined) continue;
        compared++;
        const again = b.inject(first);
        if (compare(straight, again).length === 0) equal++;
        const other = undocumentedDifference(straight, again, p.again.author, first);
        if (other !== undefined) unexplained.push(`${a.name}, ${b.name}, ${p.name}: ${other}`);
      }
      expect(unexplained).toEqual([]);
      expect(equal / compared).toBeGreaterThan(0.95);
    }, 120_000);
  });
}

interface InjectedCase {
  readonly name: string;
  /** The pod as this case's configuration makes it. */
  inject(pod: Pod): Pod;
  readonly again: { (pod: Pod): readonly unknown[]; readonly author: Pod; readonly first: Pod };
}

function injectedCases({ cases }: CaseSet, { injectorOf }: Cases): readonly InjectedCase[] {
  return cases.flatMap(({ expect: _, ...input }) => {
    if (input.door !== "webhook") return [];
    const injector = injectorOf(input);
    const author = input.request.object as Pod;
    const first = outcome(() => applied(author as JsonObject, patched(injector, input, author).patchText) as Pod);
    if (first === undefined) return [];
    const again = Object.assign((pod: Pod) => patched(injector, input, pod).patch, { author, first });
    return [{ name: input.name, inject: (pod: Pod) => injected(injector, input, pod), again }];
  });
}

/** Applied by an independent implementation of JSON Patch. Throws where the pod is not injected. */
function injected(injector: Injector, input: CaseInput, pod: Pod): Pod {
  return applied(pod as JsonObject, patched(injector, input, pod).patchText) as Pod;
}

function patched(injector: Injector, input: CaseInput, pod: Pod) {
  const parameters = parsePathParameters(input.request.path ?? "/inject");
  const result = injectPod(injector, { pod, namespace: namespaceOf(input), parameters });
  if (!result.injected) throw new Error(result.reason);
  return result;
}

/**
 * Undefined for an overlay whose order directive cannot be merged into a container that exists, as in the reference: with an
 * unreadable status, the containers of the earlier injection count as the author's. Nothing is injected then.
 */
function unlessUnmergeable(run: () => Pod): Pod | undefined {
  try {
    return run();
  } catch (error) {
    if (
      error instanceof OutriggerError &&
      error.code === "overlay-invalid" &&
      error.message.includes("$setElementOrder")
    )
      return undefined;
    throw error;
  }
}

/** Undefined where a configuration does not inject a pod, or denies it. */
function outcome<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Left out: pods that an API server refuses (a name twice), and those that an older injector has been at. */
function isComparable(pod: Pod): boolean {
  const names = allNames(pod);
  return new Set(names).size === names.length && pod.metadata?.annotations?.[metadataKeys.status] === undefined;
}

function mapContainers(pod: Pod, edit: (container: Container) => Container): Pod {
  const { spec } = pod;
  if (spec === undefined) return pod;
  return {
    ...pod,
    spec: {
      ...spec,
      containers: spec.containers.map(edit),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(edit) }),
    },
  };
}

function statusOf(pod: Pod): Readonly<Record<string, readonly string[] | null>> {
  return JSON.parse(pod.metadata?.annotations?.[metadataKeys.status] ?? "{}");
}

/** Containers that are wholly the injection's: its own by status, and none that the author has a part in. */
function injectedNames(pod: Pod): readonly string[] {
  const status = statusOf(pod);
  if (status["adopted"] !== undefined) return [];
  const overrides = pod.metadata?.annotations?.[metadataKeys.overrides] ?? "";
  return [...(status["containers"] ?? []), ...(status["initContainers"] ?? [])].filter(
    (name) => !overrides.includes(`"name":"${name}"`),
  );
}

function forged(pod: Pod, edit: (names: readonly string[]) => readonly string[]): string {
  const status = statusOf(pod);
  const volumes = pod.spec?.volumes?.map(({ name }) => name) ?? [];
  return JSON.stringify({
    ...status,
    containers: edit(status["containers"] ?? []),
    initContainers: edit(status["initContainers"] ?? []),
    volumes: edit([]).length === 0 ? [] : volumes,
  });
}

function withStatus(pod: Pod, status: string): Pod {
  const annotations = { ...pod.metadata?.annotations, [metadataKeys.status]: status };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

function allNames(pod: Pod): readonly string[] {
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);
}

function authoredNames(pod: Pod): readonly string[] {
  return allNames(pod);
}
