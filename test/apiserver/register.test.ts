// The commands that change a registration, on a real API server with the printed roles: what they leave is what they say.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { objectKeys } from "@outrigger/webhook";
import { parseYaml } from "@outrigger/yaml";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { openRealLab, type RealLab, waitsForApiServer } from "./support/real-lab.ts";

/** That an object is not there is an answer. */
const isAnswered = (request: string) => / 2\d\d$|^get .* 404$/.test(request);

const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const REVISIONS = { revisions: ["default", "1-30"], tags: ["prod"] };

describe("a registration, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    // What waits for containers of the function waits for one that is asked a minute later each time.
    lab.sleep = waitsForApiServer;
    expect((await lab.run("publish")).code).toBe(0);
    for (const name of ["shop", "cart"]) await lab.namespace(name, { "istio-injection": "enabled" });
    await lab.namespace("canary", { "istio.io/rev": "1-30" });
  });
  afterAll(() => lab?.close());
  beforeEach(() => lab.onlyAllow(["register", "check", "registration"], REVISIONS));
  afterEach(async () => {
    for await (const one of lab.api.admin.list(WEBHOOKS))
      await lab.api.admin.remove(`${WEBHOOKS}/${metadataOf(one).name}`);
    await lab.run("unregister", "--cluster", "shop", "--keep-objects");
  });

  const done = async (...argv: readonly string[]) => {
    const result = await lab.run(...argv);
    expect(result, result.err + result.out).toMatchObject({ code: 0 });
    return result;
  };
  const register = (...argv: readonly string[]) =>
    done("register", "--cluster", "shop", "--ca-file", "ca.pem", ...argv);
  const webhooks = async () => {
    const found: JsonObject[] = [];
    for await (const one of lab.api.admin.list(WEBHOOKS)) found.push(one);
    return found.map(({ metadata, webhooks: all }) => {
      const { name, annotations } = metadataOf({ metadata });
      const policies = new Set((all as readonly JsonObject[] | undefined)?.map(({ failurePolicy }) => failurePolicy));
      return { name, isOff: annotations[objectKeys.off] !== undefined, policy: [...policies].join() };
    });
  };
  const off = (...argv: readonly string[]) => {
    lab.write("admin.kubeconfig", lab.api.kubeconfigText());
    return done("off", "--kubeconfig", "admin.kubeconfig", ...argv);
  };
  const two = async () => {
    await register("--phase", "enforce");
    await register("--revision", "1-30", "--phase", "cluster", "--tag", "prod");
  };

  /** What is well at each of them is alike: a commit tries one half. */
  const itInTurn = inTurn(it, turnOf("What a registration keeps and leaves, on a real API server", 2));

  it("is whole again after off: every revision, by the command that check prints", async () => {
    await two();
    await off();
    const [, fix = ""] =
      /^✖ webhooks .*Fix: (outrigger [^(]+) \(/m.exec((await lab.run("check", "--cluster", "shop")).out) ?? [];
    expect(fix).toBe("outrigger register --cluster shop");
    await done(...fix.split(" ").slice(1));
    expect(await webhooks()).toEqual([
      { name: "outrigger-revision-tag-prod", isOff: false, policy: "Ignore" },
      { name: "outrigger-sidecar-injector", isOff: false, policy: "Fail" },
      { name: "outrigger-sidecar-injector-1-30", isOff: false, policy: "Ignore" },
    ]);
    expect((await done("check", "--cluster", "shop", "--section", "registration")).out).not.toMatch(/^[✖!?]/m);
  });

  it("asks nothing that is refused, and little: to register with a net, again, from warn to deny, off and back", async () => {
    await lab.onlyAllow(["register", "check", "registration", "off"], REVISIONS);
    lab.write("eks.kubeconfig", lab.kubeconfigText());
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      register: () => register("--phase", "enforce", "--safety-net", "warn"),
      "register, to deny": () => register("--safety-net", "deny"),
      "register, again": () => register(),
      off: () => done("off", "--kubeconfig", "eks.kubeconfig"),
      "register, back": () => register(),
    };
    const counts: Record<string, { asked: number; refused: readonly string[] }> = {};
    for (const [name, step] of Object.entries(steps)) {
      const before = lab.api.requests().length;
      await step();
      const asked = lab.api.requests().slice(before);
      counts[name] = { asked: asked.length, refused: asked.filter((line) => !isAnswered(line)) };
    }
    console.log(Object.fromEntries(Object.entries(counts).map(([name, { asked }]) => [name, asked])));
    for (const [name, { asked, refused }] of Object.entries(counts)) {
      expect([name, refused]).toEqual([name, []]);
      expect(asked, name).toBeLessThanOrEqual(name === "register, again" ? 8 : 20);
    }
  });

  it.each([["cluster"], ["enforce"]])(
    "names the certificate's authority where the API server does not know it, and leaves nothing: phase %s",
    async (phase) => {
      const refused = await lab.run("register", "--cluster", "shop", "--phase", phase);
      expect(refused.err).toMatch(/authority.*--ca-file/);
      expect(refused.code).toBe(3);
      expect(await webhooks()).toEqual([]);
    },
  );

  itInTurn(
    "keeps a URL that was given: in a repair, after off, and where the webhooks are gone; until the deployment's own is asked for",
    async () => {
      const { url: own } = lab.webhook;
      const other = own.includes("localhost")
        ? own.replace("localhost", "127.0.0.1")
        : own.replace("127.0.0.1", "localhost");
      const urls = async () => {
        const found = new Set<string>();
        for await (const { webhooks: all } of lab.api.admin.list(WEBHOOKS))
          for (const { clientConfig } of objectsOf(all))
            found.add(String(objectOf(clientConfig)["url"]).split("/t/")[0] ?? "");
        return [...found];
      };
      const checked = async () => (await lab.run("check", "--cluster", "shop", "--section", "registration")).out;
      await two();
      expect(await urls()).toEqual([own]);
      expect((await register("--url", other, "--revision", "default")).out).toContain(`phase enforce, at ${other}\n`);
      await register("--url", other, "--revision", "1-30");
      expect((await done("clusters")).out).toContain(other);
      expect((await done("check", "--cluster", "shop")).out).not.toMatch(/^[✖?]/m);
      await register();
      expect([await urls(), await checked()]).toEqual([[other], expect.stringContaining("No difference")]);
      await off();
      await register();
      expect(await urls()).toEqual([other]);
      await off("--remove", "--yes");
      await register();
      expect([await urls(), await checked()]).toEqual([[other], expect.stringContaining("No difference")]);
      await register("--url", "deployment", "--revision", "default");
      await register("--url", "deployment", "--revision", "1-30");
      expect([await urls(), await checked()]).toEqual([[own], expect.stringContaining("No difference")]);
      expect((await done("clusters")).out).not.toContain(other);
    },
  );

  itInTurn("keeps the time since when it is off", async () => {
    await register("--phase", "cluster");
    await off();
    const since = async () => metadataOf(await lab.api.admin.get(`${WEBHOOKS}/outrigger-sidecar-injector`)).annotations;
    const first = (await since())[objectKeys.off];
    await off();
    expect((await since())[objectKeys.off]).toMatch(new RegExp(`^${first}, again 20`));
    expect(first).toMatch(/^20\S+Z$/);
  });

  itInTurn("leaves nothing of a revision that the role does not allow, and no loop", async () => {
    await lab.onlyAllow(["register", "check", "registration"]);
    await register("--phase", "cluster");
    const refused = await lab.run("register", "--cluster", "shop", "--ca-file", "ca.pem", "--revision", "1-30");
    expect(refused.err).toContain("Everything is as it was before");
    expect(refused.code).toBe(3);
    const { code, out } = await lab.run("check", "--cluster", "shop");
    expect(out).toMatch(/^✔ record +shop is registered: default from stable$/m);
    expect(code).toBe(0);
  });

  itInTurn("frees the registration where unregistering is refused", async () => {
    await register("--phase", "cluster");
    await lab.onlyAllow(["check", "registration"]);
    expect((await lab.run("unregister", "--cluster", "shop", "--yes")).code).toBe(3);
    await lab.onlyAllow(["register", "check", "registration"]);
    await register();
    await done("unregister", "--cluster", "shop", "--yes");
    expect(await webhooks()).toEqual([]);
  });

  itInTurn("has one name: a second is refused, and nothing of the first is touched", async () => {
    await register("--phase", "cluster");
    const second = await lab.run("register", "--cluster", "shop", "--as", "alias", "--ca-file", "ca.pem");
    expect(second.err).toContain("it is registered as shop");
    expect(second.code).toBe(3);
    expect((await done("check", "--cluster", "shop", "--section", "registration")).out).not.toMatch(/^[✖!?]/m);
  });

  itInTurn("changes the one revision that there is, and asks which of several", async () => {
    await register("--revision", "1-30");
    await register("--phase", "cluster");
    expect((await webhooks()).map(({ name }) => name)).toEqual(["outrigger-sidecar-injector-1-30"]);
    await register("--revision", "default");
    const unnamed = await lab.run("register", "--cluster", "shop", "--phase", "enforce");
    expect(unnamed.err).toContain("it has the revisions 1-30, default");
    expect(unnamed.code).toBe(2);
  });

  itInTurn("says before it goes who loses injection, and asks", async () => {
    await two();
    const asked = await lab.run("unregister", "--cluster", "shop");
    expect(asked.err).toContain("New pods of 3 namespaces get no sidecar from then on: canary, cart, shop");
    expect(asked.code).toBe(2);
    const one = await done("unregister", "--cluster", "shop", "--revision", "1-30", "--yes");
    expect(one.err).toContain("New pods of 1 namespace get no sidecar from then on: canary");
    expect((await webhooks()).map(({ name }) => name)).toEqual(["outrigger-sidecar-injector"]);
  });

  it("does not go on to a phase in which a workload would be rejected, and changes nothing", async () => {
    const web = (namespace: string, spec: JsonObject = {}) =>
      lab.apply({
        ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace } },
        spec: {
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: { containers: [{ name: "app", image: "app:1" }], ...spec },
          },
        },
      });
    const probeNamespaces = ["outrigger-probe", "shop", "cart"];
    await lab.onlyAllow(["register", "check", "registration"], { ...REVISIONS, probeNamespaces });
    await register();
    await web("shop");
    // A workload that is rejected without a sidecar too is no reason.
    await web("cart", { hostNetwork: true });
    for (const name of ["shop", "cart"])
      await lab.namespace(name, { "istio-injection": "enabled", "pod-security.kubernetes.io/enforce": "baseline" });
    const refused = await lab.run("register", "--cluster", "shop", "--ca-file", "ca.pem", "--phase", "cluster");
    expect(refused.err).toContain("new pods of 1 workload that was tried would be rejected");
    expect(refused.err).toMatch(/shop\/Deployment\/web: .*violates PodSecurity/);
    expect(refused.code).toBe(3);
    expect((await done("check", "--cluster", "shop", "--section", "registration")).out).toMatch(/audit/);
    await lab.namespace("shop", { "istio-injection": "enabled" });
    await register("--phase", "cluster");
    for (const name of ["shop", "cart"]) await lab.namespace(name, { "istio-injection": "enabled" });
  });

  itInTurn("leaves what another tool applies to that tool, by managedFields", async () => {
    await register("--phase", "cluster");
    const there = (await lab.api.admin.get(`${WEBHOOKS}/outrigger-sidecar-injector`)) as JsonObject;
    await lab.api.applyAs("kustomize-controller", `${WEBHOOKS}/outrigger-sidecar-injector`, there);
    const refused = await lab.run("register", "--cluster", "shop", "--ca-file", "ca.pem", "--phase", "enforce");
    expect(refused.err).toContain("kustomize-controller (by server-side apply) manages it");
    expect(refused.code).toBe(3);
    expect((await off()).out).toContain(
      "kustomize-controller (by server-side apply) manages it and may switch it on again",
    );
  });

  itInTurn("leaves what Argo CD tracks to Argo CD, and off says that it may switch it on again", async () => {
    await register("--phase", "cluster");
    const path = `${WEBHOOKS}/outrigger-sidecar-injector`;
    const annotations = {
      [objectKeys.argoTrackingId]: "mesh:admissionregistration.k8s.io/MutatingWebhookConfiguration:x",
    };
    await lab.api.admin.mergePatch(path, { metadata: { annotations } });
    const refused = await lab.run("register", "--cluster", "shop", "--ca-file", "ca.pem", "--phase", "enforce");
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("Argo CD (application mesh) manages it")]);
    expect((await off()).out).toContain("Argo CD (application mesh) manages it and may switch it on again");
  });

  itInTurn("keeps the name of --as in what it says comes next, and that is taken", async () => {
    const as = ["--as", "alias", "--ca-file", "ca.pem"];
    const first = await done("register", "--cluster", "shop", ...as);
    const next = "outrigger register --cluster shop --as alias --phase namespace --namespace …";
    expect(first.out).toContain(`Next: ${next}\n`);
    const words = next.replace("…", "shop").split(" ").slice(1);
    expect((await done(...words, "--ca-file", "ca.pem")).out).toContain("--as alias --phase cluster");
    await done("unregister", "--cluster", "shop", "--as", "alias", "--yes");
  });

  itInTurn(
    "names in the fix for permissions the revisions and tags that there are, and that fix is enough",
    async () => {
      await two();
      await lab.onlyAllow(["check", "registration"]);
      const line = async () => /^. permissions .*$/m.exec((await lab.run("check", "--cluster", "shop")).out)?.[0] ?? "";
      const [, fix = ""] = /^✖ .* Fix: (outrigger .*) \| kubectl apply -f - \(/.exec(await line()) ?? [];
      expect(fix).toBe("outrigger print rbac check --revision 1-30 --revision default --tag prod");
      const printed = await done(...fix.split(" ").slice(1));
      for (const text of printed.out.split(/^---$/m)) {
        const object = objectOf(parseYaml(text, "rbac"));
        if (object["kind"] !== undefined) await lab.apply(object);
      }
      expect(await line()).toMatch(/^✔ /);
    },
  );
});
