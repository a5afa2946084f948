// `outrigger pods`, through the command line: pods that the real webhook injected, under a release that changes.
import type { JsonObject } from "@outrigger/base";
import { defaultedPod, putWorkload } from "@outrigger/fake-aws";
import type { Pod } from "@outrigger/pod";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CliLab } from "./cli-lab.ts";
import { withControllers } from "./controlled-lab.ts";
import { openRegisteredLab } from "./registered-lab.ts";

const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];
const STATUS = "sidecar.istio.io/status";

describe("outrigger pods", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegisteredLab({ others: ["plain"] });
  });
  afterEach(() => lab.close());

  /** A pod of a Deployment, as it is sent. */
  const podOf = (name: string, namespace = "shop", labels: Readonly<Record<string, string>> = {}): Pod => ({
    metadata: {
      generateName: `${name}-5d8f-`,
      namespace,
      labels: { app: name, "pod-template-hash": "5d8f", ...labels },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-5d8f`, uid: `uid-${name}`, controller: true },
      ],
    },
    spec: { containers: [{ name: "app", image: `${name}:1` }] },
  });
  let made = 0;
  const run = async (pod: Pod, isSent = true, change: (object: JsonObject) => JsonObject = (object) => object) => {
    const { namespace, generateName } = pod.metadata as { namespace: string; generateName: string };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const body = JSON.stringify(defaultedPod(pod));
    const sent = { method: "POST", path: `${path}?dryRun=All`, body, contentType: "application/json" };
    const object = JSON.parse(isSent ? (await lab.api.direct(sent)).body : body) as Pod;
    const name = `${generateName}bcd${"fghjk"[made % 5]}${"lmnpq"[Math.floor(made++ / 5) % 5]}`;
    const stored = { ...defaultedPod(object), metadata: { ...object.metadata, name }, status: { phase: "Running" } };
    lab.api.put(`${path}/${name}`, change(stored as unknown as JsonObject));
    return name;
  };
  const pods = async (...argv: readonly string[]) => lab.run("pods", ...KUBECONFIG, ...argv);
  const workloads = async (...argv: readonly string[]) =>
    JSON.parse((await pods("-o", "json", ...argv)).out).workloads as readonly Readonly<Record<string, unknown>>[];

  const ask = async (...argv: readonly string[]) => lab.run(...argv, ...KUBECONFIG);

  it("lists nothing where a new pod would be the same, and everything with -o wide", async () => {
    for (let index = 0; index < 3; index++) await run(podOf("web"));
    await run(podOf("job", "plain"));
    const found = await pods();
    expect(found).toEqual({ code: 0, out: "4 pods: 3 current, 1 without, as intended\n", err: "" });
    const [workload] = await workloads();
    expect(workload).toMatchObject({ namespace: "shop", kind: "Deployment", name: "web", pods: 3 });
    const { releases, served } = workload as { releases: object; served: string };
    expect(releases).toEqual({ [served]: 3 });
    expect((await pods("-o", "wide")).out).toMatch(
      /\nNAMESPACE +WORKLOAD +PODS +STATE +RELEASE +NOW +DIFFERS\nshop +Deployment\/web +3 +current +[0-9a-f]{12} +[0-9a-f]{12} +-\n$/,
    );
  });

  it("are counted by release for the studio's page, which changes nothing", async () => {
    for (let index = 0; index < 2; index++) await run(podOf("web"));
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    await lab.run("publish");
    await run(podOf("web"));
    await run(podOf("bare"), false);
    const [{ served }] = (await workloads("-o", "json")) as [{ served: string }];
    const studio = await openStudio("--context", "eks");
    const running = await studio.get("/api/running");
    expect(running).toMatchObject({
      cluster: "shop",
      pods: 4,
      states: { outdated: 2, current: 1, missing: 1 },
      releases: [
        { release: expect.not.stringContaining(served), pods: 2 },
        { release: served, pods: 1, channel: "stable" },
      ],
      outdatedWorkloads: 2,
      outdated: expect.arrayContaining([
        {
          namespace: "shop",
          name: "Deployment web",
          pods: 3,
          state: "outdated",
          fields: ["containers[istio-proxy].image"],
        },
        { namespace: "shop", name: "Deployment bare", pods: 1, state: "missing", fields: [] },
      ]),
    });
    expect((await studio.get("/api/workspace"))["cluster"]).toBe("eks");
    expect(studio.written()).toEqual([]);
    expect((await lab.run("unregister", "--yes", "--cluster", "shop")).code).toBe(0);
    expect(await studio.get("/api/running")).toMatchObject({ code: "cluster-unknown" });
    await studio.close();
  });

  it("are restarted from the studio's page by the command that it names, and only after a yes", async () => {
    putWorkload(lab, "shop", "web");
    await withControllers(lab);
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    await lab.run("publish");
    const studio = await openStudio("--context", "eks");
    expect((await studio.get("/api/running"))["restart"]).toMatch(
      /^outrigger restart --deployment dev .*--context eks$/,
    );
    const asked = await studio.tell("begin");
    expect(asked).toMatchObject({ question: "Restart 1 workload of shop?" });
    expect(asked["text"]).toMatch(/^To restart, in this order: 1 workload with 2 pods\n/);
    const refused = await studio.tell("no");
    expect(refused).toMatchObject({ code: 2, text: expect.stringContaining("Nothing was restarted") });
    expect(studio.written().filter((call) => !call.includes("dryRun="))).toEqual([]);
    await studio.tell("begin");
    const done = await studio.tell("yes");
    expect(done).toMatchObject({ code: 0, text: expect.stringContaining("is complete: 1 done") });
    expect((await studio.get("/api/running"))["states"]).toEqual({ current: 2 });
    await studio.close();
    vi.useRealTimers();
  });

  /** `outrigger studio` of the deployment and the cluster, as a person starts it. */
  const openStudio = async (...argv: readonly string[]) => {
    lab.write("studio/index.html", "the page");
    const { io, ended } = lab.start(["studio", "--deployment", "dev", "--kubeconfig", "kubeconfig", ...argv]);
    const url = await vi.waitFor(() => {
      const [found] = /http:\S+/.exec(io.out()) ?? [];
      if (found === undefined) throw new Error(io.err());
      return found;
    }, 60_000);
    const opened = await fetch(url, { redirect: "manual" });
    const cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const sent = lab.api.calls.length;
    return {
      get: async (path: string) =>
        (await (await fetch(new URL(path, url), { headers: { cookie } })).json()) as Readonly<Record<string, unknown>>,
      /** Tells the restart what to do, as the page does, and waits until it has ended or asks. */
      tell: async (action: string) => {
        const headers = { cookie, "content-type": "application/json", origin: new URL(url).origin };
        const sent = await fetch(new URL("/api/restart", url), {
          method: "POST",
          headers,
          body: JSON.stringify({ action }),
        });
        expect(sent.status).toBe(200);
        return vi.waitFor(async () => {
          const read = await fetch(new URL("/api/restart", url), { headers: { cookie } });
          const state = (await read.json()) as Readonly<Record<string, unknown>>;
          expect(Object.keys(state)).toEqual(expect.arrayContaining([expect.stringMatching(/^(code|question)$/)]));
          return state;
        }, 60_000);
      },
      /** Returns the changes that it asked the cluster for. */
      written: () => lab.api.calls.slice(sent).filter((call) => !call.startsWith("GET ")),
      close: async () => {
        io.stop();
        await ended;
      },
    };
  };

  it("says what a new release changes, once for all workloads, and with which values", async () => {
    for (const name of ["web", "cart"]) for (let index = 0; index < 2; index++) await run(podOf(name));
    const before = (await workloads())[0]?.["served"];
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    await lab.run("publish");
    await run(podOf("cart"));
    const found = await pods();
    expect(found.out).toMatch(/\nNAMESPACE +WORKLOAD +PODS +STATE +DIFFERS\n/);
    expect([found.code, found.err]).toEqual([1, "2 workloads of shop would come out differently now\n"]);
    expect(found.out).toContain("5 pods: 4 outdated, 1 current\n");
    expect(found.out).toMatch(/\nshop +Deployment\/cart +3 +2 outdated, 1 current +containers\[istio-proxy\]\.image\n/);
    expect(found.out).toMatch(
      /\n2 +containers\[istio-proxy\]\.image: registry\.example\/shipped\/proxyv2 → mine\/proxyv2\n/,
    );
    expect((await pods("-o", "diff")).out).toMatch(
      /containers\[istio-proxy\]\.image \(2 workloads, as shop\/cart-5d8f-\w+\)\n- registry\S+\n\+ mine\/proxyv2\n/,
    );
    const [cart, web] = await workloads();
    expect(web).toMatchObject({ releases: { [before as string]: 2 }, states: { outdated: 2 } });
    expect(Object.keys(cart?.["releases"] as object)).toHaveLength(2);
    expect((await pods("-l", "app=web")).out).toContain("2 pods: 2 outdated\n");
    expect((await pods("-n", "plain")).out).toBe("0 pods\n");
  });

  it("finds the pods that the release in the artifact made, the same one included, and a restart would replace them", async () => {
    await run(podOf("web"));
    const annotated = (object: JsonObject): JsonObject => {
      const { metadata = {}, ...others } = object as Pod;
      return {
        ...others,
        metadata: { ...metadata, annotations: { ...metadata.annotations, "outrigger/fallback": "b" } },
      } as never;
    };
    expect(await pods("--fallback")).toMatchObject({ code: 0, out: "1 pod: 1 current\n" });
    await run(podOf("cart"), true, annotated);
    const found = await pods("--fallback");
    expect(found.out).toContain("Deployment/cart");
    expect(found.out).not.toContain("Deployment/web");
    expect(found.out).toMatch(/outdated +annotations\[outrigger\/fallback/);
    expect(found).toMatchObject({
      code: 1,
      err: expect.stringContaining("One workload of shop would come out differently"),
    });
    expect(await workloads("--fallback")).toMatchObject([{ name: "cart", fallback: 1, states: { outdated: 1 } }]);
    const plan = await ask("restart", "--dry-run");
    expect(plan.out).toContain("cart");
    expect(plan.out).not.toContain("web");
  });

  it("finds the replica that has lost its sidecar, although its record is that of the others", async () => {
    await run(podOf("web"));
    await run(podOf("web"), true, (pod) => {
      const { containers } = pod["spec"] as { readonly containers: readonly JsonObject[] };
      return { ...pod, spec: { containers: containers.filter(({ name }) => name !== "istio-proxy") } };
    });
    expect((await workloads())[0]).toMatchObject({ pods: 2, states: { current: 1, missing: 1 } });
  });

  it("finds pods without a sidecar, with one too many, and those that a new release denies", async () => {
    await run(podOf("missing"), false);
    await run(podOf("unwanted"), true, (pod) => {
      const { labels, ...metadata } = pod["metadata"] as JsonObject;
      return {
        ...pod,
        metadata: { ...metadata, labels: { ...(labels as JsonObject), "sidecar.istio.io/inject": "false" } },
      };
    });
    await run(podOf("refused", "shop"), true, (pod) => {
      const { annotations, ...metadata } = pod["metadata"] as JsonObject;
      return {
        ...pod,
        metadata: { ...metadata, annotations: { ...(annotations as JsonObject), "sidecar.istio.io/proxyCPU": "much" } },
      };
    });
    const statesOf = async () =>
      (await workloads()).map(({ name, states }) => [name, Object.keys(states as object)] as const);
    // The same release has made it: what a user wrote into the pod since is in no new one.
    expect(Object.fromEntries(await statesOf())["refused"]).toEqual(["current"]);
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    await lab.run("publish");
    const found = await workloads();
    expect(await statesOf()).toEqual([
      ["missing", ["missing"]],
      ["refused", ["refused"]],
      ["unwanted", ["unwanted"]],
    ]);
    expect(found[1]?.["why"]).toContain("sidecar.istio.io/proxyCPU");
    expect((await pods()).code).toBe(1);
  });

  it("says what would change in pods of Istio's own injector, where our webhook is called for them", async () => {
    await run(podOf("web"), true, (pod) => {
      const { annotations, ...metadata } = pod["metadata"] as JsonObject;
      const status = JSON.parse(String((annotations as JsonObject)[STATUS]));
      const own = Object.fromEntries(Object.entries(status).filter(([key]) => !key.includes("/")));
      return {
        ...pod,
        metadata: { ...metadata, annotations: { ...(annotations as JsonObject), [STATUS]: JSON.stringify(own) } },
      };
    });
    expect((await pods("-o", "wide")).out).toMatch(/Deployment\/web +1 +foreign +- +[0-9a-f]{12} +injected by Istio/);
  });

  it("leaves the pods of another deployment to it", async () => {
    await run(podOf("web"));
    const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/outrigger-sidecar-injector";
    const { metadata, ...own } = lab.api.objects.get(path) as JsonObject;
    const { labels, uid: _, ...rest } = metadata as JsonObject;
    lab.put(`${path}-other`, {
      ...own,
      metadata: { ...rest, name: "other", labels: { ...(labels as JsonObject), "outrigger/deployment": "other" } },
    });
    lab.put(path, {
      ...own,
      metadata: metadata as JsonObject,
      webhooks: (own["webhooks"] as readonly JsonObject[]).map((one) => ({
        ...one,
        namespaceSelector: { matchLabels: { "of-nobody": "1" } },
      })),
    });
    const found = await pods("-o", "wide");
    expect([found.code, found.out]).toEqual([
      0,
      expect.stringMatching(/Deployment\/web +1 +foreign .*injected by the deployment "other"/),
    ]);
  });

  it("names the way out where the cluster is not registered, is another one, or its kubeconfig does not exist", async () => {
    expect((await pods("--cluster", "other")).err).toContain("this cluster is registered as shop");
    expect((await lab.run("unregister", "--yes", "--cluster", "shop")).code).toBe(0);
    const gone = await pods();
    expect([gone.code, gone.err]).toEqual([3, expect.stringContaining("register it (outrigger register)")]);
  });

  describe("and outrigger restart", () => {
    it("shows its plan, asks, restarts what differs, and the bad release is taken back with its pods", async () => {
      for (const name of ["cart", "web"]) putWorkload(lab, "shop", name);
      await withControllers(lab);
      expect((await ask("restart", "--yes")).err).toContain("Nothing to restart: new pods would be the same\n");
      await lab.aws.edit("values/10-mine", "global: {hub: sound.example}\n");
      await lab.run("publish");
      const plan = await ask("restart", "--dry-run");
      expect([plan.code, plan.out]).toEqual([
        0,
        expect.stringMatching(
          /^To restart, in this order: 2 workloads with 4 pods\nNAMESPACE +WORKLOAD +PODS\nshop +Deployment\/cart +2\nshop +Deployment\/web +2\n/m,
        ),
      ]);
      expect(plan.out).toContain("(dry run: nothing was restarted)");
      const unasked = await ask("restart");
      expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining("there is no terminal; say --yes")]);
      const done = await ask("restart", "--yes");
      expect([done.code, done.out]).toEqual([0, expect.stringMatching(/is complete: 2 done, 0 not begun\n$/)]);
      expect(done.err).toContain(
        "shop/Deployment/cart is restarted\nshop/Deployment/cart is back\nshop/Deployment/web is restarted\n",
      );
      expect((await pods()).out).toBe("4 pods: 4 current\n");
      expect((await ask("restart", "status")).out).toContain("is complete: 2 done");

      await lab.aws.edit("values/10-mine", "global: {hub: crashing.example}\n");
      await lab.run("publish");
      const failed = await ask("restart", "--yes");
      expect(failed.code, failed.err).toBe(1);
      expect(failed.err).toMatch(
        /shop\/Deployment\/cart does not come back: pod cart-\S+, container istio-proxy: CrashLoopBackOff, exit code 1/,
      );
      expect((await ask("restart", "status")).code).toBe(1);
      expect(await ask("restart", "--yes")).toMatchObject({
        code: 1,
        err: expect.stringContaining("Nothing is restarted with --yes: shop/Deployment/cart stopped the last restart"),
      });
      const planned = await ask("rollback", "stable", "--restart", "--dry-run");
      expect(planned.out).toMatch(
        /would serve [^\n]*\(dry run: nothing was written\)\n(.*\n)*To restart, in this order: /,
      );
      const back = await ask("rollback", "stable", "--restart", "--yes");
      expect([back.code, back.err]).toEqual([0, expect.stringContaining("shop/Deployment/cart is back\n")]);
      expect(back.err).not.toContain("web is restarted");
      expect((await pods()).out).toBe("4 pods: 4 current\n");
      expect((await ask("restart", "resume")).err).toContain("There is no restart to continue");
    });
  });

  describe("and outrigger restart --in-place", () => {
    const image = (name: string, tag: string) =>
      lab.aws.edit(`templates/${name}`, `spec:\n  containers:\n  - name: ${name}\n    image: ${name}:${tag}\n`);
    beforeEach(async () => {
      await lab.aws.edit("config", "defaultTemplates: [sidecar, agent]\n");
      await image("agent", "1");
      await lab.run("publish");
      for (const name of ["cart", "web"]) putWorkload(lab, "shop", name);
      await withControllers(lab);
    });
    const uids = () =>
      [...lab.api.objects]
        .filter(([path]) => path.includes("/pods/"))
        .map(([, { metadata }]) => (metadata as JsonObject)["uid"]);

    it("gives an agent's new image to pods that continue running", async () => {
      await image("agent", "2");
      await lab.run("publish");
      const before = uids();
      const plan = await ask("restart", "--in-place", "--dry-run");
      expect([plan.code, plan.out]).toEqual([
        0,
        expect.stringContaining("To change in place, in this order: 2 workloads with 4 pods\n"),
      ]);
      const done = await ask("restart", "--in-place", "--yes");
      expect([done.code, done.out], done.err).toEqual([
        0,
        expect.stringMatching(/is complete: 2 done, 0 not begun\n$/),
      ]);
      expect(done.err).toContain("shop/Deployment/cart is changed in place\nshop/Deployment/cart is back\n");
      expect((await pods()).out).toBe("4 pods: 4 current\n");
      expect(uids()).toEqual(before);
      expect((await ask("restart", "--in-place", "--yes")).err).toContain("Nothing to change in place\n");
    });

    it("says first what the proxy interrupts, and leaves it where it is not named", async () => {
      await lab.aws.edit("values/10-mine", "global: {hub: sound.example}\n");
      await lab.run("publish");
      const left = await ask("restart", "--in-place", "--yes");
      expect([left.code, left.err]).toEqual([
        1,
        expect.stringMatching(/Deployment\/cart +its container istio-proxy carries its traffic: restart it, or name/),
      ]);
      const before = uids();
      const words = ["restart", "--in-place", "--container", "istio-proxy"];
      const unasked = await ask(...words);
      expect([unasked.code, unasked.err]).toEqual([
        2,
        expect.stringContaining("istio-proxy carries traffic: while it restarts, open connections of its pod"),
      ]);
      expect((await pods()).code).toBe(1);
      expect((await ask(...words, "--yes")).code).toBe(0);
      expect((await pods()).out).toBe("4 pods: 4 current\n");
      expect(uids()).toEqual(before);
    });

    it("stops with the cause, and changes back what it changed once the release was taken back", async () => {
      await lab.aws.edit("values/10-mine", "global: {hub: crashing.example}\n");
      await lab.run("publish");
      const failed = await ask("restart", "--in-place", "--container", "istio-proxy", "--yes");
      expect([failed.code, failed.err]).toEqual([
        1,
        expect.stringMatching(
          /cart does not come back: pod cart-\S+, container istio-proxy: CrashLoopBackOff, exit code 1/,
        ),
      ]);
      expect((await pods()).out).toContain("4 pods: 3 outdated, 1 current\n");
      expect((await lab.run("rollback", "stable")).code).toBe(0);
      expect((await ask("restart", "resume")).code).toBe(0);
      expect((await pods()).out).toBe("4 pods: 4 current\n");
    });

    it("writes nothing more once another release is served, and names a permission that is missing", async () => {
      await image("agent", "2");
      await lab.run("publish");
      let isPublished = false;
      lab.api.after = (method, path) => {
        if (method !== "PATCH" || !path.includes("/pods/") || isPublished) return;
        isPublished = true;
        const { sleep } = lab;
        lab.sleep = async (milliseconds) => {
          lab.sleep = sleep;
          await image("agent", "3");
          await lab.run("publish");
          await sleep(milliseconds);
        };
      };
      const stopped = await ask("restart", "--in-place", "--yes");
      expect([stopped.code, stopped.err]).toEqual([
        1,
        expect.stringContaining("another release is served by now: run the"),
      ]);
      const images = () =>
        [...lab.api.objects].flatMap(([, object]) => /"agent:\d"/.exec(JSON.stringify(object))?.[0] ?? []);
      expect(images().toSorted()).toEqual(['"agent:1"', '"agent:1"', '"agent:1"', '"agent:2"']);
      lab.api.authorize = (method, path) =>
        method === "PATCH" && path.includes("/pods/")
          ? 'pods "x" is forbidden: User "ann" cannot patch resource "pods"'
          : undefined;
      expect(await ask("restart", "resume")).toMatchObject({
        code: 3,
        err: expect.stringContaining('cannot patch resource "pods"'),
      });
      lab.api.authorize = undefined;
      vi.setSystemTime(Date.now() + 61_000);
      expect((await ask("restart", "resume")).code).toBe(0);
      expect(new Set(images())).toEqual(new Set(['"agent:3"']));
    });
  });

  describe("and outrigger promote --restart", () => {
    const NAMES = ["app0", "app1", "app2", "app3", "app4", "app5"];
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      for (const name of NAMES) putWorkload(lab, "shop", name);
      await withControllers(lab);
    });
    afterEach(() => vi.useRealTimers());
    const PROMOTE = ["promote", "canary", "stable", "--share", "50,100", "--restart", ...KUBECONFIG];
    const promote = (...argv: readonly string[]) => lab.run(...PROMOTE, ...argv);
    const publish = async (hub: string) => {
      await lab.aws.edit("values/10-mine", `global: {hub: ${hub}}\n`);
      expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
    };

    it("moves all workloads to a good release, share by share, and says so in the history", async () => {
      await publish("sound.example");
      const unasked = await promote();
      expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining("there is no terminal; say --yes")]);
      const done = await promote("--yes", "--abort-on", "errors");
      expect([done.code, done.out], done.err).toEqual([
        0,
        expect.stringMatching(/^All workloads have it: 10m without/),
      ]);
      expect((await pods()).out).toBe("12 pods: 12 current\n");
      const history = (await lab.run("channel", "stable")).out;
      expect(history).toMatch(/restarted workloads? (?:is|are) back; the pods of its \d workloads? are well/);
      expect((await promote("--yes")).out).toContain("All workloads have it");
    });

    it("shows with --dry-run which workloads would be restarted with which share, and writes nothing, nor continues what is under way", async () => {
      await publish("sound.example");
      const before = new Map(lab.api.objects);
      const planned = await promote("--dry-run");
      expect([planned.code, planned.out], planned.err).toEqual([
        0,
        expect.stringMatching(
          /would serve \w+ to 50 % .*\(dry run: nothing was written\)\n.*\n12 of 12 pods of shop would/,
        ),
      ]);
      expect(planned.out).toMatch(
        /To restart, in this order: 6 workloads with 12 pods\nNAMESPACE +WORKLOAD +PODS +SHARE\n/,
      );
      const shares = [...planned.out.matchAll(/^shop +Deployment\/(app\d) +2 +(50|100) %$/gm)];
      expect(shares.map(([, name]) => name).toSorted()).toEqual(NAMES);
      expect(shares.map(([, , share]) => Number(share))).toEqual(
        shares.map(([, , share]) => Number(share)).toSorted((a, b) => a - b),
      );
      const value = JSON.parse((await promote("--dry-run", "--json")).out);
      expect(value.restart).toMatchObject({ cluster: "shop", left: [], untried: [] });
      expect(value.restart.restart).toHaveLength(6);
      expect(value.effect.workloads).toBe(6);
      const first = lab.start([...PROMOTE, "--yes"]);
      first.io.stop();
      expect(await first.ended).toBe(1);
      const now = new Map(lab.api.objects);
      const again = await promote("--dry-run");
      expect([again.code, again.err]).toEqual([
        0,
        expect.stringContaining("without --dry-run, this command continues it"),
      ]);
      expect(new Map(lab.api.objects)).toEqual(now);
      expect([...before.keys()].filter((path) => path.includes("/pods/"))).toEqual(
        [...now.keys()].filter((path) => path.includes("/pods/")),
      );
    });

    it("takes a bad one back with its pods, and does not try it again unasked", async () => {
      await publish("crashing.example");
      const back = await promote("--yes");
      expect([back.code, back.err]).toEqual([
        1,
        expect.stringMatching(/was taken back: shop\/Deployment\/app\d does not/),
      ]);
      expect((await pods()).out).toBe("12 pods: 12 current\n");
      const again = await promote("--yes");
      expect([again.code, again.err]).toEqual([
        1,
        expect.stringMatching(/it was taken back at .* try it again with --force/),
      ]);
      const forced = await promote("--yes", "--force");
      expect([forced.code, forced.err]).toEqual([1, expect.stringMatching(/was taken back: shop/)]);
      await publish("sound.example");
      expect((await promote("--yes")).code).toBe(0);
      expect((await pods()).out).toBe("12 pods: 12 current\n");
    });

    it("replaces another rollout with --force only", async () => {
      await publish("first.example");
      const first = lab.start([...PROMOTE, "--yes"]);
      first.io.stop();
      expect([await first.ended, first.io.err()]).toEqual([1, expect.stringContaining("It was stopped")]);
      await publish("second.example");
      const refused = await promote("--yes");
      expect([refused.code, refused.err]).toEqual([
        3,
        expect.stringMatching(/a rollout of \w+ to stable is under way, and canary serves another .* use --force/),
      ]);
      const forced = await promote("--yes", "--force");
      expect([forced.code, forced.out], forced.err).toEqual([0, expect.stringContaining("All workloads have it")]);
      expect((await pods()).out).toBe("12 pods: 12 current\n");
    });

    it("says in rollout status how the pods of a share do", async () => {
      await publish("sound.example");
      expect((await lab.run("promote", "canary", "stable", "--share", "50")).code).toBe(0);
      await ask("restart", "--yes");
      const status = await lab.run("rollout", "status", "stable", ...KUBECONFIG);
      expect([status.code, status.out]).toEqual([
        0,
        expect.stringMatching(/Pods: the pods of its \d workloads? are well/),
      ]);
    });

    it.each([
      [["--approve"], "leave --restart out with --approve"],
      [["--replicas", "other@eu-central-1"], "leave --replicas out"],
    ])("is refused with %j", async (argv, why) => {
      expect(await promote(...argv)).toMatchObject({ code: 2, err: expect.stringContaining(why) });
    });
  });

  it("reaches a cluster by its name in EKS", async () => {
    await run(podOf("web"));
    expect((await lab.run("pods", "--cluster", "shop")).out).toBe("1 pod: 1 current\n");
  });
});
