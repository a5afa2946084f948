import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { authorMistakes } from "./author-mistakes.ts";

type Spec = NonNullable<Pod["spec"]>;
const PROXY = {
  name: "istio-proxy",
  image: "proxyv2:1",
  securityContext: { runAsUser: 1337 },
  ports: [{ containerPort: 15090 }],
};
const podOf = (container: object, metadata: object = {}, spec: object = {}): Pod => ({
  metadata,
  spec: { ...spec, containers: [{ name: "web", image: "web:1", ...container }] } as Spec,
});
/** The mistakes of a pod that gets a sidecar. */
const found = (pod: Pod) =>
  authorMistakes(pod, { ...pod, spec: { ...pod.spec, containers: [...(pod.spec?.containers ?? []), PROXY] } as Spec });
const annotated = (key: string, value: string) => podOf({}, { annotations: { [key]: value } });
const labelled = (key: string) => podOf({}, { labels: { [key]: "true" } });

describe("authorMistakes()", () => {
  it.each<[string, Pod, string]>([
    [
      "an unknown field of the proxy's configuration",
      annotated("proxy.istio.io/config", "holdApplicationsUntilProxyStarts: true\n"),
      'proxy.istio.io/config: holdApplicationsUntilProxyStarts is not known, did you mean "holdApplicationUntilProxyStarts"',
    ],
    [
      "a label in capitals",
      labelled("Sidecar.istio.io/inject"),
      "label Sidecar.istio.io/inject has no effect: write sidecar.istio.io/inject, in lower case",
    ],
    [
      "the namespace's label",
      labelled("istio-injection"),
      'label istio-injection is for namespaces: on the pod, write sidecar.istio.io/inject: "true"',
    ],
    [
      "white space in an image",
      podOf({ image: "web: 1" }),
      "container web: white space in its image cannot be pulled: remove it",
    ],
    [
      "a probe on a port that the container does not have",
      podOf({ readinessProbe: { httpGet: { port: "http" } }, ports: [{ name: "htp", containerPort: 80 }] }),
      'container web: readinessProbe is on port "http", which it does not have: add it to ports',
    ],
    [
      "the proxy's user, for the pod",
      podOf({}, {}, { securityContext: { runAsUser: 1337 } }),
      "container web: runAsUser 1337 is the proxy's, so its traffic bypasses it: use another",
    ],
    ...[15000, 15001, 15004, 15006, 15008, 15020, 15021, 15053, 15090].map((port): [string, Pod, string] => [
      `port ${port}`,
      podOf({ ports: [{ containerPort: port }] }),
      `container web: port ${port} is istio-proxy's: let the application listen on another`,
    ]),
    [
      "image: auto",
      podOf({ image: "auto" }),
      'container web: no template gives it an image: write one instead of "auto"',
    ],
    [
      "white space in an init container's image",
      podOf({}, {}, { initContainers: [{ name: "wait", image: " wait:1" }] }),
      "container wait: white space in its image cannot be pulled: remove it",
    ],
    [
      "a native sidecar's port",
      podOf({}, {}, { initContainers: [{ name: "log", restartPolicy: "Always", ports: [{ containerPort: 15021 }] }] }),
      "container log: port 15021 is istio-proxy's: let the application listen on another",
    ],
    [
      "image: auto of an init container",
      podOf({}, {}, { initContainers: [{ name: "wait", image: "auto" }] }),
      'container wait: no template gives it an image: write one instead of "auto"',
    ],
  ])("names %s, with the fix", (_title, pod, warning) => {
    expect(found(pod)).toEqual([warning]);
    expect(warning.length).toBeLessThanOrEqual(120);
  });

  it("finds none where nothing is wrong, nor in what is injected", () => {
    const sound = podOf(
      {
        ports: [{ name: "http", containerPort: 8080 }],
        livenessProbe: { httpGet: { port: "http" } },
        readinessProbe: { tcpSocket: { port: 9 } },
      },
      {
        labels: { "sidecar.istio.io/inject": "true" },
        annotations: { "sidecar.istio.io/logLevel": "debug", "proxy.istio.io/config": "concurrency: 2" },
      },
    );
    expect(found(sound)).toEqual([]);
    expect(found({ spec: { containers: [PROXY] } as Spec })).toEqual([]);
  });

  it("lets an init container that ends before the proxy starts run as its user, and listen on its ports", () => {
    const wait = { name: "wait", securityContext: { runAsUser: 1337 }, ports: [{ containerPort: 15021 }] };
    expect(found(podOf({}, {}, { initContainers: [wait] }))).toEqual([]);
  });

  it("finds nothing about the proxy in a pod that has none", () => {
    const pod = podOf({ ports: [{ containerPort: 15090 }], securityContext: { runAsUser: 1337 } });
    expect(authorMistakes(pod, pod)).toEqual([]);
  });
});
