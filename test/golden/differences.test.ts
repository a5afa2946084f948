// docs/reference/differences.json: a measured case for every row that a pod can show. With the row's setting the case is equal
// to the reference, and without it the row explains the difference.
import type { JsonObject } from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import type { Container, Pod, PodSpec } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { byDefault, caseVerdict } from "../../tools/conformance/case-verdict.ts";
import { differenceRows } from "../../tools/conformance/differences.ts";
import {
  type CaseOutcome,
  outcomeOfError,
  releaseOfCase,
  throughInjector,
} from "../../tools/conformance/entry-points.ts";
import { readCases } from "../reference/read-reference.ts";

const shipped = await readSourceTree("templates");
const cases = readCases("differences");
const rowOf = (name: string) => name.slice(name.indexOf("/") + 1).replace(/\.\d+$/, "");
const rows = new Map(differenceRows.map((row) => [row.id, row]));

/** The setting makes no difference: the reference denies the pod for a fault of its configuration, and that is a 500. */
const FAULTS: readonly string[] = ["order-of-no-containers", "types-in-eq"];

/** The other rows that the pods of a row show as well: those pods get no proxy. */
const SHOWN_AS_WELL: Readonly<Record<string, readonly string[]>> = {
  "shared-merge-key": ["without-proxy"],
  "repeated-template": ["without-proxy"],
};

describe("a case of a documented difference", () => {
  it.each(cases)("$name is explained by its row", async (conformanceCase) => {
    const { expect: _, ...input } = conformanceCase;
    const outcomeOf = async (setting: "compatibility" | null): Promise<CaseOutcome> => {
      try {
        const release = releaseOfCase(shipped, input);
        return await throughInjector(input, loadRelease(setting === null ? byDefault(release) : release));
      } catch (error) {
        return outcomeOfError(error);
      }
    };
    const outcomes = [{ entryPoint: "inject", outcome: await outcomeOf("compatibility") }];
    const verdict = caseVerdict(conformanceCase, outcomes, await outcomeOf(null));
    const id = rowOf(conformanceCase.name);
    const [asReference] = verdict.entryPoints;
    const isFault = FAULTS.includes(id);
    expect(verdict).toMatchObject({
      verdict: "differs",
      rows: isFault ? ["fault-is-500", id] : [id, ...(SHOWN_AS_WELL[id] ?? [])],
    });
    expect(asReference?.differences.length === 0).toBe(rows.get(id)?.setting === "compatibility" && !isFault);
  });
});

