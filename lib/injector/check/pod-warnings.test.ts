import { examineTemplates, helpers } from "@outrigger/template";
import { describe, expect, it } from "vitest";
import type { InjectionConfig } from "../injection.ts";
import { podWarnings } from "./pod-warnings.ts";

const { compiled: templates } = examineTemplates(
  {
    templates: { agent: 'a: {{annotation metadata "sidecar.istio.io/agentColour" "red"}}\n' },
    partials: {},
  },
  helpers,
);
const found = podWarnings({ config: {} as InjectionConfig, templates });
const ofAnnotation = (key: string) => found({ metadata: { annotations: { [key]: "x" } } });

describe("podWarnings()", () => {
  it.each([
    ["sidecar.istio.io/proxyImagee", "sidecar.istio.io/proxyImage"],
    ["sidecar.istio.io/proxyimage", "sidecar.istio.io/proxyImage"],
    ["sidecar.istio.io/agentColor", "sidecar.istio.io/agentColour"],
    ["proxy.istio.io/confg", "proxy.istio.io/config"],
    ["inject.istio.io/template", "inject.istio.io/templates"],
    ["sidecar.istio.io/excludeInboundPorts", "traffic.sidecar.istio.io/excludeInboundPorts"],
    ["istio.io/inject", "sidecar.istio.io/inject"],
  ])("names the key that %s is near", (key, near) => {
    expect(ofAnnotation(key)).toEqual([
      `metadata.annotations['${key}'] is not read by any template or step: did you mean ${near}?`,
    ]);
  });

  it("names the variant of the proxy's image that a value is near", () => {
    const ofVariant = (type: string) =>
      found({ metadata: { annotations: { "sidecar.istio.io/proxyImageType": type } } });
    expect(ofVariant("distrolss")).toEqual([
      `metadata.annotations['sidecar.istio.io/proxyImageType'] is "distrolss": Istio publishes no such variant of its images, did you mean "distroless"?`,
    ]);
    for (const right of ["", "debug", "default", "fips"]) expect(ofVariant(right)).toEqual([]);
  });

  it("names the variant that the annotated ProxyConfig is near", () => {
    const ofConfig = (text: string) => found({ metadata: { annotations: { "proxy.istio.io/config": text } } });
    expect(ofConfig("image: {imageType: debgu}")).toEqual([
      `metadata.annotations['proxy.istio.io/config']: image.imageType is "debgu": Istio publishes no such variant of its images, did you mean "debug"?`,
    ]);
    for (const right of [
      "",
      "concurrency: 2",
      "image: {imageType: fips}",
      "image: {imageType: [debgu]}",
      "{",
      "image: 1",
    ])
      expect(ofConfig(right)).toEqual([]);
  });

  it("checks labels", () => {
    expect(found({ metadata: { labels: { "sidecar.istio.io/injct": "true", app: "web" } } })).toEqual([
      expect.stringMatching(
        /^metadata\.labels\['sidecar\.istio\.io\/injct'\] .* did you mean sidecar\.istio\.io\/inject\?$/,
      ),
    ]);
  });

  it.each([
    "sidecar.istio.io/proxyImage",
    "sidecar.istio.io/agentColour",
    "sidecar.istio.io/statsCompression",
    "sidecar.istio.io/somethingElse",
    "mesh.istio.io/port",
    "acme.example/proxyImagee",
    "istio-injection",
  ])("says nothing of %s", (key) => {
    expect(ofAnnotation(key)).toEqual([]);
  });

  it.each(["port", "config", "status", "tag", "global", "cluster", "network", "templates"])(
    "takes %s, which many programs use, for a mistake in no other domain",
    (name) => {
      expect(ofAnnotation(`mesh.istio.io/${name}`)).toEqual([]);
    },
  );

  it.each(["exportTo", "rewriteAppHTTPProbers", "canonical-name", "tlsMode"])(
    "names the domain of %s where another is written",
    (name) => {
      expect(ofAnnotation(`mesh.istio.io/${name}`)).toEqual([
        expect.stringMatching(`did you mean .*istio\\.io/${name}\\?$`),
      ]);
    },
  );

  it("says nothing of a pod without metadata", () => {
    expect(found({})).toEqual([]);
  });

  it("names a label in capitals once, and what is wrong with the labels of a pod that is not injected", () => {
    expect(
      found({ metadata: { labels: { "sidecar.istio.io/Inject": "true", "istio-injection": "enabled" } } }),
    ).toEqual([
      "label sidecar.istio.io/Inject has no effect: write sidecar.istio.io/inject, in lower case",
      'label istio-injection is for namespaces: on the pod, write sidecar.istio.io/inject: "true"',
    ]);
  });

  it("warns of nothing where the release keeps to the reference", () => {
    const warnings = podWarnings({ config: { compatibility: "reference" } as InjectionConfig, templates });
    expect(warnings({ metadata: { labels: { "istio-injection": "enabled" } } })).toEqual([]);
  });
});
