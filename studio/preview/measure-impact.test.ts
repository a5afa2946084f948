import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { beforeAll, describe, expect, it } from "vitest";
import type { ClusterWorkload } from "../wire.ts";
import { countPods } from "./change-counts.ts";
import { examine } from "./examine.ts";
import { askFleet } from "./fleet.ts";
import { type CountedPod, measureImpact } from "./measure-impact.ts";
import { createCompiler } from "./preview.ts";
import type { FleetQuestion } from "./question.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await readSourceTree("templates");
});

const workload = (at: number, over: Partial<ClusterWorkload> = {}, annotations = {}, labels = {}): ClusterWorkload => ({
  name: `Deployment app-${at}`,
  namespace: "shop",
  pods: 4,
  isSent: true,
  pod: {
    metadata: { labels: { app: `app-${at}`, ...labels }, annotations },
    spec: { containers: [{ name: "app", image: `app:${at}` }] },
  },
  owner: { name: `app-${at}`, namespace: "shop", kind: "Deployment", apiVersion: "apps/v1" },
  parameters: {},
  ...over,
});

const ask = (question: Pick<FleetQuestion, "own" | "saved" | "workloads">) =>
  askFleet({ kind: "fleet", shipped, ...question }, createCompiler(), createCompiler());

describe("measureImpact()", () => {
  it("reads 400 pods of forty workloads as the few changes that they are", () => {
    const own = { "partials/proxy-image": "image: registry.example/{{owner.name}}:1\n" };
    const workloads = Array.from({ length: 40 }, (_, at) => {
      const image = at % 3 === 0 ? { "sidecar.istio.io/proxyCPU": "200m" } : {};
      const grpc = at % 10 === 0 ? { "inject.istio.io/templates": "grpc-agent" } : image;
      return workload(at, { pods: 10 }, grpc);
    });
    const { impact } = ask({ own, saved: {}, workloads });
    const changes = impact?.changes ?? [];
    // An init container has the proxy's image too; gRPC applications have none; the context of a diff is not a change.
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.length).toBeLessThanOrEqual(3);
    expect(impact && countPods(impact)).toMatchObject({ count: 400 });
    expect(changes.every(({ fields }) => fields.join().includes("registry.example/app-"))).toBe(true);
  });

  it("injects no pod and compiles no saved tree where nothing is edited", () => {
    const own = { "values/10-mine": "global:\n  tag: mine\n" };
    const question = { kind: "fleet", shipped, own, saved: { ...own }, workloads: [workload(1), workload(2)] } as const;
    const compileSaved = () => expect.unreachable("the saved tree is compiled");
    const { impact } = askFleet(question, createCompiler(), compileSaved);
    expect(impact).toEqual({ unchanged: 8, changes: [] });
    const samples = Object.keys(shipped).filter((path) => path.startsWith("samples/"));
    const examined = examine({ kind: "examine", shipped, own, saved: { ...own }, manifests: [] });
    expect(examined.impact).toEqual({ unchanged: samples.length, changes: [] });
    const unread = { pod: {}, pods: 3, name: "web" };
    const injector = createCompiler()({ shipped, own }).traced?.injector as Parameters<typeof measureImpact>[1];
    const pod = Object.defineProperty(unread, "request", { get: () => expect.unreachable("a pod is injected") });
    expect(measureImpact([pod as unknown as CountedPod], injector, injector)).toEqual({ unchanged: 3, changes: [] });
  });

  it("leaves out what does not run, and what the webhook never gets", () => {
    const own = { "partials/proxy-image": "image: registry.example/mine:1\n" };
    const workloads = [workload(1, { pods: 0 }), workload(2, { isSent: false }), workload(3)];
    const { impact: clusterImpact } = ask({ own, saved: {}, workloads });
    const { impact } = examine({ kind: "examine", shipped, own, saved: {}, manifests: [] });
    expect(clusterImpact?.changes.map(({ names, pods }) => [names, pods])).toEqual([[["shop/Deployment app-3"], 4]]);
    expect(impact?.changes.flatMap(({ names }) => names)).not.toContain("shop/Deployment app-3");
  });

  it("has first who would fail or be refused, then who loses and gains a container, as diff --cluster has", () => {
    const agent = (more = "") => `spec:\n  containers:\n  - name: agent\n    image: agent:1\n${more}`;
    const port = `    ports:\n    - containerPort: {{int (annotation metadata "agent.example.com/port" "9200")}}\n`;
    const config = "defaultTemplates: [sidecar, agent]\n";
    const never = "neverInjectSelector:\n- matchLabels: {batch: 'true'}\n";
    const saved = { config, "templates/agent": agent() };
    const own = { config: config + never, "templates/agent": agent(port) };
    const workloads = [
      workload(1),
      workload(2, {}, { "agent.example.com/port": "70000" }),
      workload(3, {}, {}, { batch: "true" }),
      workload(4, { pods: 9 }),
      workload(5, {}, { "sidecar.istio.io/inject": "false" }),
      workload(6, {}, { "agent.example.com/port": "http" }),
    ];
    const { impact } = ask({ own, saved, workloads });
    expect(
      impact?.changes.map(({ effect, containers, pods, names }) => [effect, containers.includes("agent"), pods, names]),
    ).toEqual([
      ["fails", false, 4, ["shop/Deployment app-6"]],
      ["refused", false, 4, ["shop/Deployment app-2"]],
      ["loses", true, 4, ["shop/Deployment app-3"]],
      ["changes", false, 13, ["shop/Deployment app-4", "shop/Deployment app-1"]],
    ]);
    expect(impact?.unchanged).toBe(4);
    expect(impact?.changes[1]?.why).toContain("agent.example.com/port");
    expect(impact?.changes[3]?.before).not.toContain("9200");
    expect(impact?.changes[3]?.after).toContain("name: app-4");
  });
});

describe("askFleet()", () => {
  it("counts what takes each branch, and leaves out pods that would not be made", () => {
    const agent = `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if (lookup metadata.annotations "agent.example.com/port")}}
    ports:
    - containerPort: {{int (annotation metadata "agent.example.com/port" "9200")}}
    {{/if}}
    {{#unless metadata.labels.quiet}}
    tty: true
    {{/unless}}
`;
    const own = { config: "defaultTemplates: [agent]\n", "templates/agent": agent };
    const workloads = [
      workload(1),
      workload(2, { pods: 7 }, { "agent.example.com/port": "1" }, { quiet: "yes" }),
      workload(3, {}, { "agent.example.com/port": "http" }),
      workload(4, { isSent: false }),
    ];
    const { branches = [] } = ask({ own, saved: {}, workloads });
    const samples = Object.keys(shipped).filter((path) => path.startsWith("samples/")).length;
    const asked = branches.filter(({ path }) => path === "templates/agent");
    expect(
      asked.map(({ line, isWritten, workloads: count, pods, example }) => [line, isWritten, count, pods, example]),
    ).toEqual([
      [5, true, 1, 7, "shop/Deployment app-2"],
      [5, false, 1, 4, "shop/Deployment app-1"],
      [9, false, 1, 7, "shop/Deployment app-2"],
      [9, true, 1, 4, "shop/Deployment app-1"],
    ]);
    expect(asked.every(({ samples: count }) => count <= samples)).toBe(true);
    expect(asked.find(({ line, isWritten }) => line === 5 && isWritten)?.samples).toBe(0);
  });

  it("answers nothing of a tree with errors", () => {
    expect(ask({ own: { "templates/agent": "{{#if}}" }, saved: {}, workloads: [workload(1)] })).toEqual({
      impact: undefined,
      branches: undefined,
    });
  });
});
