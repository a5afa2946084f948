// Each mistake of usual-failures.ts, through the command line: the commands that can see it name it, one with the remedy.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { putDeployment, usualFailures } from "./usual-failures.ts";

interface Line {
  readonly id: string;
  readonly level: string;
  readonly seen: string;
  readonly fix?: string;
}

const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

describe("usual failures", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    lab.namespace("shop", { "istio-injection": "enabled" });
    lab.namespace("plain");
    putDeployment(lab);
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
  });
  afterEach(() => lab.close());

  const check = async () => {
    const { out } = await lab.run("check", "--cluster", "shop", "-o", "json");
    return (JSON.parse(out) as { readonly checks: readonly Line[] }).checks;
  };
  const explain = async (namespace: string) => {
    const { code, out } = await lab.run("explain", "deploy/web", "-n", namespace, ...KUBECONFIG);
    expect(code).toBe(0);
    return out;
  };

  it("are none where everything is as it should be", async () => {
    const found = (await check()).filter(({ level }) => level !== "ok");
    expect(found).toEqual([]);
    const text = await explain("shop");
    expect(text).toContain("  API server: admits it with a sidecar, as a dry run\n");
    expect(text).not.toMatch(/Fix:|Also sent to|could not make/);
  });

  // What each check says is tried in lib/cluster/check at each commit.
  const itInTurn = inTurn(it, turnOf("Usual failures, through the command line", 2));
  for (const { mistake, prepare, check: failing, explain: explained, pods, remedy } of usualFailures)
    itInTurn(`are named: ${mistake}`, async () => {
      await prepare(lab);
      const namespace = [...lab.api.objects.keys()].some((path) => path.endsWith("/plain/deployments/web"))
        ? "plain"
        : "shop";
      const lines = await check();
      const text = await explain(namespace);
      const { out: listed } = await lab.run("pods", "--state", "missing", "--cluster", "shop");
      if (failing !== undefined) {
        const [id, seen] = failing;
        expect(lines.find((line) => line.id === id)?.seen).toContain(seen);
      }
      if (explained !== undefined) expect(text).toContain(explained);
      if (pods !== undefined) expect(listed).toContain(pods);
      expect([JSON.stringify(lines), text, listed].join("\n")).toContain(remedy);
      expect(text).not.toContain("/t/abc");
    });

  it("are many, and a command names each", () => {
    expect(usualFailures.length).toBeGreaterThanOrEqual(20);
    for (const { mistake, check, explain, pods } of usualFailures)
      expect(
        [check, explain, pods].filter((said) => said !== undefined),
        mistake,
      ).not.toEqual([]);
  });
});
