import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { policyFor } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";
import { sourceFile } from "../../tree/source-files.ts";

const GONE: SourceTree = { ...SHIPPED, "templates/sidecar": "spec: {}\n" };
const IMAGE: SourceTree = { ...SHIPPED, "values/00-default": "global:\n  hub: registry.example/next\n" };

let cwd: string;
let aws: ReturnType<typeof fakeAws>;
let deployed: (readonly string[])[];

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "outrigger-planning-"));
  aws = fakeAws();
  deployed = [];
  put("service/serverless.yml", "service: outrigger\n");
  put("service/osls-version", "4.3.1\n");
  await run("publish", SHIPPED);
});
afterEach(() => rmSync(cwd, { recursive: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), text);
}

/** A command of a version that ships a tree. */
async function run(line: string, shipped: SourceTree, ask?: () => Promise<string>) {
  rmSync(join(cwd, "shipped"), { recursive: true, force: true });
  for (const [path, text] of Object.entries(shipped)) put(join("shipped", sourceFile(path)), text);
  const io = fakeIo({
    cwd,
    service: join(cwd, "service"),
    templates: join(cwd, "shipped"),
    connect: aws.connect,
    run: async (_command, words) => {
      deployed.push(words);
      return 0;
    },
  });
  const code = await main(line.split(" "), { ...io, ...(ask === undefined ? {} : { ask }) });
  return { code, out: io.out(), err: io.err() };
}

