// After a burst: the pods whose calls got no review run without a sidecar, and `pods --state missing` says how many, and when.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

describe("pods whose calls were lost", { timeout: 120_000 }, () => {
  let lab: CliLab;
  const burst = Date.now() + 3_600_000;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    lab = await openCliLab();
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    for (let pod = 0; pod < 5; pod++) {
      const creationTimestamp = new Date(burst + (pod < 4 ? 20_000 : 1_800_000)).toISOString();
      const labels = { "sidecar.istio.io/inject": "true" };
      lab.put(`/api/v1/namespaces/default/pods/web-${pod}`, {
        metadata: { name: `web-${pod}`, namespace: "default", labels, creationTimestamp },
        spec: { containers: [{ name: "app", image: "app" }] },
      });
    }
    vi.setSystemTime(burst + 7_200_000);
  });
  afterEach(async () => {
    await lab.close();
    vi.useRealTimers();
  });

  it("are counted by pods --state missing, next to the calls that the gateway refused then", async () => {
    lab.services.lostCalls.set("GatewayThrottled", [[burst, 3900]]);
    lab.services.lostCalls.set("GatewayFailed", [[burst, 1]]);
    for (const metric of ["GatewayRejected", "Late"]) lab.services.lostCalls.set(metric, []);
    const { code, out } = await lab.run("pods", "--state", "missing", "--cluster", "shop");
    expect(code).toBe(1);
    expect(out).toContain(
      "0 of 5 pods have a sidecar, 5 should have one\n4 of them were made when calls got no review: 3901 ",
    );
    const { missed } = JSON.parse((await lab.run("pods", "--state", "missing", "--cluster", "shop", "-o", "json")).out);
    expect(missed).toMatchObject({ pods: 4, calls: 3901, since: new Date(burst).toISOString() });
  });

  it("are listed also where the metrics cannot be read, which is said", async () => {
    lab.services.faults.set("monitoring", { status: 403, type: "AccessDeniedException" });
    const { code, out, err } = await lab.run("pods", "--state", "missing", "--cluster", "shop");
    expect([code, out]).toEqual([1, expect.stringContaining("5 should have one")]);
    expect(err).toContain("Whether calls were lost when these pods were made is not known: Cannot count calls");
  });
});
