import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkSettings, MORE_REGIONS, placeProblems, regionProblems, warningsOf } from "../settings/check.ts";
import { compareSettings, deployedSettings, recordedSettings } from "../settings/compare.ts";
import { frameworkParameters, readSettings } from "../settings/read.ts";
import { SETTINGS } from "../settings/schema.ts";

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
    [["api=rest", "sources=::/0,2001:db8::1/128,::ffff:203.0.113.1/128,10.0.0.0/8"]],
    [["replicaOf=eusc-de-east-1", "replicaOfStage=main"]],
    [["tags=Team=platform,cost-center=42,note="]],
    [["clusters=shop-eu,shop_us,a.b"]],
  ])("takes %j", (params) => {
    expect(problemsOf(params)).toEqual([]);
  });

  it.each([
    [["sources=203.0.113.0/24"], "Cannot use sources with api=http: only a REST API checks who calls. Set api=rest"],
    [["aip=rest"], "Cannot use the setting aip of --param: it is not a setting; the nearest is api"],
    [["bundledFallback=false"], "Cannot use bundledFallback=false: it must be on, off"],
    [["ttl=0"], "Cannot use ttl=0: it must be a whole number from 1 to 60"],
    [["releaseBucket="], "Cannot use releaseBucket=: it must be create, or the name of a bucket in the same Region"],
    [["releaseBucket=my.bucket"], "Cannot use releaseBucket=my.bucket"],
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
    [["mesh=none", "bundledFallback=on"], "Cannot use bundledFallback with mesh=none"],
    [["environment=Prod"], "Cannot use environment=Prod: it must be small letters, digits and dashes"],
    [["clusters=a,b,a"], "Cannot use the cluster ID a twice"],
    [["clusters=shop-eu, shop-us"], "Cannot use clusters=shop-eu, shop-us"],
    [["clusters=shop/us"], "Cannot use clusters=shop/us"],
    [["retention=31"], "Cannot use retention=31"],
    [["canary=rate(5 minutes)"], "Cannot use canary=rate(5 minutes)"],
    [["email=oncall"], "Cannot use email=oncall"],
    [["api=rest", "sources=:/0"], "Cannot use sources=:/0"],
    [["api=rest", "sources=1:2:3/64"], "Cannot use sources=1:2:3/64"],
    [["api=rest", "sources=203.0.113.0"], "Cannot use sources=203.0.113.0"],
    [["api=rest", "sources=203.0.113.04/32"], "Cannot use sources=203.0.113.04/32"],
    [["api=rest", "sources=2001:db8::/129"], "Cannot use sources=2001:db8::/129"],
    [["api=rest", "sources=10.0.0.0/08"], "Cannot use sources=10.0.0.0/08"],
    [["api=rest", "sources=10.0.0.0/8,10.0.0.0/8"], "Cannot use 10.0.0.0/8 twice: name it once in sources"],
    [["api=private", ...network, "subnets=subnet-01234567,subnet-01234567"], "Cannot use subnet-01234567 twice"],
    [
      ["api=private", ...network.slice(0, 2), `securityGroups=${"abcdef".replace(/./g, ",sg-0123456$&").slice(1)}`],
      "Cannot use 6 securityGroups: AWS takes 5",
    ],
    [["clusterRate=20"], "Cannot use clusterRate without clusters"],
    [["tags=Team=a,team=b"], "Cannot use the tag team twice"],
    [["tags=a=b=c"], "Cannot use tags=a=b=c"],
    [[`tags=${Array.from({ length: 41 }, (_, at) => `t${at}=x`).join(",")}`], "Cannot use 41 tags: AWS takes 40"],
    [["retention=0x1e"], "Cannot use retention=0x1e"],
    [["retention=30.0"], "Cannot use retention=30.0"],
    [["memory=NaN"], "Cannot use memory=NaN"],
    [["memory=1e4"], "Cannot use memory=1e4"],
    [["memory=99999999999999999999"], "Cannot use memory="],
    [["memory=٢٠٠٠"], "Cannot use memory=٢٠٠٠"],
    [["memory= 256"], "Cannot use memory= 256"],
    [["reserved="], "Cannot use reserved="],
    [["reserved=1", "reserved=2"], "Cannot use --param reserved twice"],
    [["__proto__=x"], "Cannot use the setting __proto__ of --param"],
    [["constructor=x"], "Cannot use the setting constructor of --param"],
    [["domain=münchen.example", certificate], "Cannot use domain=münchen.example"],
    [["email=a@b.example\nreserved: 1"], "Cannot use email="],
    [["reserved"], "Cannot read --param reserved: write --param NAME=VALUE"],
  ])("refuses %j with the fix", (params, problem) => {
    expect(problemsOf(params).join("\n")).toContain(problem);
  });

  it.each([
    ["__proto__: {reserved: 5}", "Cannot read __proto__ in outrigger.prod.yml"],
    ["__proto__: 5", "Cannot use the setting __proto__ of outrigger.prod.yml"],
    ["toString: 5", "Cannot use the setting toString of outrigger.prod.yml"],
    ["reserved: [5]", "Cannot read reserved in outrigger.prod.yml"],
    ["reserved: {a: 5}", "Cannot read reserved in outrigger.prod.yml"],
    ["reserved: .nan", "Cannot use reserved=NaN"],
    ["reserved: .inf", "Cannot use reserved=Infinity"],
    ["reserved: -1", "Cannot use reserved=-1"],
    ["reserved: 1.5", "Cannot use reserved=1.5"],
    ["reserved:", "Cannot use reserved="],
    ["reserved: true", "Cannot use reserved=on"],
    ["reserved: 5\nreserved: 6", "Cannot read outrigger.prod.yml: it is not YAML"],
    ["api: [rest]\nsources: [[10.0.0.0/8]]", "Cannot read sources in outrigger.prod.yml"],
  ])("refuses the file %j", (text, problem) => {
    expect(problemsOf([], text).join("\n")).toContain(problem);
  });

  it("refuses a file that would not be read, because of its name", () => {
    const readText = (file: string) => (file === "outrigger.prod.yaml" ? "api: private\n" : undefined);
    expect(checkSettings(readSettings({ stage: "prod", params: [], readText }))).toEqual([
      "Cannot use outrigger.prod.yaml: settings are read from outrigger.prod.yml. Rename it",
    ]);
  });

  it("counts the sources that fit into a policy", () => {
    const sources = (count: number) =>
      `sources=${Array.from({ length: count }, (_, at) => `10.0.${at >> 8}.${at & 255}/32`).join(",")}`;
    expect(problemsOf(["api=rest", sources(400)])).toEqual([]);
    expect(problemsOf(["api=rest", sources(600)])).toEqual([expect.stringContaining("Cannot use so many sources")]);
  });

  it("counts the clusters that fit", () => {
    const ids = (count: number) => `clusters=${Array.from({ length: count }, (_, index) => `c${index}`).join(",")}`;
    expect(problemsOf([ids(74)])).toEqual([]);
    expect(problemsOf([ids(75)])[0]).toContain("Cannot give 75 clusters routes of their own: 74 fit");
    expect(problemsOf(["api=rest", ids(48)])).toEqual([]);
    expect(problemsOf(["api=rest", ids(49)])[0]).toContain("48 fit");
    expect(problemsOf(["api=rest", "alsoApi=http", ids(26)])[0]).toContain("24 fit");
  });
});