describe("outrigger deploy --dry-run", () => {
  it("says that nothing changes where the shipped templates come to what is served", async () => {
    const { code, out } = await run("deploy --dry-run", SHIPPED);
    expect({ code, out }).toEqual({
      code: 0,
      out: "What pods would get from Outrigger 1.2.3 on dev that they do not get now:\n  stable: nothing\n",
    });
    expect(deployed).toEqual([]);
  });

  it("names what pods would get by class, where to see the fields, and ends with 1", async () => {
    await run("promote stable fixed", SHIPPED);
    const { code, out } = await run("deploy --dry-run", IMAGE);
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}fixed: nothing$/m);
    expect(out).toMatch(
      /^ {2}stable: image-registry \(samples\/plain-pod: istio-proxy from registry.example\/next\), /m,
    );
    expect(out).toContain("Pods and fields: outrigger diff stable source\n");
    expect((await run("diff stable source", IMAGE)).out).toContain("+  - image: registry.example/next/proxyv2");
    expect(deployed).toEqual([]);
  });

  it("says what would wait for a person, also as JSON", async () => {
    const { code, out } = await run("deploy --dry-run --json", GONE);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      stage: "dev",
      version: "1.2.3",
      channels: [
        {
          channel: "stable",
          // Without its proxy, a pod has its own scrape annotations again.
          effects: [
            { name: "container-gone", example: expect.any(String) },
            { name: "shipped-templates" },
            { name: "metadata", example: "samples/plain-pod: labels or annotations" },
          ],
          held: expect.stringContaining('publish it with "outrigger publish --accept container-gone@'),
        },
      ],
    });
  });

  it("says that the first deploy changes nothing for pods", async () => {
    aws = fakeAws();
    const { code, out } = await run("deploy --dry-run", SHIPPED);
    expect({ code, out }).toEqual({
      code: 0,
      out: "Nothing is served by dev yet: this is a first deploy, which changes nothing for pods\n",
    });
  });

  it.each([
    ["pinned", "pin stable", /^ {2}stable: nothing\n {4}stable is pinned to/m],
    [
      "for promotions alone",
      "channel approval stable required",
      /^ {2}stable: nothing\n {4}stable stays at \w+: it takes promotions that another/m,
    ],
  ])("changes nothing for a channel that is %s, and says why", async (_what, line, why) => {
    await run(line, SHIPPED);
    const { code, out } = await run("deploy --dry-run", GONE);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(why) });
  });

  it("says that the tree would be refused, and which pods the guardrails of the next deploy would refuse", async () => {
    put("outrigger.dev.yml", "guardrails: baseline,image:registry.istio.io/*\n");
    const { code, out } = await run("deploy --dry-run", SHIPPED);
    expect(code).toBe(1);
    expect(out).toContain("stable: sidecar-gone (");
    expect(out).toContain("pods of stable would not be injected, because the guardrails refuse what it serves: ");
    expect(out).toContain("\nGuardrails: off now, baseline,image:registry.istio.io/* then\n");
    const baseline = await run("deploy --dry-run --param guardrails=baseline", SHIPPED);
    expect(baseline).toMatchObject({
      code: 1,
      out: expect.stringMatching(/stable: nothing\nGuardrails: off now, baseline then\n$/),
    });
    aws.guard("baseline");
    expect((await run("deploy --dry-run --param guardrails=baseline", SHIPPED)).code).toBe(0);
    const broken = await run("deploy --dry-run --param guardrails=", {
      ...SHIPPED,
      "templates/sidecar": "{{> nothing}}\n",
    });
    expect(broken.code).toBe(1);
    expect(broken.out).toContain("the tree in /outrigger/dev/source would be refused, and what is served stays: ");
  });

  it("reads what a deployer may read, and writes nothing", async () => {
    const reads = new Set<string>();
    const { connect, store } = aws;
    const refuse = () => Promise.reject(new Error("a plan writes nothing"));
    const watched: typeof store = {
      ...store,
      putParameter: refuse,
      deleteParameters: refuse,
      objects: {
        ...store.objects,
        putObject: refuse,
        deleteObject: refuse,
        emptyFolder: refuse,
        getObject: (key, options) => {
          reads.add(`GetObject ${key.split("/")[2]}`);
          return store.objects.getObject(key, options);
        },
        listObjects: refuse,
      },
      getParameters: (names) => {
        for (const name of names) reads.add(`GetParameters ${name.split("/")[3]}`);
        return store.getParameters(names);
      },
      getParametersByPath: (page, options) => {
        reads.add(`GetParametersByPath ${page.path.split("/")[3]}`);
        return store.getParametersByPath(page, options);
      },
    };
    aws = { ...aws, connect: async (target) => ({ ...(await connect(target)), store: watched }) };
    expect((await run("deploy --dry-run", IMAGE)).code).toBe(1);
    const policy = policyFor("deployer", { partition: "aws", region: "eu-west-1", account: "1", stage: "dev" });
    const statements = policy["Statement"] as readonly { readonly Action: string[]; readonly Resource: string[] }[];
    const allowed = statements.flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((arn) => `${action.replace(/^(ssm|s3):/, "")} ${arn.split("/")[3]}`)),
    );
    expect(reads.size).toBeGreaterThan(3);
    expect([...reads]).toContain("GetObject objects");
    expect([...reads].filter((read) => !allowed.includes(read))).toEqual([]);
  });

  it("leaves a replica's channels to its primary", async () => {
    put("outrigger.dev.yml", "replicaOf: eu-west-1\n");
    expect(await run("deploy --dry-run", GONE)).toMatchObject({
      code: 0,
      out: expect.stringContaining("stable: nothing\n"),
    });
  });

  it.each([["deploy --json", "Cannot use --json without --dry-run"]])("refuses %s", async (line, message) => {
    expect(await run(line, SHIPPED)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe("outrigger deploy", () => {
  it("says what changes and continues where nothing of it is held", async () => {
    const { code, err } = await run("deploy", IMAGE);
    expect(code).toBe(0);
    expect(err).toContain("stable: image-registry (");
    expect(deployed).toHaveLength(1);
  });

  it("asks where a class is held, and needs --yes where nobody can be asked", async () => {
    const refused = await run("deploy", GONE);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("say --yes to deploy all the same") });
    expect(await run("deploy", GONE, async () => "n")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Nothing was deployed"),
    });
    expect(deployed).toEqual([]);
    expect(await run("deploy", GONE, async () => "y")).toMatchObject({ code: 0 });
    expect(await run("deploy --yes", GONE)).toMatchObject({
      code: 0,
      err: expect.stringContaining("container-gone ("),
    });
    expect(deployed).toHaveLength(2);
  });

  it("continues where it may not read what is served, and says that what changes is not known", async () => {
    const denied = () => Promise.reject(new OutriggerError("store-denied", "Cannot read it"));
    const { connect } = aws;
    aws = {
      ...aws,
      connect: async (target) => ({ ...(await connect(target)), store: { ...aws.store, getParameters: denied } }),
    };
    const { code, err } = await run("deploy", GONE);
    expect({ code, err }).toEqual({ code: 0, err: "Warning: What changes for pods is not known: Cannot read it\n" });
    expect(deployed).toHaveLength(1);
    expect((await run("deploy --dry-run", GONE)).code).toBe(3);
  });
});
