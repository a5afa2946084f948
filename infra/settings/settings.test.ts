import { describe, expect, it } from "vitest";
import { checkSettings, warningsOf } from "./check.ts";
import { compareSettings, recordedSettings } from "./compare.ts";
import { frameworkParameters, readSettings } from "./read.ts";
import { deployedSettings } from "./recorded.ts";
import { SETTINGS } from "./schema.ts";

function settings(params: readonly string[] = [], text?: string) {
  return readSettings({
    stage: "prod",
    params,
    readText: (file) => (file === "outrigger.prod.yml" ? text : undefined),
  });
}

const problemsOf = (params: readonly string[], text?: string) => checkSettings(settings(params, text));
const certificate = "certificate=arn:aws:acm:eu-west-1:123456789012:certificate/1111-2222";
const network = [
  "vpcEndpoints=vpce-0123456789abcdef0",
  "subnets=subnet-0123456789abcdef0",
  "securityGroups=sg-0123456789abcdef0",
];

describe("readSettings()", () => {
  it("takes --param over the stage's file over the defaults", () => {
    const { values, inFile, overrides } = settings(
      ["reserved=300", "canary=rate(2 minutes)"],
      "reserved: 50\nttl: 30\n",
    );
    expect([values["reserved"], values["ttl"], values["memory"], values["canary"]]).toEqual([
      "300",
      "30",
      "1769",
      "rate(2 minutes)",
    ]);
    expect([inFile, overrides]).toEqual([
      { reserved: "50", ttl: "30" },
      { reserved: "300", canary: "rate(2 minutes)" },
    ]);
  });

  it("reads lists, words, numbers, true and false, and nothing", () => {
    const { values } = settings(
      [],
      "clusters: [shop-eu, shop_us]\nbundledFallback: off\nclusterLatency: true\nemail:\n",
    );
    expect([values["clusters"], values["bundledFallback"], values["clusterLatency"], values["email"]]).toEqual([
      "shop-eu,shop_us",
      "off",
      "on",
      "",
    ]);
  });

  it("has the defaults without a file, and numbers where the framework needs them", () => {
    const none = settings();
    expect(none.inFile).toBeUndefined();
    expect(checkSettings(none)).toEqual([]);
    expect(frameworkParameters(none)).toMatchObject({ reserved: 100, api: "http", domain: "" });
    expect(Object.keys(frameworkParameters(none))).toEqual(SETTINGS.map(({ name }) => name));
  });

  it.each([
    ["- a", "Cannot read outrigger.prod.yml: it must be a mapping"],
    ["a: [", "Cannot read outrigger.prod.yml: it is not YAML"],
    ["clusters: { a: b }", "Cannot read clusters in outrigger.prod.yml"],
  ])("names what is wrong with the file %j", (text, problem) => {
    expect(problemsOf([], text).join("\n")).toContain(problem);
  });
});

describe("checkSettings()", () => {
  it.each([
    [["api=rest", "sources=203.0.113.0/24,2001:db8::/32"]],
    [["api=private", ...network]],
    [["domain=inject.example.com", certificate, "executeApi=off"]],
    [["api=rest", "alsoApi=http"]],
    [["provisioned=100", "reserved=100"]],
    [["provisioned=5", "reserved=0"]],
    [["clusters=shop-eu,shop_us,a.b"]],
  ])("takes %j", (params) => {
    expect(problemsOf(params)).toEqual([]);
  });

  it.each([
    [["sources=203.0.113.0/24"], "Cannot use sources with api=http: only a REST API checks who calls. Set api=rest"],
    [["aip=rest"], "Cannot use the setting aip of --param: it is not a setting; the nearest is api"],
    [["bundledFallback=false"], "Cannot use bundledFallback=false: it must be on, off"],
    [["ttl=0"], "Cannot use ttl=0: it must be a whole number from 1 to 60"],
    [["tier=advanced"], "Cannot use tier=advanced: it must be Standard, Advanced"],
    [["rate=abc"], "Cannot use rate=abc: it must be a whole number"],
    [["api=rest", "sources=banana"], "Cannot use sources=banana: it must be CIDR blocks"],
    [["api=rest", "sources="], "Cannot use sources=: it must be CIDR blocks"],
    [["api=rest", "sources=10.0.0.0/33"], "Cannot use sources"],
    [["provisioned=200", "reserved=100"], "Cannot keep 200 containers warm of 100 reserved"],
    [["api=soap"], "Cannot use api=soap: it must be http, rest, private"],
    [["domain=inject.example.com"], "Cannot use a domain without its certificate"],
    [[certificate], "Cannot use a domain without its certificate"],
    [["api=private", ...network, "domain=inject.example.com", certificate], "Cannot give a private API a domain"],
    [["api=private"], "Cannot deploy a private API without vpcEndpoints, subnets, securityGroups"],
    [["vpcEndpoints=vpce-0123456789abcdef0"], "Cannot use vpcEndpoints with api=http: only a private API has it"],
    [["gatewayLogRole=account"], "Cannot use gatewayLogRole with api=http"],
    [["alsoApi=http"], "Cannot keep alsoApi=http: it is the same as api"],
    [["executeApi=off"], "Cannot switch executeApi off without a domain"],
    [["clusters=a,b,a"], "Cannot use the cluster ID a twice"],
    [["clusters=shop-eu, shop-us"], "Cannot use clusters=shop-eu, shop-us"],
    [["clusters=shop/us"], "Cannot use clusters=shop/us"],
    [["retention=31"], "Cannot use retention=31"],
    [["canary=rate(5 minutes)"], "Cannot use canary=rate(5 minutes)"],
    [["email=oncall"], "Cannot use email=oncall"],
    [["reserved"], "Cannot read --param reserved: write --param NAME=VALUE"],
  ])("refuses %j with the fix", (params, problem) => {
    expect(problemsOf(params).join("\n")).toContain(problem);
  });

  it("counts the clusters that fit", () => {
    const ids = (count: number) => `clusters=${Array.from({ length: count }, (_, index) => `c${index}`).join(",")}`;
    expect(problemsOf([ids(74)])).toEqual([]);
    expect(problemsOf([ids(75)])[0]).toContain("Cannot give 75 clusters routes of their own: 74 fit");
    expect(problemsOf(["api=rest", ids(50)])).toEqual([]);
    expect(problemsOf(["api=rest", ids(51)])[0]).toContain("50 fit");
    expect(problemsOf(["api=rest", "alsoApi=http", ids(26)])[0]).toContain("25 fit");
  });
});

