import type { EffectGroup } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { fleetMarkdown, fleetText, type ShownEffect } from "./fleet-text.ts";

const IMAGE = { field: "containers[istio-proxy].image", before: "proxyv2:1", after: "proxyv2:2" };

function group(effect: Partial<EffectGroup>, ...names: readonly string[]): EffectGroup {
  const workloads = (names.length === 0 ? ["web"] : names).map((name) => {
    return { cluster: "prod", namespace: "shop", kind: "Deployment", name, pods: 1200 };
  });
  return { effect: "changes", containers: [], changes: [IMAGE], pods: 1200, workloads, ...effect };
}

function shown(groups: readonly EffectGroup[], ...clusters: ShownEffect["clusters"]): ShownEffect {
  return {
    before: { name: "stable", release: "aaaaaaaaaaaa" },
    after: { name: "my-tree", release: "bbbbbbbbbbbb" },
    clusters: clusters.length === 0 ? [{ cluster: "prod", pods: 4000, served: 4000, channels: ["stable"] }] : clusters,
    pods: 1200 * groups.length,
    workloads: groups.length,
    groups,
  };
}

const TREES = "stable is release aaaaaaaaaaaa, my-tree is release bbbbbbbbbbbb\n";
/** The text of one group, without what stands above it. */
const textOf = (one: EffectGroup, isWide = false) => fleetText(shown([one]), isWide).split("\n\n")[1];
/** `a,b,c` of so many changes. */
const changes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ field: `spec.f${index}`, before: index, after: -index }));

describe("fleetText()", () => {
  it("says how many pods come out differently, and for each group which ones and how", () => {
    expect(fleetText(shown([group({}), group({ pods: 1 })]), false)).toBe(`${TREES}\
2,400 of 4,000 pods of prod would come out differently, in 2 workloads

1,200 of 4,000 pods in 1 workload: containers[istio-proxy].image: proxyv2:1 → proxyv2:2
  in shop/Deployment/web (1,200)

1 of 4,000 pods in 1 workload: containers[istio-proxy].image: proxyv2:1 → proxyv2:2
  in shop/Deployment/web (1,200)
`);
  });

  it.each<[Partial<EffectGroup>, string]>([
    [{ effect: "fails", why: "no hub", changes: [] }, " would fail, and failurePolicy would decide about them: no hub"],
    [{ effect: "refused", why: "two ports", changes: [] }, " would be refused: two ports"],
    [{ effect: "loses", containers: ["a", "b"], why: "label" }, " would lose a, b: label"],
    [{ effect: "gains", containers: ["a", "b"] }, " would gain a, b"],
    [{ effect: "recovers", why: "no hub", changes: [] }, " would be made again, and now are not: no hub"],
    [{ effect: "changes", why: "label", changes: [] }, " would not be injected: label"],
    [{ effect: "changes", changes: [] }, " would change:"],
  ])("says of %j what happens", (effect, text) => {
    expect(textOf(group(effect))).toBe(`1,200 of 4,000 pods in 1 workload${text}\n  in shop/Deployment/web (1,200)\n`);
  });

  it("lists several changes below one another, and counts those that are more than twelve", () => {
    expect(textOf(group({ changes: changes(2) }))).toBe(
      "1,200 of 4,000 pods in 1 workload would change:\n  spec.f0: 0 → 0\n  spec.f1: 1 → -1\n  in shop/Deployment/web (1,200)\n",
    );
    expect(textOf(group({ changes: changes(12) }))).not.toContain("more");
    const many = textOf(group({ changes: changes(14) }));
    expect(many).toContain("  spec.f11: 11 → -11\n  and 2 more (-o wide)\n");
    expect(many).not.toContain("spec.f12");
    expect(textOf(group({ changes: changes(14) }), true)).toContain("  spec.f13: 13 → -13\n  in shop");
  });

  it("leaves out what the name of a lost or gained container says, unless all is asked for", () => {
    const own = [{ field: "containers[log]", after: { image: "log:1" } }, { field: "initContainers[log]" }];
    const gained = group({ effect: "gains", containers: ["log"], changes: [...own, IMAGE] });
    expect(textOf(gained)).toBe("1,200 of 4,000 pods in 1 workload would gain log\n  in shop/Deployment/web (1,200)\n");
    expect(textOf(gained, true)).toContain('  containers[log]: - → {"image":"log:1"}\n');
    const lost = group({ effect: "loses", containers: ["log"], changes: [...own, IMAGE] });
    expect(textOf(lost)).toContain(" would lose log\n  containers[istio-proxy].image: proxyv2:1 → proxyv2:2\n  in ");
  });

  it("shows what is no plain text as JSON, and cuts what is long unless all is asked for", () => {
    const change = (after: string) => textOf(group({ changes: [{ field: "f", before: null, after }] }));
    expect(change("two  blanks")).toContain(': f: null → "two  blanks"\n');
    expect(change("one blank")).toContain(": f: null → one blank\n");
    expect(change("\u001b[31m")).toContain(': f: null → "\\u001b[31m"\n');
    expect(change("x".repeat(80))).toContain(`: f: null → ${"x".repeat(80)}\n`);
    expect(change("x".repeat(81))).toContain(`: f: null → ${"x".repeat(80)}…\n`);
    const wide = textOf(group({ changes: [{ field: "f", after: "x".repeat(81) }] }), true);
    expect(wide).toContain(`: f: - → ${"x".repeat(81)}\n`);
  });

  it("names three workloads and counts the others, with their cluster where there are several", () => {
    const five = group({}, "a", "b", "c", "d", "e");
    expect(textOf(five)).toContain("in 5 workloads: ");
    expect(textOf(five)).toContain(
      "\n  in shop/Deployment/a (1,200), shop/Deployment/b (1,200), shop/Deployment/c (1,200), and 2 more (-o wide)\n",
    );
    expect(textOf(group({}, "a", "b", "c"))).toContain("shop/Deployment/c (1,200)\n");
    expect(textOf(five, true)).toContain("shop/Deployment/e (1,200)\n");
    const served = { pods: 1, served: 1, channels: ["stable"] };
    const two = shown([group({ pods: 1 })], { cluster: "prod", ...served }, { cluster: "test", ...served });
    expect(fleetText(two, false)).toContain("1 of 2 pods in 1 workload: ");
    expect(fleetText(two, false)).toContain("\n  in prod: shop/Deployment/web (1,200)\n");
  });

  it("says where no pod differs, and why none of a cluster was asked about", () => {
    const none = (cluster: ShownEffect["clusters"][number]) => fleetText(shown([], cluster), false);
    expect(none({ cluster: "prod", pods: 1, served: 1, channels: ["stable"] })).toBe(
      `${TREES}No next pod of prod differs (1 pod)\n`,
    );
    expect(none({ cluster: "prod", pods: 0, served: 0, channels: [] })).toBe(
      `${TREES}No next pod of prod differs (0 pods)\n`,
    );
    expect(none({ cluster: "prod", pods: 2, served: 0, channels: [] })).toBe(
      `${TREES}No pod of prod is sent to this deployment: label its namespaces, or outrigger check says why\nNo next pod of prod differs (2 pods)\n`,
    );
    expect(none({ cluster: "prod", pods: 2, served: 0, channels: ["canary", "early"] })).toContain(
      "No pod of prod is served by stable: its pods are served by canary, early\n",
    );
    const served = { pods: 1, served: 1, channels: ["stable"] };
    expect(fleetText(shown([], { cluster: "prod", ...served }, { cluster: "test", ...served }), false)).toContain(
      "No next pod of prod, test differs (2 pods)\n",
    );
  });
});

