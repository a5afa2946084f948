import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Deployment } from "../connect/deployment.ts";
import { chooseEnvironment, readTree } from "./environment.ts";

describe("the environment of a directory", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-environment-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  };
  const has = (...names: readonly string[]) => {
    for (const name of names) put(`environments/${name}/values.yaml`, `of: ${name}\n`);
  };
  const choose = async (own: string, asked?: string) => {
    const deployment = { environment: async () => own, target: { stage: "live" } } as unknown as Deployment;
    return chooseEnvironment(directory, await readTree(directory), asked, deployment);
  };

  it("is laid over the tree only where it is named", async () => {
    put("config.yaml", "policy: enabled\n");
    has("prod");
    expect(await readTree(directory)).toEqual({ config: "policy: enabled\n" });
    const laid = await readTree(directory, "prod");
    expect(Object.values(laid)).toEqual(["policy: enabled\n", "of: prod\n"]);
    expect(Object.values(await readTree(directory, "prod", { mesh: "a: 1\n" }))).toEqual(["a: 1\n", "of: prod\n"]);
  });

  it("is the deployment's own, whether it is named or not", async () => {
    has("prod", "dev");
    expect(await choose("prod")).toBe("prod");
    expect(await choose("prod", "prod")).toBe("prod");
  });

  it("is not that of another deployment", async () => {
    has("prod", "dev");
    await expect(choose("prod", "dev")).rejects.toMatchObject({
      code: "config-invalid",
      path: directory,
      message:
        "Cannot publish environment dev to deployment live: it is for environment prod; leave out --env, or name another --deployment",
    });
  });

  it("is named where the deployment is for all", async () => {
    has("dev");
    expect(await choose("", "dev")).toBe("dev");
    await expect(choose("")).rejects.toThrow(
      "there is dev; name one with --env, or set environment in outrigger.live.yml",
    );
    has("prod");
    await expect(choose("")).rejects.toThrow("there are dev, prod; name one with --env");
  });

  it("is none where neither the directory nor the deployment has one", async () => {
    expect(await choose("")).toBeUndefined();
  });

  it("is not laid over a tree that was pulled with it, and is missed in one that was not", async () => {
    has("prod");
    const tree = await readTree(directory, "prod");
    rmSync(join(directory, "environments"), { recursive: true });
    const deployment = { environment: async () => "prod", target: { stage: "live" } } as unknown as Deployment;
    expect(await chooseEnvironment(directory, tree, undefined, deployment)).toBeUndefined();
    expect(await chooseEnvironment(directory, {}, undefined, deployment)).toBe("prod");
    expect(await chooseEnvironment(directory, tree, "dev", { ...deployment, environment: async () => "" })).toBe("dev");
  });
});