describe("warningsOf()", () => {
  const topic = "topic=arn:aws:sns:eu-west-1:123456789012:pager";

  it("warns of alarms that notify nobody, until that is said to be meant", () => {
    expect(warningsOf(settings())).toEqual([expect.stringContaining("Alarms notify nobody: set email or topic")]);
    for (const params of [["email=a@example.com"], [topic], ["alarms=silent"]])
      expect(warningsOf(settings(params))).toEqual([]);
  });

  it("refuses such alarms with alarms=require", () => {
    expect(problemsOf(["alarms=require"])).toEqual([expect.stringContaining("alarms would notify nobody")]);
    expect(problemsOf(["alarms=require", topic])).toEqual([]);
  });

  it("warns of cluster IDs that are easy to guess", () => {
    const clusters = "clusters=shop-eu,shop-us-9f3c1a7e,pay.k3v9x2m1q,shop-production";
    expect(warningsOf(settings([topic, clusters]))).toEqual([
      expect.stringMatching(/^Cluster IDs that are easy to guess: shop-eu, shop-production\. /),
    ]);
  });
});

describe("compareSettings()", () => {
  it("refuses to drop a setting that the stack has, and names the line that keeps it", () => {
    const { refusals } = compareSettings(settings([], "ttl: 30\n"), { reserved: "300", ttl: "20" });
    expect(refusals).toEqual([
      'Cannot drop the setting reserved=300, which the stack has: write "reserved: 300" to outrigger.prod.yml to keep it, or "reserved: 100" to go back to the default',
    ]);
  });

  it("drops it when the default is said", () => {
    const said = compareSettings(settings([], "reserved: 100\n"), { reserved: "300" });
    expect(said).toEqual({ refusals: [], changes: ["reserved: 300 → 100"], overrides: [] });
    expect(compareSettings(settings(["reserved=100"]), { reserved: "300" }).refusals).toEqual([]);
  });

  it("says what holds for one deploy only", () => {
    const { overrides } = compareSettings(settings(["reserved=300", "ttl=20"], "reserved: 50\n"), undefined);
    expect(overrides).toEqual([
      "reserved=300, for this deploy only (outrigger.prod.yml: 50)",
      "ttl=20, for this deploy only (default: 10)",
    ]);
  });

  it("refuses to remove the API that clusters call, and lets it stay for a deploy", () => {
    const step = (params: readonly string[], recorded: Readonly<Record<string, string>>) =>
      compareSettings(settings(params), recorded).refusals;
    expect(step(["api=rest"], {})[0]).toContain("Cannot change api from http to rest in one step");
    expect(step(["api=rest", "alsoApi=http"], {})).toEqual([]);
    expect(step(["api=rest", "alsoApi="], { api: "rest", alsoApi: "http" })).toEqual([]);
  });

  it("refuses to switch the old name off with the deploy that sets the new one", () => {
    const params = ["domain=inject.example.com", certificate, "executeApi=off"];
    expect(compareSettings(settings(params), {}).refusals[0]).toContain(
      "Cannot switch executeApi off in the deploy that sets the domain",
    );
    expect(
      compareSettings(settings(params), { domain: "inject.example.com", certificate: certificate.slice(12) }).refusals,
    ).toEqual([]);
  });

  it("compares with what a stack's template has recorded", async () => {
    const recorded = recordedSettings(settings(["reserved=300", "ttl=10"]));
    expect(recorded).toEqual({ reserved: "300" });
    const template = JSON.stringify({ Metadata: { Outrigger: { Settings: recorded } } });
    expect(await deployedSettings({ deployedTemplate: async () => template })).toEqual(recorded);
    expect(await deployedSettings({ deployedTemplate: async () => "{}" })).toBeUndefined();
    expect(await deployedSettings({ deployedTemplate: async () => undefined })).toBeUndefined();
  });
});
