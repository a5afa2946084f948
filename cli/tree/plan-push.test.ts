import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_VALUE, type ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { type Manifest, manifestText, treeDigest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLER, fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { writeBase } from "./base-file.ts";
import { type PushQuestion, planPush } from "./plan-push.ts";
import { textDigest } from "./three-way.ts";

const MESH = "enableTracing: true\n";
const VALUES = "global:\n  hub: registry.example/one\n";
const TREE: SourceTree = { mesh: MESH, "values/10-mine": VALUES };
const OTHER = "arn:aws:iam::111122223333:user/bob";

let aws: ReturnType<typeof fakeAws>;
let directory: string;
beforeEach(() => {
  aws = fakeAws();
  directory = mkdtempSync(join(tmpdir(), "outrigger-plan-push-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function deployment() {
  const target = { layout: aws.layout, stage: "dev" } as PushQuestion["deployment"]["target"];
  return { ...(await aws.connect(target)), target };
}

async function plan(asked: Partial<PushQuestion> = {}, store: ParameterStore = aws.store) {
  return planPush({
    deployment: { ...(await deployment()), store },
    directory,
    tree: TREE,
    shipped: SHIPPED,
    force: false,
    isTruth: false,
    sleep: async () => undefined,
    ...asked,
  });
}

/** The contents of Parameter Store: the texts, and the manifest of a push. */
async function stored(tree: SourceTree, manifest?: Partial<Manifest>): Promise<void> {
  for (const [path, text] of Object.entries(tree)) await aws.edit(path, text);
  if (manifest === undefined) return;
  const at = "2026-01-02T03:04:05.000Z";
  const whole: Manifest = { state: "complete", digest: treeDigest(tree), by: OTHER, at, ...manifest };
  await aws.edit("manifest", manifestText(whole));
}

/** The directory and the store had these texts in common. */
async function inCommon(tree: SourceTree): Promise<void> {
  const digests = Object.entries(tree).map(([path, text]) => [path, textDigest(text)]);
  await writeBase(directory, await deployment(), Object.fromEntries(digests));
}

const HALF = { mesh: MESH };
const halfPushed = expect.objectContaining({ code: "tree-half-pushed", path: "/outrigger/dev/source/manifest" });

describe("planPush() over a push that was broken off", () => {
  it("takes up one's own, also where its end would be another tree now", async () => {
    await stored(HALF, { state: "pushing", digest: treeDigest({ ...TREE, mesh: "x: 1\n" }), by: CALLER });
    expect(await plan()).toMatchObject({ carried: ["values/10-mine"], isHalfPushed: true, result: TREE });
  });

  it("refuses where another is pushing another tree", async () => {
    await stored(HALF, { state: "pushing", digest: treeDigest({ ...TREE, mesh: "x: 1\n" }) });
    await expect(plan()).rejects.toEqual(halfPushed);
    await expect(plan({ isTruth: true })).rejects.toEqual(halfPushed);
  });

  it("takes up another's where this very tree is its end", async () => {
    await stored(HALF, { state: "pushing", digest: treeDigest(TREE) });
    expect(await plan()).toMatchObject({ carried: ["values/10-mine"], isHalfPushed: true });
  });

  it("pushes over another's that lacks its last word only", async () => {
    await stored(HALF, { state: "pushing", digest: treeDigest(HALF) });
    expect(await plan()).toMatchObject({ carried: ["values/10-mine"], isHalfPushed: true });
  });

  it("overwrites it by force", async () => {
    await stored({ ...HALF, config: "x: 1\n" }, { state: "pushing", digest: treeDigest({}) });
    expect(await plan({ force: true })).toMatchObject({
      carried: ["config", "values/10-mine"],
      isHalfPushed: true,
      result: TREE,
    });
  });
});

describe("planPush() of a checkout", () => {
  it("carries what is new here, keeps what was edited there, and conflicts where both were", async () => {
    await inCommon({ mesh: MESH, "values/10-mine": "a: 1\n" });
    await stored({ mesh: "x: 1\n", "values/10-mine": "a: 1\n" }, {});
    expect(await plan()).toMatchObject({
      carried: ["values/10-mine"],
      kept: ["mesh"],
      conflicts: [],
      isHalfPushed: false,
    });
    await aws.edit("values/10-mine", "b: 1\n");
    const conflict = await plan();
    expect(conflict).toMatchObject({ carried: [], kept: ["mesh"], conflicts: ["values/10-mine"] });
    expect(conflict.diff).toContain("--- source/values/10-mine\n+++ yours/values/10-mine\n");
    expect(conflict.diff).not.toContain("mesh");
  });

  it("shows what is carried, and what is wrong with the result", async () => {
    const tree = { ...TREE, "templates/sidecar": "spec: {{\n" };
    const result = await plan({ tree });
    expect(result.diff).toContain("+++ yours/values/10-mine\n");
    expect(result.findings).toContainEqual(expect.objectContaining({ path: "templates/sidecar", severity: "error" }));
    expect((await plan()).findings).toEqual([]);
  });

  it("says that nothing is half pushed where there is no manifest", async () => {
    await stored(HALF);
    expect(await plan()).toMatchObject({ isHalfPushed: false, carried: ["values/10-mine"] });
  });
});

describe("planPush() of what is the only truth", () => {
  it("replaces what was pushed before, whatever the directory had in common with it", async () => {
    await stored({ config: "x: 1\n", mesh: "y: 1\n" }, {});
    await inCommon({ mesh: MESH });
    expect(await plan({ isTruth: true })).toMatchObject({
      carried: ["config", "mesh", "values/10-mine"],
      conflicts: [],
      result: TREE,
    });
  });

  it("continues this very push where it was broken off, and with no other", async () => {
    await stored({ config: "x: 1\n", mesh: MESH }, { state: "pushing", digest: treeDigest(TREE) });
    expect(await plan({ isTruth: true })).toMatchObject({ carried: ["config", "values/10-mine"], conflicts: [] });
    await stored({}, { state: "complete", digest: treeDigest(TREE) });
    expect(await plan({ isTruth: true })).toMatchObject({ conflicts: ["config"] });
  });

  it("conflicts with what was edited since the last push", async () => {
    await stored({ mesh: MESH }, {});
    await aws.edit("mesh", "y: 1\n");
    await aws.edit("config", "x: 1\n");
    const result = await plan({ isTruth: true });
    expect(result).toMatchObject({ conflicts: ["config", "mesh"] });
    expect(result.diff).toContain("--- source/mesh\n");
    expect(result.diff).not.toContain("values/10-mine");
  });

  it("conflicts with what was edited without any push, and fills an empty store", async () => {
    expect(await plan({ isTruth: true })).toMatchObject({ carried: ["mesh", "values/10-mine"], conflicts: [] });
    await aws.edit("mesh", "y: 1\n");
    expect(await plan({ isTruth: true })).toMatchObject({ conflicts: ["mesh"] });
  });
});

describe("planPush() of what cannot be stored", () => {
  it("finds a text of one byte more than a parameter holds, and no shorter one", async () => {
    const errorsOf = async (bytes: number) => {
      const { findings } = await plan({ tree: { mesh: `#${"x".repeat(bytes - 1)}` } });
      return findings.filter(({ severity }) => severity === "error");
    };
    expect(await errorsOf(MAX_VALUE.Advanced)).toEqual([]);
    expect(await errorsOf(MAX_VALUE.Advanced + 1)).toMatchObject([{ path: "mesh" }]);
  });
});

describe("planPush() over what cannot be read", () => {
  it.each<[string, string, string]>([
    ["manifest", "{}", "store-corrupt"],
    ["secrets", "x", "tree-invalid"],
  ])("refuses %s with the way out, and overwrites it by force", async (path, text, code) => {
    await aws.edit(path, text);
    const name = `/outrigger/dev/source/${path}`;
    await expect(plan()).rejects.toMatchObject({ code, path: name, message: expect.stringContaining("--force") });
    expect(await plan({ force: true })).toMatchObject({ isHalfPushed: path === "manifest", result: TREE });
  });

  it.each([new OutriggerError("store-denied", "AccessDenied"), new TypeError("a bug")])(
    "passes on %s as it is",
    async (error) => {
      const store: ParameterStore = {
        ...aws.store,
        getParametersByPath: async () => {
          throw error;
        },
      };
      await expect(plan({}, store)).rejects.toBe(error);
    },
  );
});

describe("planPush() over a store that has been emptied", () => {
  it("does not take it for a deletion of everything, unless it is forced", async () => {
    await inCommon(TREE);
    await expect(plan()).rejects.toMatchObject({
      code: "tree-changed",
      message: expect.stringMatching(
        /^Cannot push: \/outrigger\/dev\/source is empty, and had 2 entries when you last pulled or pushed; .* --force$/,
      ),
    });
    expect(await plan({ force: true })).toMatchObject({ result: TREE });
  });
});
