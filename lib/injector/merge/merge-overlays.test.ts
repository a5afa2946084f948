import type { Container, Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import type { SourceTree } from "../release/source-tree.ts";

const POD: Pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };

let shipped: SourceTree;

beforeAll(async () => {
  shipped = await shippedTreeUntried();
});

function inject(pod: Pod, layer: SourceTree): Pod {
  const injector = loadRelease(compileRelease([shipped, layer]));
  const result = injectPod(injector, { pod, namespace: "default", parameters: {} });
  if (!result.injected) throw new Error(result.message);
  return result.pod;
}

describe("mergeOverlays()", () => {
  it("counts what replaces the whole spec as injected", () => {
    const pod = inject(POD, {
      config: "defaultTemplates: [other]",
      "templates/other": "spec:\n  $patch: replace\n  containers:\n  - name: other\n    image: other:1\n",
    });
    const status = JSON.parse(pod.metadata?.annotations?.["sidecar.istio.io/status"] ?? "");
    expect(pod.spec).toEqual({ containers: [{ name: "other", image: "other:1" }] });
    expect(status.containers).toEqual(["other"]);
  });

  // docs/templates.md has these rows.
  it.each([
    ["[vault, certs]", "true", ["certs-1", "certs-2", "vault-1", "vault-2", "own"], ["certs", "vault", "web"]],
    [
      "[sidecar, vault, certs]",
      "true",
      ["istio-init", "istio-proxy", "certs-1", "certs-2", "vault-1", "vault-2", "own"],
      ["certs", "vault", "web"],
    ],
    [
      "[sidecar, vault, certs]",
      "false",
      ["certs-1", "certs-2", "vault-1", "vault-2", "own", "istio-init"],
      ["certs", "vault", "web", "istio-proxy"],
    ],
    ["[vault, certs, ordered]", "", ["vault-1", "vault-2", "certs-1", "certs-2", "own"], ["certs", "vault", "web"]],
  ])(
    "puts what is named last first, and the author's last: %s, a native proxy: %s",
    (templates, native, initContainers, containers) => {
      const template = (name: string) =>
        `spec:\n  initContainers:\n  - {name: ${name}-1, image: a}\n  - {name: ${name}-2, image: a}\n  containers:\n  - {name: ${name}, image: a}\n`;
      const order = ["vault-1", "vault-2", "certs-1", "certs-2"].map((name) => `  - name: ${name}\n`).join("");
      const spec = {
        ...POD.spec,
        containers: POD.spec?.containers ?? [],
        initContainers: [{ name: "own", image: "a" }],
      };
      const pod = inject(
        { metadata: { name: "web", annotations: { "sidecar.istio.io/nativeSidecar": native } }, spec },
        {
          config: `defaultTemplates: ${templates}`,
          "templates/vault": template("vault"),
          "templates/certs": template("certs"),
          "templates/ordered": `spec:\n  $setElementOrder/initContainers:\n${order}`,
        },
      );
      const names = (list: readonly Container[] | undefined) => list?.map(({ name }) => name);
      expect(names(pod.spec?.initContainers as readonly Container[])).toEqual(initContainers);
      expect(names(pod.spec?.containers)).toEqual(containers);
    },
  );

  it("takes the order of containers from a template that is first, save as the reference", () => {
    const list = '"$setElementOrder/containers":\n  - name: web\n  - name: istio-proxy\n';
    const order = `spec:\n  {{#if (isset metadata.annotations "order")}}\n  ${list}  {{/if}}\n`;
    const own = "spec:\n  containers:\n  - {name: istio-proxy, image: p}\n";
    const layer = (compatibility: string, templates: string) => ({
      config: `${compatibility}defaultTemplates: [${templates}]`,
      "templates/order": order,
      "templates/own": own,
    });
    const reference = "compatibility: reference\n";
    const namesOf = (pod: Pod) => pod.spec?.containers.map(({ name }) => name);
    const pod = { ...POD, metadata: { annotations: { order: "yes" } } };
    expect(namesOf(inject(pod, layer("", "order, own")))).toHaveLength(2);
    expect(namesOf(inject(pod, layer(reference, "own, order")))).toEqual(["web", "istio-proxy"]);
    expect(() => inject(pod, layer(reference, "order, own"))).toThrow(
      'Cannot merge the overlay\'s spec["$setElementOrder/containers"]: no template before it has containers',
    );
  });

  it.each([
    ["gateway", { name: "credential-socket", emptyDir: { medium: "Memory" } }],
    ["sidecar", { name: "credential-socket", emptyDir: {} }],
  ])("leaves the author's socket volume what the template %s makes of it", (template, expected) => {
    const volumes = [{ name: "credential-socket", emptyDir: { medium: "Memory" } }];
    const pod = inject(
      { ...POD, spec: { containers: POD.spec?.containers ?? [], volumes } },
      {
        config: `defaultTemplates: [${template}]`,
      },
    );
    expect(pod.spec?.volumes).toContainEqual(expected);
  });

  it.each(["TRUE", "maybe"])(
    "keeps one proxy when the author customises it and wants it native by saying %s",
    (wish) => {
      const containers = [...(POD.spec?.containers ?? []), { name: "istio-proxy", image: "auto", args: ["own"] }];
      const metadata = { annotations: { "sidecar.istio.io/nativeSidecar": wish } };
      const pod = inject({ metadata, spec: { containers } }, {});
      expect(pod.spec?.containers.map(({ name }) => name)).toEqual(["web"]);
      const proxies = pod.spec?.initContainers?.filter(({ name }) => name === "istio-proxy");
      expect(proxies).toMatchObject([{ args: ["own"], restartPolicy: "Always" }]);
    },
  );

  it.each([
    ["gateway", "containers", "initContainers"],
    ["sidecar", "initContainers", "containers"],
  ] as const)(
    "merges the author's proxy into the list of the template %s, wherever it is written",
    (name, to, from) => {
      for (const written of [from, to]) {
        const proxy = { name: "istio-proxy", image: "auto", args: ["own"] };
        const own = { containers: POD.spec?.containers ?? [], initContainers: [] };
        const spec = { ...own, [written]: [...own[written], proxy] };
        const native = { metadata: { annotations: { "sidecar.istio.io/nativeSidecar": "true" } } };
        const pod = inject({ ...native, spec }, { config: `defaultTemplates: [${name}]` });
        const proxies = Object.entries(pod.spec ?? {}).flatMap(([list, value]) =>
          (Array.isArray(value) ? (value as Container[]) : []).flatMap((each) =>
            each.name === proxy.name ? [[list, each.args, each.restartPolicy]] : [],
          ),
        );
        expect(proxies).toEqual([[to, ["own"], to === "initContainers" ? "Always" : undefined]]);
      }
    },
  );

  it("writes an interception mode that has no name as text", () => {
    const annotations = { "proxy.istio.io/config": "interceptionMode: 7" };
    const pod = inject({ ...POD, metadata: { annotations } }, { config: "defaultTemplates: [gateway]" });
    const proxy = pod.spec?.containers.find(({ name }) => name === "istio-proxy");
    expect(proxy?.env).toContainEqual({ name: "ISTIO_META_INTERCEPTION_MODE", value: "7" });
  });

  it.each(["gateway", "sidecar"])(
    "takes the probe settings of the values written as text in the template %s",
    (name) => {
      const proxy = {
        readinessInitialDelaySeconds: "3",
        readinessPeriodSeconds: "4",
        readinessFailureThreshold: "5",
        startupProbe: { failureThreshold: "6" },
      };
      const pod = inject(POD, {
        config: `defaultTemplates: [${name}]`,
        "values/texts": JSON.stringify({ global: { proxy } }),
      });
      const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
      const injected = containers.find((container) => container.name === "istio-proxy");
      expect(injected?.readinessProbe).toMatchObject({ initialDelaySeconds: 3, periodSeconds: 4, failureThreshold: 5 });
      expect(injected?.startupProbe?.failureThreshold).toBe(name === "sidecar" ? 6 : undefined);
    },
  );

  it("names no config map when the annotation for the bootstrap is empty", () => {
    const metadata = { annotations: { "sidecar.istio.io/bootstrapOverride": "" } };
    const pod = { ...POD, metadata: { ...POD.metadata, ...metadata } };
    const { spec } = inject(pod, { config: "compatibility: reference" });
    expect(spec?.volumes?.find(({ name }) => name === "custom-bootstrap-volume")?.configMap).toEqual({});
    expect(() => inject(pod, {})).toThrow(
      expect.objectContaining({ path: 'metadata.annotations["sidecar.istio.io/bootstrapOverride"]' }),
    );
  });
});
