// Makes docs/istio-behaviour.md: by which test, and by which measured cases, each behaviour is shown that Istio documents of
// sidecar injection. UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/istio-behaviour writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { ConformanceCase } from "../../tools/conformance/conformance-case.ts";
import { CASE_SETS, readCases } from "../reference/read-reference.ts";
import { ROOT } from "./code-blocks.ts";

const PAGE = join(ROOT, "docs/istio-behaviour.md");

const INTRODUCTION = `# What Istio documents of injection, and what shows it here

<!-- Made by test/pages/istio-behaviour.test.ts: UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/istio-behaviour -->

*Reference, for evaluators.*

Cases are pods of which Istio's own injector was measured; \`npm run conformance -- --only generated/0001\` runs one. What differs is in
[differences](differences.md).

`;

/** Whether a case is about the behaviour: the pod that is sent, and the one that Istio's injector makes. */
type IsAbout = (sent: JsonObject, made: JsonObject) => boolean;

interface Behaviour {
  readonly says: string;
  /** A test and its title, or that of its group. */
  readonly file: string;
  readonly title: string;
  readonly isAbout?: IsAbout;
}

const annotationsOf = (pod: JsonObject) => objectOf(objectOf(pod["metadata"])["annotations"]);
const labelsOf = (pod: JsonObject) => objectOf(objectOf(pod["metadata"])["labels"]);
const containersOf = (pod: JsonObject, list: "containers" | "initContainers") =>
  objectsOf(objectOf(pod["spec"])[list]).map((container) => container as JsonObject);
const named = (pod: JsonObject, list: "containers" | "initContainers", name: string) =>
  containersOf(pod, list).find((container) => container["name"] === name);
const annotated =
  (key: string): IsAbout =>
  (sent) =>
    annotationsOf(sent)[key] !== undefined;

