// A case whose annotations are not JSON: it differs, and the run continues.
import { describe, expect, it } from "vitest";
import { caseVerdict } from "./case-verdict.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import type { CaseOutcome } from "./entry-points.ts";

const podWith = (status: string, name = "a") => ({
  metadata: { name, annotations: { "sidecar.istio.io/status": status } },
  spec: { containers: [{ name: "web", image: "web" }] },
});

describe("caseVerdict()", () => {
  it.each(["not JSON", "{half", "null"])("finds a difference where the status is %s", (status) => {
    const pod = podWith(status);
    const asked: ConformanceCase = {
      name: "set/odd",
      door: "webhook",
      config: {},
      values: {},
      environment: {},
      request: { object: pod },
      expect: { allowed: true, injected: true, pod },
    };
    const outcome: CaseOutcome = { kind: "pod", pod: podWith(status, "b"), patched: true };
    const { verdict, entryPoints } = caseVerdict(asked, [{ entryPoint: "inject", outcome }], outcome);
    expect(verdict).toBe("unknown");
    expect(entryPoints[0]?.differences).not.toEqual([]);
  });
});
