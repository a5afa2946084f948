// The task pages whose blocks need a cluster, followed literally: in bash, with the stand-in of an API server, its controllers, and the
// real webhook. test/e2e follows move-from-istio.md, why-not-injected.md and canary-release.md. Each
// commit follows a third of them.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectOf, objectsOf } from "@outrigger/base";
import { putWorkload } from "@outrigger/fake-aws";
import { parseYaml } from "@outrigger/yaml";
import { afterEach, beforeEach, describe, expect, it as test, vi } from "vitest";
import { codeBlocks, isShell, textOf } from "../pages/code-blocks.ts";
import { openShell, type Shell } from "../pages/shell.ts";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { shippedTree } from "../support/shipped-tree.ts";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { withControllers } from "./controlled-lab.ts";
import { boundRules, rbacAuthorizer } from "./rbac-authorizer.ts";

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.warn("kubectl is not installed: the task pages that use it are not followed");

const it = inTurn(test, turnOf("Task pages", 3));

describe("docs/tasks", { timeout: 240_000 }, () => {
  let lab: CliLab;
  let shell: Shell;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    lab = await openCliLab(await shippedTree());
    for (const name of ["staging", "shop"]) lab.namespace(name, { "istio-injection": "enabled" });
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    putWorkload(lab, "staging", "cart");
    for (const name of ["cart", "web"]) putWorkload(lab, "shop", name);
    await withControllers(lab);
    shell = await openShell((place) => lab.ioOf(place), {
      programs: ["kubectl"],
      env: { KUBECONFIG: join(lab.cwd, "kubeconfig"), OUTRIGGER_STAGE: "dev" },
    });
  });
  afterEach(async () => {
    await shell.close();
    await lab.close();
    vi.useRealTimers();
  });

  /** The blocks of a page that are run, by what they begin with. */
  const blocksOf = (page: string) =>
    codeBlocks(textOf(page)).filter((block) => isShell(block) && !block.marks.includes("server"));
  const follow = async (page: string, from: number, to?: number) => {
    const results = [];
    for (const block of blocksOf(page).slice(from, to)) results.push(await shell.run(block.text));
    return results;
  };

  it("proxy-cve.md ends with no outdated pod", async () => {
    const page = "docs/tasks/proxy-cve.md";
    const [published, found, restarted] = await follow(page, 0, 3);
    expect(published?.code, published?.output).toBe(0);
    expect([found?.code, found?.output]).toEqual([1, expect.stringContaining("6 pods: 6 outdated\n")]);
    expect(found?.output).toMatch(/proxyv2:\S+ → \S+proxyv2:1\.31\.1\n/);
    expect(restarted?.code, restarted?.output).toBe(0);
    const [shown] = await follow(page, 4);
    expect([shown?.code, shown?.output]).toEqual([0, "no pod is outdated\n"]);
  });

  it("proxy-cve.md takes a bad image back with its pods", async () => {
    const page = "docs/tasks/proxy-cve.md";
    const [published] = await follow(page, 0, 1);
    expect(published?.code, published?.output).toBe(0);
    // The fixed image turns out to crash.
    await lab.aws.edit("values/90-bad", "global: {hub: crashing.example}\n");
    expect((await lab.run("publish")).code).toBe(0);
    const [, restarted, back, shown] = await follow(page, 1);
    expect([restarted?.code, restarted?.output]).toEqual([
      1,
      expect.stringMatching(
        /staging\/Deployment\/cart does not come back: pod cart-\S+, container istio-proxy: CrashLoopBackOff/,
      ),
    ]);
    expect(back?.output).toContain("staging/Deployment/cart is back\n");
    // Those that never had it keep the image of before, until it is published again.
    expect([shown?.code, shown?.output]).toEqual([1, expect.stringContaining("2 workloads of shop would come out")]);
  });

  const canary = async () => {
    await lab.aws.edit("values/50-image", 'global: {tag: "1.31.1"}\n');
    expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
  };
  const lineOf = (page: string, words: string) =>
    blocksOf(page)
      .flatMap(({ text }) => text.split("\n"))
      .find((line) => line.includes(words));
  const runBlock = async (page: string, words: string) => {
    const block = blocksOf(page).find(({ text }) => text.includes(words));
    expect(block, words).toBeDefined();
    return shell.run(block?.text ?? "");
  };

  it("upgrade-istio.md ends with no outdated pod", async () => {
    await canary();
    const page = "docs/tasks/upgrade-istio.md";
    const promoted = await runBlock(page, "outrigger promote canary stable -m");
    expect(promoted.code, promoted.output).toBe(0);
    const restarted = await runBlock(page, "outrigger restart --context prod");
    expect([restarted.code, restarted.output]).toEqual([0, expect.stringMatching(/6 pods: 6 current\n$/)]);
  });

  it("upgrade-istio.md, pipeline.md and releases.md promote share by share, judged by the pods", async () => {
    await canary();
    const words = "outrigger promote canary stable --share 5,25,100 --restart --context prod";
    // The pipeline has nobody to ask, and the page of releases shows the rollout as well.
    expect(lineOf("docs/tasks/upgrade-istio.md", words)).toBe(words);
    expect(lineOf("docs/releases.md", words)).toBe(words);
    expect(lineOf("docs/tasks/pipeline.md", words)).toBe(`${words} --yes`);
    const promoted = await runBlock("docs/tasks/pipeline.md", words);
    expect(promoted.code, promoted.output).toBe(0);
    expect(promoted.output).toContain("All workloads have it");
    expect((await shell.run("outrigger pods --context prod")).output).toBe("6 pods: 6 current\n");
    expect((await shell.run("outrigger rollout status stable --context prod")).code).toBe(0);
  });

  it("pipeline.md keeps samples of the pods in a branch of their own, and writes an edit's effect on the fleet", async () => {
    await shell.run("git init -q --bare origin.git && git clone -q origin.git work 2>&1");
    const into = await shell.run(
      `cd work && git config user.name n && git config user.email n@example.com
       mkdir -p my-templates/templates && printf 'defaultTemplates: [sidecar, agent]\n' > my-templates/config.yaml
       printf '%s\n' 'spec:' '  containers:' '  - name: agent' '    image: agent:1' '    {{#if (eq metadata.labels.app "cart")}}' '    tty: true' '    {{/if}}' > my-templates/templates/agent.hbs
       git add --all && git commit -qm trees && git branch -M main && git push -q origin main`,
    );
    expect(into.code, into.output).toBe(0);
    /** The commands of a job of the page, in the laboratory's names. Its `gh` writes down what it was asked. */
    const job = async (name: string, setup = "") => {
      const jobs = codeBlocks(textOf("docs/tasks/pipeline.md")).filter(({ text }) =>
        text.startsWith(`name: ${name}\n`),
      );
      expect(jobs.length, name).toBe(1);
      const steps = objectOf(objectOf(objectOf(parseYaml(jobs[0]?.text ?? "", ""))["jobs"])[name])["steps"];
      const scripts = objectsOf(steps).flatMap(({ run }) => (typeof run === "string" && run !== "npm ci" ? [run] : []));
      const inLab = scripts.map(
        (script) => `(\n${script.replaceAll("--cluster prod --deployment prod", "--context prod")}\n)`,
      );
      return shell.run(`gh() { echo "gh $*" >> gh.log; [ "$1 $2" != "pr view" ]; }\n${setup}\n${inLab.join("\n")}`);
    };
    const night = await job("samples");
    expect(night.code, night.output).toBe(0);
    expect(night.output).toContain("Wrote samples/staging-cart.yaml: ");
    const pushed = await shell.run(
      "git ls-tree --name-only -r origin/samples && git log -1 --format=%s origin/samples && cat gh.log",
    );
    expect(pushed.output).toContain("my-templates/samples/staging-cart.yaml\n");
    expect(pushed.output).toMatch(/\nSamples of the pods of prod\n[\s\S]*gh pr create --head samples --fill\n$/);
    // Once they are merged, the next night has nothing to do.
    const again = await job("samples", "git switch -q main && git merge -q samples && rm gh.log");
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("Nothing to write\n")]);
    expect((await shell.run("test ! -e gh.log && git status --porcelain")).output).toBe("");
    const effect = await job("effect", "NUMBER=7");
    expect(effect.code, effect.output).toBe(0);
    const commented = await shell.run("cat effect.md gh.log");
    expect(commented.output).toMatch(
      /would gain agent[\s\S]*gh pr comment 7 --body-file effect\.md --edit-last --create-if-none\n$/,
    );
  });

  it("running-pods.md lists, restarts, changes in place and takes back as it says", async () => {
    await canary();
    expect((await lab.run("promote", "canary", "stable")).code).toBe(0);
    const page = "docs/running-pods.md";
    const planned = await shell.run("outrigger restart --context prod --dry-run");
    expect(planned.output).toContain("To restart, in this order: 3 workloads with 6 pods\n");
    const inPlace = await runBlock(page, "--in-place");
    expect([inPlace.code, inPlace.output]).toEqual([1, expect.stringContaining("Nothing to change in place\n")]);
    const back = await runBlock(page, "outrigger rollback stable --restart");
    expect(back.code, back.output).toBe(0);
    expect((await shell.run("outrigger pods --context prod")).output).toBe("6 pods: 6 current\n");
  });

  it("running-pods.md gives the proxy more CPU where it runs, and says what of it waits for a new pod", async () => {
    await lab.aws.edit("values/50-proxy", "global:\n  proxy:\n    resources:\n      requests: {cpu: 200m}\n");
    expect((await lab.run("publish")).code).toBe(0);
    const page = "docs/running-pods.md";
    const left = await runBlock(page, "--in-place");
    expect([left.code, left.output]).toEqual([
      1,
      expect.stringMatching(/Deployment\/web +its container istio-init has run already: restart it, or name/),
    ]);
    const pods = () => [...lab.api.objects].filter(([path]) => path.includes("/pods/"));
    const before = pods().map(([path]) => path);
    const done = await shell.run("outrigger restart --context prod --in-place --container istio-init");
    expect([done.code, done.output]).toEqual([
      0,
      expect.stringContaining("istio-init has run already: what is new in it counts when its pod restarts\n"),
    ]);
    expect(done.output).not.toContain("istio-proxy");
    expect((await shell.run("outrigger pods --context prod")).output).toBe("6 pods: 6 current\n");
    expect(pods().map(([path]) => path)).toEqual(before);
    for (const [, { spec }] of pods()) expect(JSON.stringify(spec)).toMatch(/"requests":{"cpu":"200m"/);
  });

  /** The laboratory's stage is dev, and its certificate is signed by an authority of its own. */
  const runHere = (page: string, words: string) => {
    const block = blocksOf(page).find(({ text }) => text.includes(words));
    expect(block, words).toBeDefined();
    const ca = `--ca-file ${join(lab.cwd, "ca.pem")}`;
    // An access entry and the stack are AWS's own.
    const own = (block?.text ?? "").replace(/^aws eks create-access-entry .*\\\n.*\n|^outrigger undeploy.*$/gm, "");
    const text = own.replaceAll("--deployment prod", "--deployment dev");
    return shell.run(text.replaceAll("outrigger register", `outrigger register ${ca}`));
  };
  const followed = async (page: string, words: string) => {
    const { code, output } = await runHere(page, words);
    expect(code, output).toBe(0);
    return output;
  };
  /** Waits until the workloads that were restarted have come back. */
  const settled = async () => {
    for (let step = 0; step < 30; step++) await lab.sleep(2000);
  };
  /** New pods, without `kubectl rollout restart`, which refuses a second one within a second. */
  const remade = async (value: string, ...namespaces: readonly string[]) => {
    for (const namespace of namespaces) {
      const { code, output } = await shell.run(`kubectl set env deployment --all -n ${namespace} REMADE=${value}`);
      expect(code, output).toBe(0);
    }
    await settled();
  };
  /** Makes the cluster one that Outrigger does not know yet. */
  const neverRegistered = async () => {
    expect((await lab.run("unregister", "--yes", "--cluster", "shop")).code).toBe(0);
    await remade("1", "shop", "staging");
  };

  it("second-region.md publishes the same release to each Region, and registers clusters with either", async () => {
    const page = "docs/tasks/second-region.md";
    const close = await lab.addRegion("us-east-1", "shop-us");
    mkdirSync(join(shell.folder, "my-templates/values"), { recursive: true });
    writeFileSync(join(shell.folder, "my-templates/values/50-mine.yaml"), "global: {hub: registry.example/mine}\n");
    const published = await followed(page, "outrigger publish");
    const served = [...published.matchAll(/^stable serves ([0-9a-f]{12}) now /gm)].map(([, release]) => release);
    expect([served.length, new Set(served).size]).toEqual([2, 1]);
    await followed(page, "--cluster shop-us");
    await followed(page, "--cluster-region eu-west-1");
    const listed = await shell.run("outrigger clusters --deployment dev --region us-east-1");
    expect(listed.output).toMatch(/^shop /m);
    expect(listed.output).toMatch(/^shop-us /m);
    await close();
  });

  it("many-clusters.md registers clusters of two accounts, looks at all, restarts and rotates them", async () => {
    const page = "docs/tasks/many-clusters.md";
    const pay = await lab.addCluster("pay", "222233334444/eu-west-1");
    const stock = await lab.addCluster("stock");
    for (const { namespace } of [pay, stock]) namespace("shop", { "istio-injection": "enabled" });
    const policy = await followed(page, "outrigger print policy registrar-role");
    expect(policy).toBe("");
    expect((await shell.run("cat outrigger-operator.json")).output).toContain('"eks:DescribeCluster"');
    await followed(page, "outrigger print policy registrar ");
    expect((await shell.run("cat registrar.json")).output).toContain(":222233334444:role/outrigger-operator");
    await followed(page, "outrigger register --deployment prod --cluster pay");
    await lab.sleep(60_000);
    expect(lab.services.eksCallers).toContain("ROLEoutrigger-operator");
    for (const { api } of [pay, stock]) putWorkload({ put: (path, object) => api.put(path, object) }, "shop", "pay");
    await withControllers(lab, [pay.api, stock.api]);
    await canary();
    const behind = await runHere(page, "outrigger clusters --all");
    expect(behind.output).toMatch(
      /^pay +1\.33 +stable [0-9a-f]{12} \d+[sm] +stable serves an older release than canary$/m,
    );
    expect((await lab.run("promote", "canary", "stable")).code).toBe(0);
    const restarted = await followed(page, "outrigger restart --clusters");
    expect(restarted).toMatch(/^shop +3 +0 +all are back\nstock +1 +0 +all are back\npay +1 +0 +all are back$/m);
    expect(await followed(page, "outrigger pods --all")).toMatch(/^pay +2 +1 +0 +2 current$/m);
    expect(await followed(page, "outrigger token rotate --all")).toMatch(/^pay +still-live /m);
  });

  describe.runIf(hasKubectl)("with kubectl", () => {
    it("sidecar-for-a-namespace.md injects the pods of a namespace that had none", async () => {
      const page = "docs/tasks/sidecar-for-a-namespace.md";
      lab.namespace("shop");
      await remade("1", "shop");
      expect((await shell.run("outrigger pods --context prod")).output).toContain("4 without, as intended");
      await followed(page, "kubectl rollout");
      await settled();
      expect((await shell.run("outrigger pods --context prod")).output).toBe("6 pods: 6 current\n");
      await followed(page, "outrigger pods --state missing");
      await followed(page, "istio.io/rev=canary");
      const labels = (await shell.run("kubectl get namespace shop -o jsonpath={.metadata.labels}")).output;
      expect(labels).toContain('"istio.io/rev":"canary"');
      expect(labels).not.toContain("istio-injection");
    });

    it("move-from-app-mesh.md moves a namespace", async () => {
      lab.namespace("checkout", { "appmesh.k8s.aws/sidecarInjectorWebhook": "enabled", mesh: "old" });
      putWorkload(lab, "checkout", "pay");
      await settled();
      await followed("docs/tasks/move-from-app-mesh.md", "kubectl rollout");
      await settled();
      expect((await shell.run("outrigger pods --context prod")).output).toBe("8 pods: 8 current\n");
    });

    it("deploy-and-register.md registers phase by phase, with the roles that it applies and no others", async () => {
      const page = "docs/tasks/deploy-and-register.md";
      for (const name of ["checkout", "istio-system"]) lab.namespace(name);
      putWorkload(lab, "checkout", "pay");
      await neverRegistered();
      expect(await followed(page, "outrigger print rbac | kubectl apply")).toContain("created\n");
      const rules = boundRules([...lab.api.objects.values()], "outrigger-registrars");
      const authorize = rbacAuthorizer(rules, (path) => lab.api.objects.has(path));
      // Of the two principals, the one that EKS let in by the entry.
      let asked = 0;
      lab.api.authorize = (method, path, type, token) => {
        if (!token.startsWith("k8s-aws-v1.")) return undefined;
        asked++;
        return authorize(method, path, type);
      };
      await followed(page, "outrigger check");
      await followed(page, "--phase enforce");
      expect(asked).toBeGreaterThan(20);
      await settled();
      expect((await shell.run("outrigger pods --context prod -n checkout")).output).toBe("2 pods: 2 current\n");
      await followed(page, "outrigger unregister");
    });
  });
});
