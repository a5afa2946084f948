// A Go template as a case for Istio's injector: the only template of the configuration.
import type { JsonObject } from "@outrigger/base";

export function caseOf(
  name: string,
  template: string,
  values: JsonObject,
  annotations: Readonly<Record<string, string>>,
  nativeSidecars: boolean,
): JsonObject {
  const metadata = { name: "web", namespace: "shop", labels: { "job-name": "j" }, annotations };
  return {
    name,
    door: "webhook",
    config: { policy: "enabled", defaultTemplates: ["custom"], templates: { custom: template } },
    values,
    meshConfig: { defaultConfig: { proxyMetadata: { ZONE: "z" } } },
    environment: { nativeSidecars, revision: "default" },
    request: {
      namespace: "shop",
      path: "/inject",
      object: { metadata, spec: { containers: [{ name: "app", image: "app" }] } },
    },
  };
}
