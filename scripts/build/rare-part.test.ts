import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readRelease } from "outrigger:bundled-release";
import { compileRelease, type Release } from "@outrigger/injector";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as source from "../../functions/inject/index.ts";
import { eventOf } from "../../test/support/gateway-event.ts";
import { shippedTreeUntried } from "../../test/support/shipped-tree.ts";
import { builtFunction } from "./built.ts";
import { projectRoot } from "./bundled-release.ts";
import { functionsOf, RARE_FILE } from "./rare-part.ts";

/** Lines of a template, each with something of the part in it. */
const CALLS = [
  'a: {{string (regexMatch "^w" metadata.name)}}',
  'a: {{regexReplaceAll "[aeiou]" metadata.name "-"}}',
  "a: {{sha256sum metadata.name}}",
  'a: {{printf "%05d" (len metadata.name)}}',
  'a: {{formatDuration "90.5s"}}',
  "$retainKeys: [sidecar.istio.io/inject, a]\na: retained",
];

/** What fails for a pod: the part has a class of errors of its own. */
const FAILING = [
  "a: {{string (regexMatch metadata.name metadata.name)}}",
  "a: {{printf metadata.name}}",
  "$retainKeys: [b]\na: {{metadata.name}}",
];

describe("the rare part of the inject function", () => {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-rare-"));
  const require = createRequire(import.meta.url);
  let bundle: typeof source;
  beforeAll(async () => {
    bundle = require(resolve(projectRoot, await builtFunction("inject", join(directory, "index.cjs"))));
  }, 60_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  async function answers(release: Release, name = "web") {
    const object = { metadata: { name }, spec: { containers: [{ name: "web", image: "web" }] } };
    const each = [bundle, source].map(async ({ createHandler }) => {
      const lines: string[] = [];
      const handler = createHandler({ release, write: (line) => lines.push(line) });
      const { statusCode, body } = await handler(eventOf({ object, namespace: "shop" }));
      return { statusCode, body, reason: JSON.parse(lines[0] ?? "{}").reason };
    });
    const [bundled, expected] = await Promise.all(each);
    return { bundled, expected, isRead: Object.keys(require.cache).some((file) => file.endsWith(RARE_FILE)) };
  }

  async function releaseWith(annotations: string): Promise<Release> {
    const template = ["metadata:", "  annotations:", ...annotations.split("\n").map((line) => `    ${line}`), ""].join(
      "\n",
    );
    const config = "defaultTemplates: [sidecar, own]\n";
    return compileRelease([await shippedTreeUntried(), { config, "templates/own": template }]);
  }

  it("is not read for the shipped templates", async () => {
    const { bundled, expected, isRead } = await answers(readRelease());
    expect(bundled).toEqual(expected);
    expect([bundled?.statusCode, isRead]).toEqual([200, false]);
  });

  it.each(CALLS)(
    "is read for a template that asks for it, and answers as the code in one piece does: %s",
    async (call) => {
      const { bundled, expected, isRead } = await answers(await releaseWith(call));
      expect(bundled).toEqual(expected);
      expect([bundled?.statusCode, isRead]).toEqual([200, true]);
    },
  );

  it.each(FAILING)("fails with the same words, which name what is wrong: %s", async (call) => {
    const { bundled, expected } = await answers(await releaseWith(call), "w(%d");
    expect(bundled).toEqual(expected);
    expect(bundled?.statusCode).toBe(500);
    expect(bundled?.body).toMatch(/regular expression|verbs|\$retainKeys/);
  });
});

describe("functionsOf()", () => {
  it("names each exported function, and refuses anything else that is exported", () => {
    expect(functionsOf("b.ts", "export type A = 1;\nexport function b() {}\nfunction c() {}\n")).toEqual(["b"]);
    expect(() => functionsOf("b.ts", "export const c = 1;\n")).toThrow("b.ts: c is no function");
    expect(() => functionsOf("b.ts", "export async function c() {}\n")).toThrow("is no function");
  });
});
