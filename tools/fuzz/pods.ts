// Pods that are nearly right: names that the injection uses for its own, every annotation that is read, values that have
// been tried on injectors before.
import type { JsonObject } from "@outrigger/base";
import { pick, type Random } from "../../test/support/random.ts";
import { readTable } from "../support/read-table.ts";
import { below, damagedText, MARKER } from "./damage.ts";

/** Annotations that are read, texts for any of them, and what texts and reviews are damaged with. */
export const TEXTS = readTable<Readonly<Record<"annotations" | "texts" | "tokens" | "jsonTokens", readonly string[]>>>(
  "tools/fuzz/texts.yaml",
  "list",
);

function annotationText(random: Random): string {
  const text = pick(random, TEXTS.texts);
  return random() < 0.6 ? text : damagedText(text, random, TEXTS.tokens);
}

function containerOf(random: Random, name: string): JsonObject {
  return {
    name,
    image: pick(random, ["app", "auto"]),
    ...(random() < 0.4 && {
      readinessProbe: { httpGet: { path: "/", port: pick(random, [80, "http", "none", 15020]) } },
    }),
    ...(random() < 0.2 && { startupProbe: { grpc: { port: 80 } } }),
    ...(random() < 0.3 && { lifecycle: { preStop: { tcpSocket: { port: 80 } } } }),
    ...(random() < 0.4 && { ports: [{ name: "http", containerPort: 8080 }] }),
    ...(random() < 0.3 && {
      env: [{ name: pick(random, ["A", "PROXY_CONFIG", "ISTIO_KUBE_APP_PROBERS"]), value: annotationText(random) }],
    }),
    ...(random() < 0.3 && { securityContext: { runAsUser: pick(random, [0, 1337, 2000]) } }),
    ...(random() < 0.2 && { newField: { [MARKER]: [MARKER] } }),
  };
}

/** A pod that an API server could send, `main` and any of five more containers in it. */
export function podOf(random: Random): JsonObject {
  const names = ["app", "helper", "istio-proxy", "istio-init", "enable-core-dump"].filter(() => random() < 0.5);
  const at = below(random, names.length + 1);
  const annotations = Object.fromEntries(
    Array.from({ length: below(random, 5) }, () => [pick(random, TEXTS.annotations), annotationText(random)]),
  );
  return {
    metadata: { name: "web", labels: { app: pick(random, ["web", "x".repeat(70)]) }, annotations },
    spec: {
      containers: [{ name: "main", image: "main" }, ...names.slice(at).map((name) => containerOf(random, name))],
      ...(at > 0 && { initContainers: names.slice(0, at).map((name) => containerOf(random, name)) }),
      ...(random() < 0.3 && { volumes: [{ name: pick(random, ["data", "istio-data"]), emptyDir: {} }] }),
    },
  };
}

/** The containers that the author of such a pod wrote and must find again. */
export const FOREIGN: readonly string[] = ["main", "app", "helper"];
