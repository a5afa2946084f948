import { describe, expect, it } from "vitest";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { keptUrl, planSettings, type RequestedSettings, withSettings } from "./plan-settings.ts";

const TOKEN = "t".repeat(43);
const URL = "https://inject.example/prod";
const CA = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

function plan(
  requested: Partial<RequestedSettings> = {},
  installed: readonly InstalledWebhook[] = [],
  found: { readonly clusterId?: string } = {},
) {
  return planSettings("prod", { url: URL, revision: "default", ...requested }, installed, TOKEN, found);
}

function webhook(changes: Partial<InstalledWebhook> = {}): InstalledWebhook {
  return { name: "outrigger-prod-default", object: {}, deployment: "prod", revision: "default", ...changes };
}

type KeptSettings = NonNullable<InstalledWebhook["settings"]>;

/** The default revision's configuration, with what was requested before. */
function kept(settings: Partial<KeptSettings>): InstalledWebhook {
  const before: KeptSettings = { ...plan({ phase: "cluster" }), ...settings };
  return webhook({ settings: before });
}

describe("planSettings() with a URL that a person gave", () => {
  const given = "https://own.example";

  it("keeps it, of the webhooks or of the record, until another is given or it is forgotten", () => {
    expect(plan({ url: given, givenUrl: true })).toMatchObject({ url: given, givenUrl: true });
    const there = [kept({ url: given, givenUrl: true })];
    expect(plan({}, there)).toMatchObject({ url: given, givenUrl: true });
    expect(plan({ url: "https://next.example", givenUrl: true }, there)).toMatchObject({ url: "https://next.example" });
    const forgotten = plan({ givenUrl: false }, there);
    expect([forgotten.url, forgotten.givenUrl]).toEqual([URL, undefined]);
    expect(plan({}, [kept({ url: given })]).url).toBe(URL);
  });

  it("finds it again in the record, which has no other URL", () => {
    const settings = plan({ url: given, givenUrl: true, phase: "cluster" });
    const empty = { revisions: { default: "stable" }, arn: "", tokens: [] };
    const record = withSettings(empty, settings);
    expect(keptUrl("default", [], record)).toBe(given);
    expect(keptUrl("default", [webhook()], record)).toBe(given);
    expect(keptUrl("other", [], record)).toBeUndefined();
    const own = withSettings(empty, plan({ phase: "cluster" }));
    expect([JSON.stringify(own).includes(URL), keptUrl("default", [], own)]).toEqual([false, undefined]);
  });
});

