// A newcomer with the built command line, kubectl and an empty folder follows pages to the end on what `outrigger start --fake` gives. Each
// commit follows one of two.
import { join } from "node:path";
import { describe, expect, it as test, vi } from "vitest";
import { ROOT } from "../pages/code-blocks.ts";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { blocksOf, hasKubectl, newcomer as openNewcomer } from "./newcomer.ts";

const CREATE = "kubectl run bare -n shop --image=web --dry-run=server -o yaml";
const REGISTER = "outrigger register --cluster shop --phase cluster";

async function newcomer(onTestFinished: (close: () => Promise<void>) => void) {
  const { run, done, close } = await openNewcomer(join(ROOT, "dist/outrigger.mjs"));
  onTestFinished(close);
  /** Runs the blocks of a page in order; `after` is what its prose says to do after a block that has some words. */
  const follow = async (page: string, after: Readonly<Record<string, string>> = {}) => {
    const said: string[] = [];
    for (const text of blocksOf(page)) {
      said.push(await done(text));
      for (const [words, next] of Object.entries(after)) if (text.includes(words)) said.push(await done(next));
    }
    return said.join("");
  };
  return { run, done, follow };
}

// One page to its end, literally, and what only a real kubectl shows. first-hours.test.ts follows why-not-injected.md and
// canary-release.md with names of a reader's own; test/eks/task-pages.test.ts follows deploy-and-register.md and proxy-cve.md.
const it = inTurn(test, turnOf("outrigger start --fake", 2));

describe.runIf(hasKubectl)("outrigger start --fake", { timeout: 300_000 }, () => {
  it("move-from-istio.md ends with Outrigger alone", async ({ onTestFinished }) => {
    const { follow } = await newcomer(onTestFinished);
    const said = await follow("docs/tasks/move-from-istio.md", {
      "--phase cluster": "for name in shop staging; do kubectl rollout restart deployment -n $name; done",
    });
    expect(said).toContain("3 of 3 workloads would be injected as they are today\n");
    expect(said).toContain("shop is registered with prod: revision default, phase enforce\n");
    expect(said).toContain("Unregistered shop\n");
  });

  it("serves an image as it is edited, makes workloads, and off ends injection", async ({ onTestFinished }) => {
    const { run, done } = await newcomer(onTestFinished);
    await done(REGISTER);
    const [publish = "", pods = ""] = blocksOf("docs/tasks/proxy-cve.md");
    await done(publish);
    expect(await run(pods)).toEqual({ code: 1, output: expect.stringMatching(/6 outdated[\s\S]*proxyv2:1\.31\.1/) });
    const served = async () => expect(await done(CREATE)).toContain("proxyv2:1.31.1");
    await vi.waitFor(served, { timeout: 60_000 });

    await done("kubectl create deployment plain -n checkout --image=web:1 --replicas=3");
    const made = async () => expect((await done("kubectl get pods -n checkout")).match(/^plain-/gm)).toHaveLength(3);
    await vi.waitFor(made, { timeout: 60_000, interval: 500 });
    expect((await run("kubectl create serviceaccount x")).output).toContain("-o yaml | kubectl apply -f -");

    await done("kubectl delete mutatingwebhookconfigurations -l app=sidecar-injector,istio.io/rev");
    await done("outrigger off --remove --yes");
    expect(await done(CREATE)).not.toContain("istio-proxy");
  });
});
