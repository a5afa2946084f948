import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { parseOptions } from "../../test/cli/parse-options.ts";
import {
  clusterOptions,
  eachCluster,
  fleetOptions,
  namesCluster,
  namesContext,
  requestedSettings,
  webhookOptions,
} from "./cluster-options.ts";
import { type OptionTable, takes } from "./option.ts";

const parse = (table: OptionTable, ...words: readonly string[]) =>
  parseOptions((command) => takes(command, table), words);

describe("eachCluster()", () => {
  const rest = { namespace: "web" };

  it.each([
    [{}, [{}]],
    [{ cluster: ["a"] }, [{ cluster: "a" }]],
    [{ context: ["c"] }, [{ context: "c" }]],
    [{ cluster: ["a", "b", "c"] }, [{ cluster: "a" }, { cluster: "b" }, { cluster: "c" }]],
    [{ context: ["c", "d", "e"] }, [{ context: "c" }, { context: "d" }, { context: "e" }]],
    [{ cluster: ["a", "b", "a"] }, [{ cluster: "a" }, { cluster: "b" }]],
    // One name with one context is the same cluster.
    [{ cluster: ["a"], context: ["c"] }, [{ cluster: "a", context: "c" }]],
    [{ cluster: ["a"], as: "shop" }, [{ cluster: "a", as: "shop" }]],
    [{ cluster: ["a"], context: ["c"], as: "shop" }, [{ cluster: "a", context: "c", as: "shop" }]],
    [{ as: "shop" }, [{ as: "shop" }]],
  ])("makes of %j the options of each cluster", (options, each) => {
    expect(eachCluster({ ...rest, ...options })).toEqual(each.map((one) => ({ ...rest, ...one })));
  });

  it.each([
    [{ cluster: ["a", "b"], context: ["c"] }, "Cannot use --cluster and --context for several clusters"],
    [{ cluster: ["a"], context: ["c", "d"] }, "Cannot use --cluster and --context for several clusters"],
    [{ cluster: ["a", "b"], as: "shop" }, "Cannot use --as with several clusters"],
    [{ context: ["c", "d"], as: "shop" }, "Cannot use --as with several clusters"],
  ])("refuses %j", (options, why) => {
    expect(() => eachCluster({ ...rest, ...options })).toThrow(why);
  });
});

it("namesCluster() and namesContext() say whether the options name a cluster, and whether by a kubeconfig", () => {
  const both = [{}, { cluster: ["a"] }, { context: ["c"] }, { kubeconfig: "file" }];
  expect(both.map(namesCluster)).toEqual([false, true, true, true]);
  expect([{}, { context: "c" }, { kubeconfig: "file" }].map(namesContext)).toEqual([false, true, true]);
});

describe("requestedSettings()", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-options-"));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));
  const certificate = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
  const asked = (caFile: string) => requestedSettings({ caFile }, "https://hooks.example", fakeIo({ cwd }));

  it("leaves out what no option names", async () => {
    expect(await requestedSettings({}, "https://hooks.example", fakeIo())).toEqual({
      url: "https://hooks.example",
      revision: "default",
    });
    const options = { revision: "blue", tag: ["prod"], namespace: ["web"], timeout: 5, clusterId: "c", network: "n" };
    expect(await requestedSettings(options, "https://hooks.example", fakeIo())).toEqual({
      url: "https://hooks.example",
      ...{ revision: "blue", tags: ["prod"], namespaces: ["web"], timeoutSeconds: 5, clusterId: "c", network: "n" },
    });
  });

  it("takes the certificates alone of a file that has a key too", async () => {
    const key = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----";
    writeFileSync(join(cwd, "ca.pem"), `${key}\n${certificate("one")}\nnote\n${certificate("two")}\n${key}\n`);
    expect((await asked("ca.pem")).caBundle).toBe(`${certificate("one")}\n${certificate("two")}\n`);
  });

  it("names a file that has none, or that cannot be read", async () => {
    writeFileSync(join(cwd, "empty.pem"), "");
    await expect(asked("empty.pem")).rejects.toThrow("Cannot use empty.pem: it has no PEM certificate");
    await expect(asked("other.pem")).rejects.toThrow("Cannot read other.pem: the file does not exist");
  });
});

describe("webhookOptions", () => {
  const parsed = (line: string) => parse(webhookOptions, ...line.split(" "));

  it.each([
    ["--enable-namespaces-by-default", { enableNamespacesByDefault: true }],
    ["--enable-namespaces-by-default true", { enableNamespacesByDefault: true }],
    ["--enable-namespaces-by-default false", { enableNamespacesByDefault: false }],
    ["--timeout 1", { timeout: 1 }],
    ["--timeout 30", { timeout: 30 }],
    ["--tag prod --tag next", { tag: ["prod", "next"] }],
    ["--phase namespace --namespace web --namespace pay", { phase: "namespace", namespace: ["web", "pay"] }],
    ["--phase cluster", { phase: "cluster" }],
    ["--failure-policy Ignore --reinvocation-policy Never", { failurePolicy: "Ignore", reinvocationPolicy: "Never" }],
    ["--failure-policy Fail --reinvocation-policy IfNeeded", { failurePolicy: "Fail", reinvocationPolicy: "IfNeeded" }],
    ["--safety-net deny", { safetyNet: "deny" }],
    ["--safety-net warn", { safetyNet: "warn" }],
    ["--safety-net off", { safetyNet: "off" }],
  ])("reads %s", (line, options) => expect(parsed(line)).toEqual(options));

  it.each([
    ["--enable-namespaces-by-default yes", "It is true or false."],
    ["--timeout 0", "A timeout is 1 to 30 whole seconds."],
    ["--timeout 31", "A timeout is 1 to 30 whole seconds."],
    ["--failure-policy ignore", "Allowed choices are Ignore, Fail."],
    ["--reinvocation-policy Always", "Allowed choices are Never, IfNeeded."],
    ["--safety-net on", "Allowed choices are deny, warn, off."],
    ["--phase all", "Allowed choices are"],
  ])("refuses %s, and says what is allowed", (line, why) => expect(parsed(line)).toContain(why));
});

it("clusterOptions need a cluster, and read the names of its Region, its role and its registration", () => {
  const line = "--cluster shop --cluster-region us-east-1 --role-arn arn:aws:iam::222233334444:role/r --as pay -m why";
  expect(parse(clusterOptions, ...line.split(" "))).toEqual({
    ...{ cluster: "shop", clusterRegion: "us-east-1", as: "pay", message: "why" },
    roleArn: "arn:aws:iam::222233334444:role/r",
  });
  expect(parse(clusterOptions)).toContain("--cluster <name>' not specified");
  for (const wrong of ["--cluster sh.op", "--as no/name", "--cluster-region here", "--role-arn operator"])
    expect(parse(clusterOptions, "--cluster", "shop", ...wrong.split(" "))).toContain("is invalid");
});

it("fleetOptions take clusters and contexts again and again", () => {
  const line = "--cluster a --cluster b --context c --context d -n web -l app=a";
  expect(parse(fleetOptions, ...line.split(" "))).toEqual({
    cluster: ["a", "b"],
    context: ["c", "d"],
    namespace: "web",
    selector: "app=a",
  });
});