describe("planSettings() for a first registration", () => {
  it("audits, without options", () => {
    expect(plan()).toEqual({
      deployment: "prod",
      url: URL,
      token: TOKEN,
      revision: "default",
      tags: [],
      phase: "audit",
      namespaces: [],
      timeoutSeconds: 10,
    });
  });

  it("takes all that is asked for", () => {
    const requested = {
      revision: "v1",
      tags: ["prod", "canary"],
      phase: "namespace",
      namespaces: ["shop"],
      clusterId: "c1",
      network: "n1",
      timeoutSeconds: 5,
      failurePolicy: "Fail",
      safetyNet: "deny",
      caBundle: CA,
    } as const;
    expect(plan(requested)).toEqual({ deployment: "prod", url: URL, token: TOKEN, ...requested });
  });

  it("is of the phase namespace where namespaces are named, unless another is asked for", () => {
    expect(plan({ namespaces: ["shop"] })).toMatchObject({ phase: "namespace", namespaces: ["shop"] });
    expect(() => plan({ namespaces: ["shop"], phase: "cluster" })).toThrow(expect.objectContaining({ code: "usage" }));
    expect(() => plan({ phase: "namespace" })).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("has the cluster id that istiod says, unless another is asked for", () => {
    expect(plan({}, [], { clusterId: "found" }).clusterId).toBe("found");
    expect(plan({ clusterId: "asked" }, [], { clusterId: "found" }).clusterId).toBe("asked");
  });
});

describe("planSettings() over an earlier registration", () => {
  it("keeps all that was asked for before", () => {
    const before = {
      phase: "enforce",
      clusterId: "c1",
      network: "n1",
      timeoutSeconds: 7,
      failurePolicy: "Ignore",
      safetyNet: "warn",
      caBundle: CA,
    } as const;
    expect(plan({}, [kept(before)])).toMatchObject(before);
  });

  it("asks for what is asked for now", () => {
    const before = kept({ clusterId: "c1", network: "n1", timeoutSeconds: 7, caBundle: CA });
    const requested = { clusterId: "c2", network: "n2", timeoutSeconds: 8, caBundle: CA.replace("AAAA", "BBBB") };
    expect(plan(requested, [before])).toMatchObject(requested);
  });

  it("drops a failure policy with the phase that it was asked for, as each phase has its own", () => {
    const before = kept({ phase: "enforce", failurePolicy: "Ignore" });
    expect(plan({ phase: "enforce" }, [before]).failurePolicy).toBe("Ignore");
    expect(plan({ phase: "cluster" }, [before])).not.toHaveProperty("failurePolicy");
    expect(plan({ phase: "cluster", failurePolicy: "Fail" }, [before]).failurePolicy).toBe("Fail");
    const once = kept({ phase: "cluster", reinvocationPolicy: "Never" });
    expect(plan({ phase: "enforce" }, [once]).reinvocationPolicy).toBe("Never");
    expect(plan({ phase: "enforce", reinvocationPolicy: "IfNeeded" }, [once]).reinvocationPolicy).toBe("IfNeeded");
    const lenient = kept({ phase: "cluster", failurePolicy: "Ignore" });
    expect(plan({ phase: "enforce" }, [lenient])).not.toHaveProperty("failurePolicy");
  });

  it("adds a stack to those that had it registered, a person's registration among them", () => {
    const stacks = (before: KeptSettings["stacks"], isNew: boolean) =>
      plan({ stack: { id: "s/new", isNew } }, [kept(before === undefined ? {} : { stacks: before })]).stacks;
    expect(stacks(["s/one"], true)).toEqual(["s/one", "s/new"]);
    expect(stacks(["s/new"], false)).toEqual(["s/new"]);
    expect(stacks(undefined, true)).toEqual(["an earlier registration", "s/new"]);
    expect(stacks(undefined, false)).toEqual(["s/new"]);
    expect(plan({ stack: { id: "s/new", isNew: true } }).stacks).toEqual(["s/new"]);
  });

  it("keeps the namespaces of the phase namespace only", () => {
    const before = kept({ phase: "namespace", namespaces: ["shop", "web"] });
    expect(plan({}, [before])).toMatchObject({ phase: "namespace", namespaces: ["shop", "web"] });
    expect(plan({ phase: "cluster" }, [before])).toMatchObject({ phase: "cluster", namespaces: [] });
    expect(plan({ namespaces: ["api"] }, [before]).namespaces).toEqual(["api"]);
    const wide = kept({ phase: "cluster" });
    expect(plan({ namespaces: ["api"] }, [wide])).toMatchObject({ phase: "namespace", namespaces: ["api"] });
    expect(() => plan({ phase: "namespace" }, [wide])).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("keeps a safety net except in the phase audit, and takes it away on request", () => {
    const before = kept({ phase: "enforce", safetyNet: "deny" });
    expect(plan({ phase: "cluster" }, [before]).safetyNet).toBe("deny");
    expect(plan({ phase: "audit" }, [before])).not.toHaveProperty("safetyNet");
    expect(plan({ safetyNet: "off" }, [before])).not.toHaveProperty("safetyNet");
    expect(plan({ safetyNet: "warn" }, [before]).safetyNet).toBe("warn");
    expect(() => plan({ phase: "audit", safetyNet: "deny" }, [before])).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  });

  it("does not take a cluster id from istiod that was not there before", () => {
    expect(plan({}, [kept({})], { clusterId: "found" })).not.toHaveProperty("clusterId");
  });

  it("starts from the defaults where the settings are damaged, or another revision's or a tag's", () => {
    const before = kept({ phase: "enforce", timeoutSeconds: 7 });
    const others = [webhook(), { ...before, revision: "v1" }, { ...before, tag: "canary" }];
    expect(plan({}, others)).toMatchObject({ phase: "audit", timeoutSeconds: 10, tags: ["canary"] });
  });
});

describe("planSettings() for tags", () => {
  it("keeps those of the revision, less those that were moved to another, with those that were moved to it", () => {
    const installed = [
      kept({ tags: ["stable", "gone", "moved"] }),
      webhook({ tag: "stable" }),
      webhook({ tag: "moved", revision: "v2" }),
      webhook({ tag: "beta" }),
      webhook({ tag: "other", revision: "v2" }),
    ];
    expect(plan({}, installed).tags).toEqual(["beta", "gone", "stable"]);
    expect(plan({ tags: ["one"] }, installed).tags).toEqual(["one"]);
    expect(plan({ tags: [] }, installed).tags).toEqual([]);
  });
});

describe("planSettings() for two that are called default", () => {
  const usage = expect.objectContaining({ code: "usage" });
  const tagged = webhook({ revision: "v1", tag: "default" });

  it("refuses the tag next to the revision, and the revision next to the tag", () => {
    expect(() => plan({ revision: "v1", tags: ["default"] }, [webhook()])).toThrow(usage);
    expect(() => plan({}, [tagged])).toThrow(usage);
  });

  it("takes one of them, and other tags", () => {
    expect(plan({ revision: "v1", tags: ["default"] }, [webhook({ revision: "v1" })]).tags).toEqual(["default"]);
    expect(plan({ revision: "v1", tags: ["default"] }, [tagged]).tags).toEqual(["default"]);
    expect(plan({ revision: "v1", tags: ["a"] }, [webhook()]).tags).toEqual(["a"]);
    expect(plan({ revision: "v2" }, [tagged])).toMatchObject({ revision: "v2", tags: [] });
    expect(plan({}, [webhook({ tag: "stable" })])).toMatchObject({ revision: "default", tags: ["stable"] });
  });
});