describe("fleetMarkdown()", () => {
  const HEAD = "stable is release aaaaaaaaaaaa, my-tree is release bbbbbbbbbbbb";

  it("has a table, and the workloads of each row to fold out", () => {
    const groups = [group({ changes: [{ field: "f", after: "2" }] }, "a", "b"), group({ changes: changes(2) })];
    expect(fleetMarkdown(shown(groups))).toBe(`${HEAD}

2,400 of 4,000 pods of prod would come out differently, in 2 workloads

| Pods | Workloads | Change |
|---:|---:|---|
| 1,200 | 2 | <code>f: - → 2</code> |
| 1,200 | 1 | <code>would change:</code><br><code>spec.f0: 0 → 0</code><br><code>spec.f1: 1 → -1</code> |

<details><summary>1,200 of 4,000 pods in 2 workloads: f: - → 2</summary>

- <code>shop/Deployment/a (1,200)</code>
- <code>shop/Deployment/b (1,200)</code>

</details>

<details><summary>1,200 of 4,000 pods in 1 workload: would change:</summary>

- <code>shop/Deployment/web (1,200)</code>

</details>
`);
  });

  it("makes no Markdown, HTML or table of a text that a pod's author wrote", () => {
    const hostile = group({ changes: [{ field: "a|b", after: "<b>*_`[x]\n|" }] }, "we<b");
    const text = fleetMarkdown(shown([hostile]));
    expect(text).toContain("<code>a&#124;b: - → &#34;&#60;b&#62;&#42;&#95;&#96;&#91;x&#93;&#92;n&#124;&#34;</code>");
    expect(text).toContain("- <code>shop/Deployment/we&#60;b (1,200)</code>");
    expect(text).not.toContain("<b");
  });

  it("says in one paragraph each that nothing differs", () => {
    expect(fleetMarkdown(shown([]))).toBe(`${HEAD}\n\nNo next pod of prod differs (4,000 pods)\n`);
  });
});
