import { describe, expect, it } from "vitest";
import { assertEnvironment, environmentOf, layEnvironment } from "./environment.ts";

const lay = (tree: Record<string, string>, over: Parameters<typeof layEnvironment>[0]["over"]) =>
  layEnvironment({ tree, name: "prod", over, folder: "environments/prod" });

describe("layEnvironment()", () => {
  it("gives the environment's values an entry that lies over all others, as they were written", () => {
    const tree = lay({ "values/zz-mine": "a: 1" }, { values: "a: 2 # prod\n" });
    expect(Object.keys(tree).sort()).toEqual(["values/zz-mine", "values/zzz-environment-prod"]);
    expect(tree["values/zzz-environment-prod"]).toBe("a: 2 # prod\n");
    expect(environmentOf(tree)).toBe("prod");
  });

  it("marks the tree although the environment sets no values", () => {
    expect(environmentOf(lay({}, { mesh: "a: 1" }))).toBe("prod");
  });

  it("merges mappings of mesh and keeps the comments; null and lists replace", () => {
    const mesh = "# ours\ntrustDomain: dev.example # dev\ndefaultConfig:\n  concurrency: 2\n  tracing: {}\nlist: [a]\n";
    const { mesh: merged } = lay(
      { mesh },
      { mesh: "trustDomain: prod.example\ndefaultConfig: {tracing: null}\nlist: [b]\n" },
    );
    expect(merged).toBe(
      "# ours\ntrustDomain: prod.example # dev\ndefaultConfig:\n  concurrency: 2\n  tracing: null\nlist: [b]\n",
    );
  });

  it("replaces whole keys of config, as a later config does", () => {
    const { config } = lay({ config: "policy: enabled\naliases: {a: [b]}\n" }, { config: "aliases: {c: [d]}\n" });
    expect(config).toBe("policy: enabled\naliases:\n  c:\n  - d\n");
  });

  it("takes names of prototypes for names", () => {
    expect(lay({ mesh: "a: 1\n" }, { mesh: "__proto__: {b: 1}\n" })["mesh"]).toContain("__proto__");
  });

  it("leaves what the environment does not set", () => {
    expect(lay({ mesh: "a: 1\n", config: "policy: enabled\n" }, { mesh: "# nothing\n" })).toMatchObject({
      mesh: "a: 1\n",
      config: "policy: enabled\n",
    });
  });

  it("refuses what is no mapping, and a tree that is of an environment already", () => {
    expect(() => lay({}, { mesh: "[a]" })).toThrow("Cannot use environments/prod/mesh.yaml: it must be a mapping");
    expect(() => lay({ "values/zzz-environment-dev": "" }, {})).toThrow("it is of environment dev");
  });
});

describe("assertEnvironment()", () => {
  const prod = { "values/zzz-environment-prod": "" };
  it.each([
    [prod, "prod"],
    [prod, ""],
    [prod, undefined],
    [{}, "prod"],
    [{ mesh: "" }, ""],
  ])("takes %j where the deployment is for %j", (tree, own) => {
    expect(() => assertEnvironment(tree, own, "source")).not.toThrow();
  });

  it.each([
    [prod, "the tree is of environment prod"],
    [{ mesh: "" }, "the tree is of no environment"],
  ])("refuses %j where the deployment is for dev", (tree, words) => {
    expect(() => assertEnvironment(tree, "dev", "/outrigger/dev/source")).toThrow(
      expect.objectContaining({ code: "config-invalid", message: expect.stringContaining(words) }),
    );
    expect(() => assertEnvironment(tree, "dev", "source")).toThrow('push it with "--env dev"');
  });
});