/** Section of Istio's documentation → what it says. */
const BEHAVIOURS: Readonly<Record<string, readonly Behaviour[]>> = {
  "The webhook's configuration": [
    {
      says: "The selectors of namespaces and pods, by revision, tag and `enableNamespacesByDefault`, choose the pods that Istio's chart chooses",
      file: "lib/webhook/test/istio-chart-selectors.test.ts",
      title: "choose the same pods by the same webhooks, in every combination",
    },
    {
      says: "Pods are matched in every version of their API, and the webhook is called again after others",
      file: "lib/webhook/build-webhook-configuration.test.ts",
      title: "asks for pods in whatever version they are written, and to be called again after other webhooks",
    },
    {
      says: "Reviews are answered in the version in which they are asked, `v1` or `v1beta1`",
      file: "functions/inject/test/outcomes.test.ts",
      title: "answers in v1beta1 when it is asked in v1beta1",
    },
  ],
  "Which pods": [
    {
      says: "The host's network, system namespaces, the pod's own wish, the selectors and the policy decide, in this order",
      file: "lib/injector/decide/decide.test.ts",
      title: "host network %s, namespace %s, wish %s, selectors %s, policy %s: %s",
    },
    {
      says: "The label `sidecar.istio.io/inject` counts before the annotation",
      file: "lib/injector/decide/decide.test.ts",
      title: "prefers the label to the annotation",
      isAbout: (sent) => labelsOf(sent)["sidecar.istio.io/inject"] !== undefined,
    },
  ],
  "`istio-init`": [
    {
      says: "An init container redirects the traffic, as annotations say",
      file: "lib/injector/test/author-pods.test.ts",
      title: "writes excludeInboundPorts %j without spaces",
      isAbout: (sent, made) =>
        named(sent, "initContainers", "istio-init") === undefined &&
        named(made, "initContainers", "istio-init") !== undefined,
    },
    {
      says: "With Istio's CNI plugin, `istio-validation` takes its place",
      file: "lib/injector/steps/proxy-user.test.ts",
      title: "gives the validation container the user and group, and only those that were chosen",
      isAbout: (_sent, made) => named(made, "initContainers", "istio-validation") !== undefined,
    },
  ],
  "`istio-proxy`": [
    {
      says: "It is a native sidecar, or a container, by setting and annotation",
      file: "lib/injector/inject-pod.test.ts",
      title: "whether sidecars are native in the cluster, before the config",
      isAbout: (_sent, made) => named(made, "initContainers", "istio-proxy")?.["restartPolicy"] === "Always",
    },
    {
      says: "`proxy.istio.io/config` is merged over the mesh's `defaultConfig`",
      file: "lib/mesh/effective-proxy-config.test.ts",
      title: "takes them in order of precedence when all places speak",
      isAbout: annotated("proxy.istio.io/config"),
    },
    {
      says: "Probes of the application are answered by the agent",
      file: "lib/injector/steps/app-probes.test.ts",
      title: "appProbes.apply()",
      isAbout: (_sent, made) =>
        JSON.stringify(
          named(made, "initContainers", "istio-proxy") ?? named(made, "containers", "istio-proxy") ?? "",
        ).includes("ISTIO_KUBE_APP_PROBERS"),
    },
    {
      says: "Metrics of application and proxy are merged",
      file: "lib/injector/steps/prometheus-merge.test.ts",
      title: "prometheusMerge.apply()",
      isAbout: (_sent, made) => annotationsOf(made)["prometheus.io/path"] === "/stats/prometheus",
    },
  ],
  "Templates of one's own": [
    {
      says: "A gateway: `inject.istio.io/templates: gateway`",
      file: "lib/injector/test/author-pods.test.ts",
      title: "gets the image of the template %s where it says auto, and keeps its own",
      isAbout: (sent) => annotationsOf(sent)["inject.istio.io/templates"] === "gateway",
    },
    {
      says: "Templates are applied in the order of the annotation, aliases expanded once",
      file: "lib/injector/decide/select-templates.test.ts",
      title: "takes what the pod names, in its order, without blanks",
      isAbout: annotated("inject.istio.io/templates"),
    },
    {
      says: "`image: auto` takes the template's image",
      file: "lib/injector/test/author-pods.test.ts",
      title: "gets the image of the template %s where it says auto, and keeps its own",
      isAbout: (sent) =>
        [...containersOf(sent, "containers"), ...containersOf(sent, "initContainers")].some(
          ({ image }) => image === "auto",
        ),
    },
  ],
  "Containers that are in the pod and in the template": [
    {
      says: "None is: the pod's containers stay as they are",
      file: "lib/injector/merge/overrides.test.ts",
      title: "returns the pod itself when the author names no injected container",
    },
    {
      says: "The pod was injected before: it gets the new settings, without the old ones",
      file: "lib/injector/test/odd-pods.test.ts",
      title: "gets an empty patch the second time from template %s",
    },
    {
      says: "The author names the container: the author's fields are applied over the template's, and recorded",
      file: "lib/injector/merge/overrides.test.ts",
      title: "applies the author's fields over the injected container, and records them",
      isAbout: (_sent, made) => annotationsOf(made)["proxy.istio.io/overrides"] !== undefined,
    },
  ],
  "The status": [
    {
      says: "`sidecar.istio.io/status` lists what was injected, and the revision",
      file: "lib/injector/steps/injection-record.test.ts",
      title: "records the overlay's names and the revision",
      isAbout: (_sent, made) => annotationsOf(made)["sidecar.istio.io/status"] !== undefined,
    },
  ],
};

const CASES: readonly ConformanceCase[] = CASE_SETS.flatMap(readCases);

function casesOf({ isAbout }: Behaviour): readonly string[] {
  if (isAbout === undefined) return [];
  return CASES.filter(({ request, expect: expected }) =>
    isAbout(objectOf(request.object), objectOf("pod" in expected ? expected.pod : undefined)),
  ).map(({ name }) => name);
}

const ALL = Object.values(BEHAVIOURS).flat();

describe("docs/istio-behaviour.md", () => {
  it.each(ALL)("$says: by a test that exists", ({ file, title }) => {
    expect(readFileSync(join(ROOT, file), "utf8")).toContain(`"${title}"`);
  });

  it.each(ALL.filter(({ isAbout }) => isAbout !== undefined))("$says: by measured cases", (behaviour) => {
    expect(casesOf(behaviour)).not.toEqual([]);
  });

  it("is made of them", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, page());
    expect(readFileSync(PAGE, "utf8")).toBe(page());
  });
});

function page(): string {
  const sections = Object.entries(BEHAVIOURS).map(([section, behaviours]) => {
    const rows = behaviours.map((behaviour) => {
      const [first, ...others] = casesOf(behaviour);
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      const { says, file, title } = behaviour;
      return `| ${says} | \`${file}\`: ${title} | ${first === undefined ? "" : `\`${first}\`${more}`} |\n`;
    });
    return `## ${section}\n\n| what | test | cases |\n| --- | --- | --- |\n${rows.join("")}`;
  });
  return INTRODUCTION + sections.join("\n");
}
