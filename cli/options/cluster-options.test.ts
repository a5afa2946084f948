import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { eachCluster, namesCluster, namesContext, requestedSettings } from "./cluster-options.ts";

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
