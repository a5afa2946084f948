// kubectl judges the controllers of these tests, and our reading of a rollout: both must say the same at every step. It runs where
// kubectl is installed (Debian: kubernetes-client).
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@outrigger/base";
import { rolloutStatus } from "@outrigger/rollouts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { runProgram } from "../support/run-program.ts";
import { openRestartLab, type RestartLab } from "./restart-lab.ts";

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.warn("kubectl is not installed: nothing judges the controllers of the tests here");

const KINDS = [
  ["Deployment", "deployments"],
  ["StatefulSet", "statefulsets"],
  ["DaemonSet", "daemonsets"],
] as const;

describe.runIf(hasKubectl)("kubectl", { timeout: 240_000 }, () => {
  let [lab, folder] = [] as unknown as [RestartLab, string];
  beforeEach(async () => {
    lab = await openRestartLab();
    folder = mkdtempSync(join(tmpdir(), "outrigger-kubectl-"));
    const kubeconfig = {
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: lab.api.url, "certificate-authority-data": btoa(lab.api.ca) } }],
      users: [{ name: "u", user: { token: "static" } }],
    };
    writeFileSync(join(folder, "config"), JSON.stringify(kubeconfig));
  });
  afterEach(async () => {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const kubectl = async (...words: readonly string[]) => {
    const argv = ["--kubeconfig", join(folder, "config"), "--cache-dir", folder, "-n", "shop", ...words];
    const { code, out, err } = await runProgram("kubectl", argv, { timeout: 120_000 });
    return { code, said: `${out}${err}` };
  };
  const ours = (plural: string) => {
    const object = lab.api.objects.get(`/apis/apps/v1/namespaces/shop/${plural}/web`) as JsonObject;
    return rolloutStatus(object).state;
  };
  const theirs = async (plural: string) => {
    const { code, said } = await kubectl("rollout", "status", `${plural}/web`, "--watch=false");
    if (/exceeded its progress deadline/.test(said)) return "failed";
    expect(code, said).toBe(0);
    return /successfully rolled out|roll out complete/.test(said) ? "complete" : "progressing";
  };

  const itInTurn = inTurn(it, turnOf("Kinds that kubectl restarts", KINDS.length));
  for (const [kind, plural] of KINDS)
    itInTurn(`restarts a ${kind}, and says at each step what we say`, async () => {
      lab.put(kind, "web", { replicas: 3, minReadySeconds: kind === "StatefulSet" ? 0 : 2 });
      await lab.settle();
      expect([ours(plural), await theirs(plural)]).toEqual(["complete", "complete"]);
      lab.state.served = "new";
      expect((await kubectl("rollout", "restart", `${plural}/web`)).said).toContain("restarted");
      const seen: string[] = [];
      for (let step = 0; step < 40 && seen.at(-1) !== "complete"; step++) {
        const [own, other] = [ours(plural), await theirs(plural)];
        expect(own, `step ${step}`).toBe(other);
        seen.push(own);
        await lab.sleep(1000);
      }
      expect(seen.at(-1)).toBe("complete");
      expect(seen).toContain("progressing");
      expect(new Set(lab.imagesOf("web"))).toEqual(new Set(["side:new"]));
      // What kubectl has restarted needs no restart of ours.
      lab.api.calls.length = 0;
      expect(await lab.restart()).toMatchObject({ state: "done", done: 0 });
      expect(lab.writes().size).toBe(0);
    });

  it("takes a progress deadline for the end, as we do", async () => {
    lab.put("Deployment", "web", { progressDeadlineSeconds: 30 });
    await lab.settle();
    lab.state.fateOf = () => ({});
    expect((await kubectl("rollout", "restart", "deployments/web")).code).toBe(0);
    for (let step = 0; step < 20; step++) await lab.sleep(4000);
    expect([ours("deployments"), await theirs("deployments")]).toEqual(["failed", "failed"]);
  });

  it("shows what the controllers have made", async () => {
    lab.put("Deployment", "web", { replicas: 3 });
    await lab.settle();
    const { said } = await kubectl("get", "deployments", "web", "-o", "jsonpath={.status.availableReplicas}");
    expect(said).toBe("3");
    expect((await kubectl("get", "pods", "-o", "name")).said.trim().split("\n")).toHaveLength(3);
  });
});
