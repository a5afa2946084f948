import { describe, expect, it, vi } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { startFakeAwsServices } from "../../test/eks/fake-aws-services.ts";
import { functionLine, minorOf, newestOf, printSkew, servedReleases, whatIsBehind } from "./version-skew.ts";

describe("functionLine()", () => {
  it.each([
    ["1.2.0", "The functions of prod are 1.2.0, this command 1.10.0: outrigger deploy --stage prod"],
    ["1.11.0", "The functions of prod are 1.11.0, this command 1.10.0: install outrigger 1.11.0"],
    ["1.10.0", "The functions of prod are 1.10.0, this command 1.10.0"],
    [undefined, "The version of the functions of prod is not known: they may not be asked; this command 1.10.0"],
  ])("says of functions of version %s what makes them the same", (theirs, line) => {
    expect(functionLine(theirs, "1.10.0", "prod")).toBe(line);
  });
});

describe("minorOf()", () => {
  it("leaves out the patch, and what a provider adds", () => {
    expect(["1.33.4-eks-1", "1.33"].map(minorOf)).toEqual(["1.33", "1.33"]);
  });
});

describe("newestOf()", () => {
  it("compares the versions of registrations by their numbers, and needs none", () => {
    const registered = (...versions: readonly string[]) =>
      newestOf(
        versions.map((kubernetesVersion) => ({ record: { arn: "", revisions: {}, tokens: [], kubernetesVersion } })),
      );
    expect(registered("1.9", "1.33", "1.32")).toBe("1.33");
    expect(newestOf([{}])).toBe("");
  });
});

/** A channel that serves a release since a day of January. */
function channel(release: string, day: number) {
  const at = `2026-01-${String(day).padStart(2, "0")}T00:00:00Z`;
  return { release, history: [{ release, action: "publish" as const, at, by: "ann", why: "" }] };
}

const channels = {
  stable: channel("aaaaaaaaaaaa", 1),
  canary: channel("cccccccccccc", 20),
  beta: channel("bbbbbbbbbbbb", 10),
  twin: channel("aaaaaaaaaaaa", 20),
};

describe("servedReleases()", () => {
  it("has a line for each revision whose channel there is, with the time since when", () => {
    const revisions = { default: "stable", next: "canary", old: "gone", odd: "constructor" };
    expect(servedReleases({ revisions }, channels)).toEqual([
      { revision: "default", channel: "stable", release: "aaaaaaaaaaaa", since: "2026-01-01T00:00:00Z" },
      { revision: "next", channel: "canary", release: "cccccccccccc", since: "2026-01-20T00:00:00Z" },
    ]);
  });
});

describe("whatIsBehind()", () => {
  const behind = (serving: Readonly<Record<string, string>>, kubernetes = "1.33", registered?: string) => {
    const record = registered === undefined ? undefined : { kubernetesVersion: registered };
    const served = servedReleases({ revisions: serving }, channels);
    return whatIsBehind({ kubernetes, newest: "1.33", record, served, channels });
  };

  it("is nothing where the cluster is the newest, and served the newest", () => {
    expect(behind({ default: "canary" }, "1.33", "1.33")).toEqual([]);
    expect(behind({})).toEqual([]);
  });

  it("names the version of the registration, and the others' version, by their numbers", () => {
    expect(behind({}, "1.33", "1.32")).toEqual(["its registration says Kubernetes 1.32: run outrigger register again"]);
    expect(behind({}, "1.9", "1.9")).toEqual(["Kubernetes 1.9, while others have 1.33"]);
  });

  it("names every channel that serves another release for less time", () => {
    expect(behind({ default: "stable" })).toEqual(["stable serves an older release than beta and canary"]);
    expect(behind({ default: "beta" })).toEqual(["beta serves an older release than canary and twin"]);
    expect(behind({ default: "twin", next: "beta" })).toEqual(["beta serves an older release than canary and twin"]);
  });
});

describe("printSkew()", () => {
  it("has a row for each cluster, with what it runs, what it is served, and what is behind", async () => {
    const services = await startFakeAwsServices();
    for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value);
    try {
      const aws = fakeAws();
      const put = (name: string, record: object) => aws.put(name, JSON.stringify(record, null, 1));
      await put(aws.layout.channel("stable"), { ...channels.stable, pinned: false });
      for (const [name, version] of Object.entries({ pay: "1.32", shop: "1.33" })) {
        const arn = `arn:aws:eks:eu-west-1:111122223333:cluster/${name}`;
        const certificateAuthority = { data: btoa("a certificate") };
        services.clusters.set(name, {
          ...{ name, arn, version, status: "ACTIVE", certificateAuthority, endpoint: "https://127.0.0.1:1" },
        });
        const revisions = { default: name === "shop" ? "stable" : "gone" };
        const registered = { revisions, arn, tokens: [], kubernetesVersion: version, settings: { default: {} } };
        await put(aws.layout.cluster(name), registered);
      }
      const io = fakeIo({ connect: aws.connect });
      const options = { deployment: "dev", all: true, maxConcurrency: 1 } as const;
      await printSkew(options, io);
      expect(io.err()).toContain("The version of the functions of dev is not known");
      const rows = io.out().trimEnd().split("\n").slice(-3);
      expect(rows.map((row) => row.split(/ {3,}/))).toEqual([
        ["CLUSTER", "KUBERNETES", "RELEASE", "RESULT"],
        ["pay", "1.32", "-", "Kubernetes 1.32, while others have 1.33"],
        ["shop", "1.33", expect.stringMatching(/^stable aaaaaaaaaaaa \d+d$/), "nothing is behind"],
      ]);
    } finally {
      vi.unstubAllEnvs();
      await services.close();
    }
  });
});
