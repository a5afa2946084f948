import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameOfDeployment, readDeployments } from "./deployments-file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "outrigger-deployments-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string) {
  const file = join(folder, "deployments.yaml");
  writeFileSync(file, text);
  return readDeployments(file);
}
const listed = (...entries: readonly string[]) => `deployments:\n${entries.map((entry) => `- ${entry}\n`).join("")}`;

describe("readDeployments()", () => {
  it("reads each with what it names, those of the first ring first, and of one ring in the file's order", async () => {
    const text = listed(
      "{stage: prod, region: us-east-1, profile: ops, account: '111122223333', ring: 100}",
      "{stage: prod, region: eu-west-1, ring: 2}",
      "{stage: dev, ring: 1}",
      "{stage: prod, region: eu-north-1, ring: 2}",
    );
    expect(await read(text)).toEqual([
      { stage: "dev", ring: 1 },
      { stage: "prod", region: "eu-west-1", ring: 2 },
      { stage: "prod", region: "eu-north-1", ring: 2 },
      { stage: "prod", region: "us-east-1", profile: "ops", account: "111122223333", ring: 100 },
    ]);
  });

  it.each([
    ["a: 1\n", "it needs a list deployments"],
    ["deployments: []\n", "it needs a list deployments"],
    ["deployments: {stage: dev, ring: 1}\n", "it needs a list deployments"],
    [listed("dev"), "deployments[0] must be a mapping with stage and ring"],
    [
      listed("{stage: dev, ring: 1}", "{stage: prod, ring: 1, owner: me}"),
      "deployments[1] has owner, and may have stage, region, profile, account, ring",
    ],
    [listed("{ring: 1}"), "deployments[0].stage must be the name of a stage: prod"],
    [listed("{stage: 1, ring: 1}"), "deployments[0].stage must be the name of a stage: prod"],
    [listed("{stage: a/b, ring: 1}"), "deployments[0].stage must be the name of a stage: prod"],
    [listed("{stage: dev}"), "deployments[0].ring must be a whole number from 1 to 100"],
    [listed("{stage: dev, ring: 0}"), "deployments[0].ring must be a whole number from 1 to 100"],
    [listed("{stage: dev, ring: 101}"), "deployments[0].ring must be a whole number from 1 to 100"],
    [listed("{stage: dev, ring: 1.5}"), "deployments[0].ring must be a whole number from 1 to 100"],
    [listed("{stage: dev, ring: 1, region: west}"), "deployments[0].region must be a Region: eu-west-1"],
    [listed("{stage: dev, ring: 1, region: 1}"), "deployments[0].region must be a Region: eu-west-1"],
    [listed("{stage: dev, ring: 1, profile: ''}"), "deployments[0].profile must be the name of an AWS profile"],
    [listed("{stage: dev, ring: 1, profile: 1}"), "deployments[0].profile must be the name of an AWS profile"],
    [
      listed("{stage: dev, ring: 1, account: 111122223333}"),
      'deployments[0].account must be an account in quotes: "111122223333"',
    ],
    [
      listed("{stage: dev, ring: 1, account: '1111222233334'}"),
      'deployments[0].account must be an account in quotes: "111122223333"',
    ],
    [listed("{stage: dev, ring: 1}", "{stage: prod, ring: 1}", "{stage: dev, ring: 2}"), "dev is in it twice"],
  ])("refuses %j and says what is wrong", async (text, why) => {
    const path = join(folder, "deployments.yaml");
    await expect(read(text)).rejects.toEqual(
      expect.objectContaining({ code: "usage", message: `Cannot use ${path}: ${why}`, path }),
    );
  });

  it("names the file that is missing, or is not YAML", async () => {
    const missing = join(folder, "missing.yaml");
    await expect(readDeployments(missing)).rejects.toThrow(`Cannot use ${missing}: ENOENT`);
    await expect(read("a: [")).rejects.toMatchObject({ code: "usage", path: join(folder, "deployments.yaml") });
  });
});

it("nameOfDeployment() tells deployments of one stage apart", () => {
  expect(nameOfDeployment({ stage: "dev", ring: 1 })).toBe("dev");
  expect(nameOfDeployment({ stage: "dev", ring: 1, region: "eu-west-1" })).toBe("dev in eu-west-1");
  expect(nameOfDeployment({ stage: "dev", ring: 1, region: "eu-west-1", profile: "ops" })).toBe(
    "dev in eu-west-1 (profile ops)",
  );
});
