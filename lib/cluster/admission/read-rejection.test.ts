import { describe, expect, it } from "vitest";
import { readRejection, refusesDryRuns } from "./read-rejection.ts";

// As Kubernetes words them; test/eks/usual-failures.test.ts has the others.
const MESSAGES: readonly (readonly [message: string, cause: string])[] = [
  ['admission webhook "namespace.sidecar-injector.outrigger" denied the request: template fails', "own-denial"],
  ["ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: no tag latest", "other-policy"],
  ['failed calling webhook "a.b": failed to call webhook: Post "x": service "s" not found', "missing-service"],
  ['failed calling webhook "a.b": no endpoints available for service "s"', "missing-service"],
  ['failed calling webhook "a.b": context deadline exceeded', "other-webhook"],
  ['Pod "web" is invalid: spec.containers[0].image: Required value', "invalid-pod"],
  ['pods "web" is forbidden: minimum memory usage per Pod is 1Gi, but request is 1Mi', "limit-range"],
  ["something else", "other"],
];

describe("readRejection()", () => {
  it.each(MESSAGES)("reads %s", (message, cause) => {
    const rejection = readRejection(message, { namespace: "shop" });
    expect(rejection).toMatchObject({ cause, message });
    expect(rejection.remediation).not.toBe("");
  });

  it("names the service account that is missing", () => {
    const message =
      'pods "web-" is forbidden: error looking up service account shop/web.app: serviceaccount "web.app" not found';
    expect(readRejection(message, { namespace: "shop" })).toMatchObject({
      cause: "service-account",
      remediation: "make the service account: kubectl create serviceaccount web.app -n shop",
    });
  });

  it("knows a webhook that takes no dry runs", () => {
    expect(refusesDryRuns('admission webhook "a.b" does not support dry run')).toBe(true);
    expect(refusesDryRuns('admission webhook "a.b" denied the request')).toBe(false);
  });
});
