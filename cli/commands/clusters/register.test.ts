// What register, tag and unregister say, refuse and decide, in one cluster whose registration goes from test to test.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "../../../test/eks/cli-lab.ts";
import { main } from "../../main.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const NEXT = "Next: outrigger register --cluster shop --phase namespace --namespace …\n";

describe("outrigger register, tag and unregister", { timeout: 120_000 }, () => {
  let lab: CliLab;
  beforeAll(async () => {
    lab = await openCliLab();
    // canary serves a release without a proxy, and stable one that has it.
    const agent = (name: string) => `spec:\n  containers:\n  - {name: ${name}, image: 'agent:1'}\n`;
    await lab.aws.edit("templates/agent", agent("agent"));
    await lab.aws.edit("config", "defaultTemplates: [agent]\n");
    for (const words of ["publish", "promote stable canary"]) {
      expect(await lab.run(...words.split(" "))).toMatchObject({ code: 0 });
    }
    await lab.aws.edit("templates/agent", agent("istio-proxy"));
    expect(await lab.run("publish", "--accept", "container-gone")).toMatchObject({ code: 0 });
  });
  afterAll(() => lab.close());

  const tag = (...words: readonly string[]) => lab.run("tag", ...words, "--cluster", "shop");
  const unregister = (...words: readonly string[]) => lab.run("unregister", "--cluster", "shop", ...words);
  const record = () => JSON.parse(lab.aws.store.values()[lab.aws.layout.cluster("shop")] ?? "{}");
  const configurations = () => [...lab.api.objects.keys()].filter((path) => path.startsWith(`${GROUP}/outrigger-`));
  async function answered(answer: string, ...words: readonly string[]) {
    const asked: string[] = [];
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const code = await main(["unregister", "--cluster", "shop", ...words], { ...io, ask });
    return { code, asked, out: io.out(), err: io.err() };
  }

  it("says which phase comes next, and asks nobody where no webhook is removed", async () => {
    expect(await unregister()).toMatchObject({ code: 0 });
    expect((await tag("list")).out).toBe(
      "No revision of the cluster has a tag: outrigger tag set TAG --revision REVISION\n",
    );
    expect(await tag("list", "-o", "json")).toMatchObject({ out: "[]\n" });
    expect((await tag("set", "prod", "--revision", "1-30")).err).toContain("(there is none)");
    const { code, out } = await lab.register("--message", "because");
    expect([code, out]).toEqual([0, `shop is registered with dev: revision default, phase audit\n${NEXT}`]);
    expect(record()).toMatchObject({ revisions: { default: "stable" } });
    expect(lab.aws.asked.at(-1)?.cause).toMatchObject({ why: "because" });
  });

  it("keeps the channel and the URL that were given, until the deployment's own is asked for", async () => {
    const url = lab.webhook.url.replace("localhost", "127.0.0.1");
    const { out } = await lab.register("--url", url);
    expect(out).toBe(`shop is registered with dev: revision default, phase audit, at ${url}\n${NEXT}`);
    expect((await lab.register()).out).toBe(out);
    expect((await lab.register("--url", "deployment")).out).not.toContain(", at ");
    expect((await lab.register()).out).not.toContain(", at ");
  });

  it("refuses a second name for the cluster", async () => {
    expect(await lab.register("--as", "till")).toMatchObject({
      code: 3,
      err: expect.stringContaining("use --as shop"),
    });
  });

  it("gives one result of one revision, and a list of several", async () => {
    const one = JSON.parse((await lab.register("-o", "json")).out);
    expect(one).toMatchObject({ cluster: "shop", settings: { revision: "default", phase: "audit" }, warnings: [] });
    await lab.register("--revision", "1-30");
    const several = JSON.parse((await lab.register("-o", "json")).out);
    expect(several.map(({ settings }: { settings: { revision: string } }) => settings.revision)).toEqual([
      "1-30",
      "default",
    ]);
  });

  it("adds a tag to those of its revision, removes it from them, and says where there is none", async () => {
    const none = "Cannot set tag prod: revision 1-31 is not registered (there is default, 1-30)";
    expect(await tag("set", "prod", "--revision", "1-31")).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${none}; outrigger register --revision 1-31 does that`),
    });
    await tag("set", "prod", "--revision", "1-30");
    await tag("set", "next", "--revision", "1-30");
    expect((await tag("list")).out).toBe("TAG    REVISION\nprod   1-30\nnext   1-30\n");
    await tag("remove", "prod");
    expect(JSON.parse((await tag("list", "-o", "json")).out)).toEqual([{ tag: "next", revision: "1-30" }]);
    for (const [words, why] of [
      [["set"], "Cannot set a tag: name it, as in outrigger tag set prod"],
      [["remove"], "Cannot remove a tag: name it, as in outrigger tag remove prod"],
      [["set", "prod"], "Cannot set tag prod: name the revision with --revision"],
      [["remove", "prod"], "Cannot remove tag prod: no revision has it (outrigger tag list)"],
    ] as const) {
      expect(await tag(...words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(why) });
    }
  });

  it("asks before a revision goes, and leaves it where the answer is no", async () => {
    const before = configurations();
    expect(await unregister("--revision", "1-30")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Cannot ask whether to unregister revision 1-30 of shop: there is no terminal; say"),
    });
    const no = await answered("n", "--revision", "1-30");
    expect(no).toMatchObject({ code: 2, asked: ["Unregister revision 1-30 of shop? [y/N] "] });
    expect(no.err).toMatch(/^No namespace loses injection.*\n/);
    expect(no.err).toContain("Nothing was unregistered");
    expect(configurations()).toEqual(before);
    expect(await answered("y", "--revision", "1-30")).toMatchObject({ code: 0 });
    expect(configurations()).toEqual([`${GROUP}/outrigger-sidecar-injector`]);
    expect(Object.keys(record().revisions)).toEqual(["default"]);
  });

  it("leaves the webhooks of another registration alone", async () => {
    const { err, code, out } = await unregister("--as", "till");
    expect([code, err]).toEqual([0, "The webhooks in the cluster are those of its registration as shop, and stay\n"]);
    expect(out).not.toContain("The cluster is gone");
    expect(configurations()).toHaveLength(1);
  });

  it("asks about the whole cluster, and reports what is removed", async () => {
    expect(await answered("n")).toMatchObject({ code: 2, asked: ["Unregister shop? [y/N] "] });
    const { code, out } = await unregister("--yes");
    expect([code, configurations(), record()]).toEqual([0, [], {}]);
    expect(out).not.toBe("");
  });

  it("takes no proxy of istiod's from pods unasked, by the release of the channel that is named or kept", async () => {
    const namespaceSelector = { matchLabels: { "istio-injection": "enabled" } };
    lab.put(`${GROUP}/istio-sidecar-injector`, {
      metadata: { name: "istio-sidecar-injector" },
      webhooks: [{ name: "namespace.sidecar-injector.istio.io", namespaceSelector }],
    });
    lab.namespace("till", { "istio-injection": "enabled" });
    const lost = "Cannot register shop: the release of canary adds no istio-proxy, and istiod's istio-sidecar-injector";
    const shared = "istio-sidecar-injector also injects pods of 1 namespace (till): Outrigger takes out what it adds";
    const named = await lab.register("--channel", "canary", "--phase", "cluster");
    expect([named.code, named.err]).toEqual([2, expect.stringContaining(lost)]);
    expect(configurations()).toEqual([]);
    const audit = await lab.register("--channel", "canary");
    expect([audit.code, audit.err]).toEqual([0, expect.stringContaining(`${shared}, in dry runs alone for now\n`)]);
    const kept = await lab.register("--phase", "cluster");
    expect([kept.code, kept.err]).toEqual([2, expect.stringContaining(lost)]);
    expect((await lab.register("--phase", "cluster", "--replace-istio")).code).toBe(0);
    expect(record()).toMatchObject({ revisions: { default: "canary" } });
    await unregister("--yes");
  });

  it("does not contact a cluster that is to be left alone, and takes one that is gone for removed", async () => {
    await lab.register();
    lab.services.clusters.delete("shop");
    lab.services.asked.length = 0;
    const { code, out } = await unregister("--keep-objects");
    expect([code, out]).toEqual([0, expect.stringContaining("What is in the cluster stays there")]);
    expect(lab.services.asked.map(({ action }) => action)).not.toContain("eks:DescribeCluster");
    expect(await unregister()).toMatchObject({ code: 0, out: expect.stringContaining("The cluster is gone") });
  });
});
