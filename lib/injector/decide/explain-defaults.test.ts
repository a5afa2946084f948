import { describe, expect, it } from "vitest";
import type { DefaultTemplate } from "../injection.ts";
import { explainDefaults } from "./explain-defaults.ts";

const selector = (...wanted: [key: string, ...values: string[]][]) => ({
  requirements: wanted.map(([key, ...values]) => ({ key, operator: "In" as const, values })),
});
const DEFAULTS: readonly DefaultTemplate[] = [
  "sidecar",
  { name: "log-shipper", match: { podLabels: selector(["logs", "yes", "all"]) } },
  { name: "vault-agent", match: { namespaces: ["shop", "till"], podLabels: selector(["vault", ""], ["tier", "web"]) } },
];

describe("explainDefaults()", () => {
  it.each<[Record<string, string>, string, ...[isFit: boolean, why: string][]]>([
    [
      { logs: "all" },
      "mail",
      [true, "labels.logs is all"],
      [false, "the namespace is not shop or till and labels.vault is not empty and labels.tier is not web"],
    ],
    [
      { vault: "", tier: "web" },
      "till",
      [false, "labels.logs is not yes or all"],
      [true, "the namespace is till and labels.vault is empty and labels.tier is web"],
    ],
    [
      { vault: "x", tier: "web" },
      "till",
      [false, "labels.logs is not yes or all"],
      [false, "labels.vault is not empty"],
    ],
  ])("says of a pod labelled %j in %s why a template is for it or not", (labels, namespace, logs, vault) => {
    const choices = explainDefaults({ defaultTemplates: DEFAULTS }, { metadata: { labels } }, namespace);
    expect(choices.map(({ name, isFit, why }) => [name, isFit, why])).toEqual([
      ["log-shipper", ...logs],
      ["vault-agent", ...vault],
    ]);
  });

  it("says nothing of a pod that names its templates", () => {
    const annotations = { "inject.istio.io/templates": "sidecar" };
    expect(explainDefaults({ defaultTemplates: DEFAULTS }, { metadata: { annotations } }, "shop")).toEqual([]);
  });
});