describe("regionProblems()", () => {
  const known = ["eu-west-1", ...MORE_REGIONS];

  it("refuses what is no Region, in words of its own", () => {
    const problems = (command: string, region: string) => regionProblems({ command, region }, known);
    for (const command of ["deploy", "package"]) {
      expect(["eu-west-1", "sa-west-1", "us-isob-west-1"].flatMap((region) => problems(command, region))).toEqual([]);
      expect(problems(command, "eu-wst-1")).toEqual([
        "Cannot deploy to eu-wst-1: no such Region is known. Check its name",
      ]);
    }
  });

  it.each(["eusc-de-east-1", "eu-isoe-west-1", "us-isof-east-1", "us-isof-south-1"])(
    "leaves %s, where osls does not find its own template, to outrigger package",
    (region) => {
      expect(regionProblems({ command: "package", region }, known)).toEqual([]);
      expect(regionProblems({ command: "deploy", region }, known)).toEqual([
        expect.stringContaining("Use outrigger package, and deploy what it makes with CloudFormation"),
      ]);
    },
  );
});

describe("replicaOf", () => {
  it("may be each of AWS's Regions", () => {
    const { regions } = JSON.parse(readFileSync("test/infra/facts/endpoints.json", "utf8"));
    expect(Object.keys(regions).flatMap((region) => problemsOf([`replicaOf=${region}`]))).toEqual([]);
  });
});

