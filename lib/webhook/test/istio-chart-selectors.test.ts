// The selectors against those of Istio's chart (istio-discovery, mutatingwebhook.yaml and revision-tags-mwc.yaml, 1.31), which are
// the data below: every combination of namespace labels, pod labels, revision, tag and by default.

import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { buildWebhookConfigurations } from "../build-webhook-configuration.ts";

type Row = readonly [name: string, namespace: readonly string[], pod: readonly string[]];

/** `key operator values`, as the chart has them; REV is the revision or tag. */
const BY_REVISION: readonly Row[] = [
  ["rev.namespace", ["istio.io/rev In REV", "istio-injection DoesNotExist"], ["sidecar.istio.io/inject NotIn false"]],
  [
    "rev.object",
    ["istio.io/rev DoesNotExist", "istio-injection DoesNotExist"],
    ["sidecar.istio.io/inject NotIn false", "istio.io/rev In REV"],
  ],
];
const BY_LABEL: readonly Row[] = [
  ["namespace", ["istio-injection In enabled"], ["sidecar.istio.io/inject NotIn false"]],
  [
    "object",
    ["istio-injection DoesNotExist", "istio.io/rev DoesNotExist"],
    ["sidecar.istio.io/inject In true", "istio.io/rev DoesNotExist"],
  ],
];
const AUTO: Row = [
  "auto",
  [
    "istio-injection DoesNotExist",
    "istio.io/rev DoesNotExist",
    "kubernetes.io/metadata.name NotIn kube-system,kube-public,kube-node-lease,local-path-storage",
  ],
  ["sidecar.istio.io/inject DoesNotExist", "istio.io/rev DoesNotExist"],
];

/** The chart's webhooks for a revision (empty: the default one) or a tag. */
function chart(name: string, isDefault: boolean, byDefault: boolean): readonly Row[] {
  const rows = [...BY_REVISION, ...(isDefault ? BY_LABEL : []), ...(isDefault && byDefault ? [AUTO] : [])];
  const filled = (terms: readonly string[]) => terms.map((term) => term.replace("REV", name));
  return rows.map(([webhook, namespace, pod]) => [webhook, filled(namespace), filled(pod)]);
}

type Labels = Readonly<Record<string, string>>;

function matches(terms: readonly string[], labels: Labels): boolean {
  return terms.every((term) => {
    const [key = "", operator, values = ""] = term.split(" ");
    const value = labels[key];
    if (operator === "DoesNotExist") return value === undefined;
    const isIn = value !== undefined && values.split(",").includes(value);
    return operator === "In" ? isIn : !isIn;
  });
}

function combinations(table: Readonly<Record<string, readonly (string | undefined)[]>>): readonly Labels[] {
  return Object.entries(table).reduce<readonly Labels[]>(
    (all, [key, values]) =>
      all.flatMap((labels) => values.map((value) => (value === undefined ? labels : { ...labels, [key]: value }))),
    [{}],
  );
}

const NAMESPACES = combinations({
  "kubernetes.io/metadata.name": ["shop"],
  "istio-injection": [undefined, "enabled", "disabled", ""],
  "istio.io/rev": [undefined, "default", "1-30", "prod", "other"],
});
const PODS = combinations({
  "sidecar.istio.io/inject": [undefined, "true", "false", "", "maybe"],
  "istio.io/rev": [undefined, "default", "1-30", "prod", "other"],
});

describe("the selectors, against Istio's chart", () => {
  it("choose the same pods by the same webhooks, in every combination", () => {
    let cells = 0;
    for (const revision of ["default", "1-30"]) {
      for (const tags of [[], ["prod"], ...(revision === "default" ? [] : [["default"], ["prod", "default"]])]) {
        for (const byDefault of [false, true]) {
          const built = buildWebhookConfigurations({
            deployment: "dev",
            url: "https://a.test",
            token: "t".repeat(43),
            revision,
            tags,
            phase: "cluster",
            namespaces: [],
            timeoutSeconds: 10,
            ...(byDefault ? { enableNamespacesByDefault: true } : {}),
          }).flatMap(({ metadata, webhooks }) => webhooks.map((webhook) => ({ ...webhook, owner: metadata.name })));
          const expected = [revision, ...tags].flatMap((name) =>
            chart(name, name === "default", byDefault).map((row) => [name, ...row] as const),
          );
          expect(built.map(({ name }) => name.replace(".sidecar-injector.outrigger", ""))).toEqual(
            expected.map(([, webhook]) => webhook),
          );
          for (const namespace of NAMESPACES) {
            for (const pod of PODS) {
              const ours = built.map(
                ({ namespaceSelector, objectSelector }) =>
                  matchesLabelSelector(parseLabelSelector(namespaceSelector, "n"), namespace) &&
                  matchesLabelSelector(parseLabelSelector(objectSelector, "o"), pod),
              );
              const theirs = expected.map(
                ([, , terms, podTerms]) => matches(terms, namespace) && matches(podTerms, pod),
              );
              expect([revision, tags, byDefault, namespace, pod, ours]).toEqual([
                revision,
                tags,
                byDefault,
                namespace,
                pod,
                theirs,
              ]);
              cells += theirs.length;
            }
          }
        }
      }
    }
    expect(cells).toBeGreaterThan(3840);
  });

  it("never choose a pod of a system namespace, by default or not", () => {
    const built = buildWebhookConfigurations({
      deployment: "dev",
      url: "https://a.test",
      token: "t".repeat(43),
      revision: "default",
      tags: [],
      phase: "cluster",
      namespaces: [],
      timeoutSeconds: 10,
      enableNamespacesByDefault: true,
    });
    const labels = { "kubernetes.io/metadata.name": "kube-system" };
    for (const { namespaceSelector } of built.flatMap(({ webhooks }) => webhooks)) {
      for (const namespace of NAMESPACES) {
        expect(matchesLabelSelector(parseLabelSelector(namespaceSelector, "n"), { ...namespace, ...labels })).toBe(
          false,
        );
      }
    }
  });
});
