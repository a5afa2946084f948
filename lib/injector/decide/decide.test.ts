import { type Pod, parseLabelSelector } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { expectRows } from "../../../test/support/page-rows.ts";
import type { InjectionConfig } from "../injection.ts";
import { decide } from "./decide.ts";
import { DECISION_ROWS } from "./decision-rows.ts";

const config: InjectionConfig = {
  policy: "enabled",
  defaultTemplates: ["sidecar"],
  aliases: {},
  neverInjectSelector: [parseLabelSelector({ matchLabels: { never: "yes" } }, "never")],
  alwaysInjectSelector: [parseLabelSelector({ matchLabels: { always: "yes" } }, "always")],
  injectedAnnotations: {},
  revision: "default",
  nativeSidecars: true,
  compliancePolicy: "",
  platform: "",
};

const INJECTED = ["opted-in", "always-selector", "policy-enabled"];

/** The rows of the truth table as cells, as the docs have them. */
const rows: readonly (readonly string[])[] = Object.entries(DECISION_ROWS).map(([reason, row]) => {
  const { hostNetwork, namespace, choice, selectors, policy } = row;
  const quoted = choice === "true" || choice === "false" ? `"${choice}"` : choice;
  return [hostNetwork, namespace, quoted, selectors, policy, `${INJECTED.includes(reason) ? "yes" : "no"}: ${reason}`];
});

const namespaces = {
  any: ["shop", "kube-system"],
  system: ["kube-system", "kube-public", "kube-node-lease", "local-path-storage"],
  other: ["shop"],
};
const wishes = {
  any: ["true", "false", undefined, "maybe"],
  '"true"': ["true"],
  '"false"': ["false"],
  "none or another": [undefined, "", "maybe"],
};
const selectorLabels = {
  any: [{}, { never: "yes" }, { always: "yes" }],
  "never matches": [{ never: "yes" }, { never: "yes", always: "yes" }],
  "always matches": [{ always: "yes" }],
  "none matches": [{}],
};
const policies = {
  any: ["enabled", "disabled", "unknown"],
  known: ["enabled", "disabled"],
  unknown: ["unknown"],
  enabled: ["enabled"],
  disabled: ["disabled"],
};

function allOf<T>(table: Readonly<Record<string, readonly T[]>>, cell: string | undefined): readonly T[] {
  const found = table[cell ?? ""];
  if (found === undefined) throw new Error(`The truth table has a cell that the test does not know: ${cell}`);
  return found;
}

describe("decide()", () => {
  it("has a truth table of nine rows, the same in the docs", () => {
    expect(rows).toHaveLength(9);
    expectRows({
      page: "docs/configuration.md",
      name: "decisions",
      headings: ["host network", "namespace", "label or annotation", "selectors", "policy", "injected"],
      rows: rows.map((row) => row.map((cell) => cell.replace(/".*"/, "`$&`").replace(/: (.*)/, ": `$1`"))),
    });
  });

  it.each(rows)("host network %s, namespace %s, wish %s, selectors %s, policy %s: %s", (...cells) => {
    const [host, namespace, wish, selectors, policy, outcome] = cells;
    const [verdict, reason] = (outcome ?? "").split(": ");
    let combinations = 0;
    for (const place of ["labels", "annotations"] as const) {
      for (const name of allOf(namespaces, namespace)) {
        for (const value of allOf(wishes, wish)) {
          for (const labels of allOf<Readonly<Record<string, string>>>(selectorLabels, selectors)) {
            for (const policyValue of allOf(policies, policy)) {
              const wanted = value === undefined ? {} : { "sidecar.istio.io/inject": value };
              const pod: Pod = {
                metadata: {
                  labels: { ...labels, ...(place === "labels" ? wanted : {}) },
                  annotations: place === "annotations" ? wanted : {},
                },
                spec: { hostNetwork: host === "yes", containers: [] },
              };
              const decision = decide({ ...config, policy: policyValue as "enabled" }, pod, name);
              expect(decision).toMatchObject({ inject: verdict === "yes", reason });
              combinations++;
            }
          }
        }
      }
    }
    expect(combinations).toBeGreaterThan(0);
  });

  it("prefers the label to the annotation", () => {
    const key = "sidecar.istio.io/inject";
    const pod = (label: string, annotation: string): Pod => ({
      metadata: { labels: { [key]: label }, annotations: { [key]: annotation } },
      spec: { containers: [] },
    });
    expect(decide(config, pod("false", "true"), "shop").inject).toBe(false);
    expect(decide(config, pod("true", "false"), "shop").inject).toBe(true);
  });

  it("takes no part of an empty selector and survives inherited names", () => {
    const all = { ...config, neverInjectSelector: [parseLabelSelector({}, "never")] };
    expect(decide(all, { metadata: {}, spec: { containers: [] } }, "shop").inject).toBe(true);
  });

  it("injects a pod that the table injects only if some template is for it", () => {
    const match = { podLabels: parseLabelSelector({ matchLabels: { logs: "yes" } }, "match") };
    const picky = { ...config, defaultTemplates: [{ name: "log-shipper", match }] };
    const pod = (labels: Record<string, string>, annotations = {}): Pod => ({
      metadata: { labels, annotations },
      spec: { containers: [] },
    });
    const asked = { "sidecar.istio.io/inject": "true" };
    const named = { "inject.istio.io/templates": "sidecar" };
    expect(decide(picky, pod({ logs: "yes" }), "shop")).toEqual({ inject: true, reason: "policy-enabled" });
    expect(decide(picky, pod({}, named), "shop")).toEqual({ inject: true, reason: "policy-enabled" });
    for (const labels of [{}, asked, { always: "yes" }]) {
      expect(decide(picky, pod(labels), "shop")).toMatchObject({ inject: false, reason: "no-template" });
    }
    // What the table skips keeps its reason.
    expect(decide(picky, pod({ never: "yes" }), "shop").reason).toBe("never-selector");
    expect(decide({ ...picky, defaultTemplates: [...picky.defaultTemplates, "sidecar"] }, pod({}), "shop").inject).toBe(
      true,
    );
    expect(decide({ ...picky, defaultTemplates: [] }, pod({}), "shop").inject).toBe(true);
  });
});