describe("placeProblems()", () => {
  const arns = [
    "certificate=arn:aws:acm:eu-west-1:123456789012:certificate/1111-2222",
    "kmsKey=arn:aws:kms:eu-west-1:123456789012:key/1111-2222",
    "topic=arn:aws:sns:eu-west-1:123456789012:pager",
    "eventBus=arn:aws:events:eu-west-1:999999999999:event-bus/audit",
    "permissionsBoundary=arn:aws:iam::123456789012:policy/boundary",
    "serviceRole=arn:aws:iam::123456789012:role/cloudformation",
  ];

  it("takes resources of the Region that is deployed to", () => {
    expect(placeProblems(settings(arns), "eu-west-1")).toEqual([]);
    expect(placeProblems(settings(), "cn-north-1")).toEqual([]);
    expect(placeProblems(settings(["eventBus=audit"]), "cn-north-1")).toEqual([]);
  });

  it("refuses those of another Region or partition, each with its own", () => {
    const named = (region: string) =>
      placeProblems(settings(arns), region).map((line) => /use (\w+)=.* it is of (\S+)\./.exec(line)?.slice(1));
    const elsewhere = ["certificate", "kmsKey", "topic", "eventBus"].map((name) => [name, "eu-west-1"]);
    expect(named("us-east-1")).toEqual(elsewhere);
    expect(named("cn-north-1")).toEqual([...elsewhere, ["permissionsBoundary", "aws"], ["serviceRole", "aws"]]);
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

  it.each([
    [["api=private", ...network], []],
    [["api=rest", "sources=10.0.0.0/8"], []],
    [["api=rest", "alsoApi=http"], []],
    [["api=private", ...network, "alsoApi=http"], ["alsoApi=http"]],
    [["alsoApi=private", ...network], ["api=http"]],
    [["alsoApi=rest", "sources=10.0.0.0/8"], ["api=http"]],
    [["api=private", ...network, "alsoApi=rest"], ["alsoApi=rest"]],
    [["api=private", ...network, "alsoApi=rest", "sources=10.0.0.0/8"], []],
  ])("warns of an API that is public next to one that is not: %j", (params, open) => {
    const expected = open.map((name) => expect.stringContaining(`${name} is a public API`));
    expect(warningsOf(settings([topic, ...params]))).toEqual(expected);
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
    const said = compareSettings(settings([], "reserved: 100\n"), { reserved: "300", releaseBucket: "create" });
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

  it("refuses to take away the domain that clusters call, until it is said for this deploy", () => {
    const recorded = { domain: "old.example.com", certificate: certificate.slice(12) };
    const refusals = (params: readonly string[], text: string) =>
      compareSettings(settings(params, text), recorded).refusals;
    for (const text of [
      'domain: ""\ncertificate: ""\n',
      `domain: new.example.com\ncertificate: ${recorded.certificate}\n`,
    ]) {
      const { domain = "" } = settings([], text).values;
      expect(refusals([], text)).toEqual([expect.stringContaining("Cannot take the domain old.example.com away")]);
      expect(refusals([], text)[0]).toContain(`--param domain=${domain}`);
      expect(refusals([`domain=${domain}`], text)).toEqual([]);
    }
    expect(refusals([], `domain: old.example.com\ncertificate: ${recorded.certificate}\n`)).toEqual([]);
  });

  it("refuses to take away the endpoint in the URL of a private API, which another one can precede first", () => {
    const [one, two] = ["vpce-01234567", "vpce-76543210"];
    const recorded = (endpoints: string) => ({ api: "private", vpcEndpoints: endpoints });
    const refusals = (endpoints: string, before: string) =>
      compareSettings(settings(["api=private", `vpcEndpoints=${endpoints}`]), recorded(before)).refusals;
    expect(refusals(two, `${one},${two}`)).toEqual([expect.stringContaining(`Cannot take ${one} out of vpcEndpoints`)]);
    expect(refusals(`${two},${one}`, one)).toEqual([]);
    expect(refusals(two, `${two},${one}`)).toEqual([]);
  });

  it("refuses to change the bucket, whose releases the next one has not, until it is said for this deploy", () => {
    const refusals = (params: readonly string[], text: string, before: string) =>
      compareSettings(settings(params, text), { releaseBucket: before }).refusals;
    expect(refusals([], "releaseBucket: team\n", "create")).toEqual([
      "Cannot change releaseBucket from create to team: the deploy writes what is served to the new bucket, and nothing could roll back to older releases, which stay in the old one. Deploy once with --param releaseBucket=team; to keep them, copy outrigger/prod/objects/releases/ to the new bucket",
    ]);
    expect(refusals([], "releaseBucket: create\n", "team")).toEqual([
      expect.stringContaining("Cannot change releaseBucket from team to create"),
    ]);
    expect(refusals([], "", "team")[0]).toContain('write "releaseBucket: team" to outrigger.prod.yml to keep it');
    expect(refusals(["releaseBucket=team"], "", "create")).toEqual([]);
    expect(refusals([], "releaseBucket: team\n", "team")).toEqual([]);
    expect(refusals([], "", "create")).toEqual([]);
  });

  it("gives a stack without a bucket one: of its own, or the one that is named", () => {
    const given = (text: string) => compareSettings(settings([], text), {});
    expect(given("")).toEqual({ refusals: [], changes: ['releaseBucket: "" → create'], overrides: [] });
    expect(given("releaseBucket: team\n")).toMatchObject({ refusals: [], changes: ['releaseBucket: "" → team'] });
    expect(recordedSettings(settings())).toEqual({ releaseBucket: "create" });
  });

  it("refuses to reserve fewer containers than are kept warm until then, which Lambda would", () => {
    const refusals = (params: readonly string[]) =>
      compareSettings(settings(params), { reserved: "200", provisioned: "150" }).refusals;
    expect(refusals(["reserved=100", "provisioned=50"])).toEqual([
      expect.stringContaining("Cannot set reserved to 100 while 150 containers are kept warm"),
    ]);
    for (const reserved of ["200", "150", "0"])
      expect(refusals([`reserved=${reserved}`, "provisioned=50"])).toEqual([]);
  });

  it("compares with what a stack's template has recorded", async () => {
    const recorded = recordedSettings(settings(["reserved=300", "ttl=10"]));
    expect(recorded).toEqual({ reserved: "300", releaseBucket: "create" });
    const template = JSON.stringify({ Metadata: { Outrigger: { Settings: recorded } } });
    expect(await deployedSettings({ deployedTemplate: async () => template })).toEqual(recorded);
    expect(await deployedSettings({ deployedTemplate: async () => "{}" })).toBeUndefined();
    expect(await deployedSettings({ deployedTemplate: async () => undefined })).toBeUndefined();
  });
});
