// How many requests a registration makes of the API server: each object is read once, and written as it was read.
import { registerCluster } from "@outrigger/cluster";
import { expect, it } from "vitest";
import { openClusterLab } from "./cluster-lab.ts";

it("registerCluster() makes 20 requests for a first registration of six objects, and 7 when nothing is to do", async () => {
  const lab = await openClusterLab();
  const asked = { phase: "enforce", safetyNet: "deny" } as const;
  try {
    await registerCluster(lab.request(asked), lab.ports);
    const ours = [...lab.api.objects.keys()].filter((path) => path.includes("admissionregistration"));
    expect([ours.length, lab.api.calls.length]).toEqual([6, 20]);
    lab.api.calls.length = 0;
    await registerCluster(lab.request(), lab.ports);
    expect(lab.api.calls).toHaveLength(7);
    expect(lab.api.calls.filter((call) => call.startsWith("PATCH"))).toEqual([]);
  } finally {
    await lab.close();
  }
});
