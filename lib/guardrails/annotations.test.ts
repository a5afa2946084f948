import { expect, it } from "vitest";
import { isLabelObeyedElsewhere, isObeyedElsewhere } from "./annotations.ts";

it.each([
  ["note", false],
  ["istio.io/rev", false],
  ["sidecar.istio.io/status", false],
  ["prometheus.io/scrape", false],
  ["outrigger/release", false],
  ["kubectl.kubernetes.io/default-container", false],
  ["kubectl.kubernetes.io/default-logs-container", false],
  ["k8s.v1.cni.cncf.io/networks", false],
  ["kubectl.kubernetes.io/other", true],
  ["vault.example/agent-inject", true],
  ["istio.io.evil.example/rev", true],
  ["evilistio.io/rev", true],
  ["evil.example/a.istio.io/b", true],
  ["app.kubernetes.io/name", true],
])("an annotation %s is obeyed by another controller: %s", (key, isObeyed) => {
  expect(isObeyedElsewhere(key)).toBe(isObeyed);
});

it.each([
  ["app", false],
  ["istio.io/rev", false],
  ["security.istio.io/tlsMode", false],
  ["app.kubernetes.io/name", false],
  ["kubernetes.io/name", true],
  ["prometheus.io/scrape", true],
  ["admission.example/enabled", true],
])("a label %s is obeyed by another controller: %s", (key, isObeyed) => {
  expect(isLabelObeyedElsewhere(key)).toBe(isObeyed);
});