describe("a row", () => {
  const found = (name: string) => {
    const each = cases.find((one) => one.name === `differences/${name}`);
    if (each === undefined) throw new Error(`there is no case ${name}`);
    return each;
  };
  const proxyOf = (pod: Pod) => pod.spec?.containers?.find(({ name }) => name === "istio-proxy") as Container;
  const withSpec = (pod: Pod, fields: Partial<PodSpec>): Pod => ({
    ...pod,
    spec: { containers: [], ...pod.spec, ...fields },
  });
  const withProxy = (pod: Pod, fields: Partial<Container>): Pod => {
    const containers = pod.spec?.containers.map((each) => (each === proxyOf(pod) ? { ...each, ...fields } : each));
    return withSpec(pod, { containers: containers ?? [] });
  };
  const verdictOn = async (name: string, change: (pod: Pod) => Pod) => {
    const conformanceCase = found(name);
    const { expect: _, ...input } = conformanceCase;
    const outcome = await throughInjector(input, loadRelease(byDefault(releaseOfCase(shipped, input))));
    if (outcome.kind !== "pod") throw new Error(`${name} has no pod`);
    const changed = { ...outcome, pod: change(outcome.pod as Pod) as JsonObject };
    const isEqual = rows.get(rowOf(conformanceCase.name))?.setting === "compatibility";
    const verdict = caseVerdict(conformanceCase, isEqual ? [] : [{ entryPoint: "inject", outcome: changed }], changed);
    return { rows: verdict.rows, verdict: verdict.verdict };
  };
  const withUser = (runAsUser: number) => (pod: Pod) =>
    withProxy(pod, { securityContext: { ...proxyOf(pod).securityContext, runAsUser } });
  const withVariable = (name: string, value: string) => (pod: Pod) =>
    withProxy(pod, { env: proxyOf(pod).env?.map((each) => (each.name === name ? { name, value } : each)) ?? [] });

  it.each<readonly [string, string, (pod: Pod) => Pod]>([
    ["platform-user", "uid 0", withUser(0)],
    ["platform-user", "another uid", withUser(1337)],
    ["platform-user", "an image", (pod) => withProxy(pod, { image: "other" })],
    ["datadog-env.3", "another value of a variable that the annotation has", withVariable("a", "x")],
    ["datadog-env.3", "another value of a variable that it has not", withVariable("PILOT_CERT_PROVIDER", "x")],
    ["decimal", "a number that is neither", (pod) => withProxy(pod, { readinessProbe: { initialDelaySeconds: 9 } })],
    ["windows", "a label", (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { a: "b" } } })],
    ["without-proxy", "a label", (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { a: "b" } } })],
    ["canonical-name", "a host name", (pod) => withSpec(pod, { hostname: "b" })],
  ])("%s does not excuse %s", async (name, _, change) => {
    expect(await verdictOn(name, (pod) => pod)).toMatchObject({ verdict: "differs" });
    expect(await verdictOn(name, change)).toEqual({ verdict: "unknown", rows: [] });
  });

  it.each([
    ["more", ["repeated-template", "without-proxy"]],
    ["other", []],
  ])("counts a template that an alias of extra and %s stands for", async (second, expected) => {
    const measured = found("repeated-template");
    const { expect: _, ...input } = measured;
    const outcome = await throughInjector(input, loadRelease(byDefault(releaseOfCase(shipped, input))));
    const renamed = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll("extra,more,extra", "more,both"));
    const config = { ...measured.config, aliases: { both: ["extra", second] } };
    const outcomes = [{ entryPoint: "inject", outcome: renamed(outcome) }];
    const { rows } = caseVerdict(renamed({ ...measured, config }), outcomes, renamed(outcome));
    expect(rows.toSorted()).toEqual(expected);
  });

  it("does not excuse a denial for another reason", () => {
    const named = differenceRows.filter(({ paths }) => paths.includes("denied") || paths.includes("failed"));
    const all = cases.filter(
      ({ name, expect: { pod } }) => pod !== undefined && named.some(({ id }) => rowOf(name) === id),
    );
    expect(all.length).toBeGreaterThan(9);
    for (const each of all) {
      const outcomes: readonly CaseOutcome[] = [
        { kind: "denied", message: "Cannot inject: there is another reason" },
        { kind: "failed", message: "Cannot inject: there is another reason" },
      ];
      for (const outcome of outcomes) {
        const { verdict } = caseVerdict(each, [], outcome);
        expect({ name: each.name, kind: outcome.kind, verdict }).toMatchObject({ verdict: "unknown" });
      }
    }
  });
});

describe("the rows", () => {
  it("name a path where a pod shows the difference", () => {
    const measured = new Set(cases.map(({ name }) => rowOf(name)));
    expect(differenceRows.filter(({ id, paths }) => measured.has(id) && paths.length === 0)).toEqual([]);
  });

  it("are named once, and each example is a measured case", () => {
    expect(rows.size).toBe(differenceRows.length);
    const measured = new Map(cases.map(({ name, request }) => [name.slice("differences/".length), request.object]));
    for (const { id, example } of differenceRows) {
      if (example !== null) expect({ id, pod: measured.get(id) }).toEqual({ id, pod: example.pod });
    }
    expect(cases.filter(({ name }) => !rows.has(rowOf(name)))).toEqual([]);
  });

  it("of the setting have an example, each", () => {
    const without = differenceRows.filter(({ setting, example }) => setting !== null && example === null);
    expect(without.map(({ id }) => id)).toEqual([]);
  });
});
