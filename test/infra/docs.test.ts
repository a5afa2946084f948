// Holds the commands that the docs tell people to run: every one names its stage, and no page sets for one deploy what is
// meant to stay.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthenticationMode, ControlPlaneEgressModeType } from "@aws-sdk/client-eks";
import { objectsOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { checkSettings } from "../../infra/settings/check.ts";
import { readSettings } from "../../infra/settings/read.ts";
import { SETTINGS } from "../../infra/settings/schema.ts";
import { RUNBOOKS } from "../support/runbooks.ts";
import { goldenTemplate } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

const PAGES = [
  ...readdirSync(".").filter((name) => /^README.*\.md$/.test(name)),
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const commands = PAGES.flatMap((page) => {
  const text = readFileSync(page, "utf8").replaceAll("\\\n", " ");
  const found = [...text.matchAll(/(?:^(?:npx )?|`)outrigger (?:un)?deploy(?: -[^`\n]*|$)/gm)];
  return found.map(([command]) => ({ page, command }));
});

describe("commands in the docs", () => {
  it("name their stage", () => {
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.filter(({ command }) => !/ --stage \S/.test(command))).toEqual([]);
  });

  it("leave settings to the file of the stage", () => {
    expect(commands.filter(({ command }) => command.includes("--param"))).toEqual([]);
  });

  it("know every setting that a --param names", () => {
    const names = new Set<string>(SETTINGS.map(({ name }) => name));
    const used = PAGES.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/--param (\w+)=/g)].map(([, name]) => name ?? ""),
    );
    expect(used.filter((name) => !names.has(name) && name !== "NAME")).toEqual([]);
  });
});

describe("the runbook of a lost access log", () => {
  it("makes the filters of the template again", () => {
    const restored = [...RUNBOOKS.matchAll(/^outrigger_restore_filter (\w+) '(.*)'$/gm)].map(([, ...words]) => words);
    const filters = Object.values(goldenTemplate("http").Resources).flatMap(({ Type, Properties = {} }) => {
      if (Type !== "AWS::Logs::MetricFilter") return [];
      const [transformation] = objectsOf(Properties["MetricTransformations"]);
      expect(transformation).toMatchObject({
        MetricNamespace: "Outrigger",
        MetricValue: "1",
        Dimensions: [{ Key: "Stage", Value: "$.stage" }],
      });
      return [[transformation?.["MetricName"], Properties["FilterPattern"]]];
    });
    expect(restored).toHaveLength(3);
    expect(restored.sort()).toEqual(filters.sort());
  });
});

describe("settings in the docs", () => {
  const files = PAGES.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/^ *# outrigger\.([\w-]+)\.yml.*\n((?:(?! *```).*\n)*)/gm)].map(
      ([, stage = "", text = ""]) => ({ page, stage, text: text.replaceAll(/^ {3}/gm, "") }),
    ),
  );

  it("can be used as they are written", () => {
    expect(files.length).toBeGreaterThan(4);
    for (const { page, stage, text } of files) {
      const settings = readSettings({
        stage,
        params: [],
        readText: (file) => (file.endsWith(".yml") ? text : undefined),
      });
      expect([page, text, Object.keys(settings.inFile ?? {}).length > 0]).toEqual([page, text, true]);
      expect([page, checkSettings(settings)]).toEqual([page, []]);
    }
  });
});

describe("what the docs say of a deployment and of EKS", () => {
  const endpoint = readFileSync("docs/endpoint.md", "utf8");
  const register = readFileSync("docs/register.md", "utf8");
  const access = readFileSync("docs/cluster-access.md", "utf8");

  it("is the time after which Lambda stops the function, in every variant", () => {
    const seconds = Number(/Lambda stops the function after (\d+) seconds/.exec(register)?.[1]);
    for (const { name } of VARIANTS) {
      expect(goldenTemplate(name).Resources["InjectLambdaFunction"]?.Properties?.["Timeout"]).toBe(seconds);
    }
  });

  it("is how many clusters can have routes of their own: one more is refused", () => {
    const counts = /space for (\d+) clusters with their own routes \(300 routes\), a REST\sAPI for (\d+)/.exec(
      endpoint,
    );
    for (const [api, count] of [["http", Number(counts?.[1])] as const, ["rest", Number(counts?.[2])] as const]) {
      const refusals = (most: number) => {
        const ids = Array.from({ length: most }, (_, index) => `shop-eu-${String(index).padStart(8, "0")}`);
        const params = [`api=${api}`, `clusters=${ids.join(",")}`];
        return checkSettings(readSettings({ stage: "dev", params, readText: () => undefined }));
      };
      expect([api, refusals(count)]).toEqual([api, []]);
      expect([api, refusals(count + 1)]).toEqual([api, [expect.stringContaining("routes of their own")]]);
    }
  });

  it("has the modes of a control plane's egress, and the authentication modes, that the EKS API has", () => {
    const [, section = ""] = /### How an EKS control plane reaches the API\n(.*?)\n## /s.exec(endpoint) ?? [];
    const rows = [...section.matchAll(/^\| `([A-Z_]+)`[^|]*\|/gm)].map(([, mode]) => mode);
    expect(rows.sort()).toEqual(Object.values(ControlPlaneEgressModeType).sort());
    const modes = [...access.matchAll(/\b(?:API_AND_)?CONFIG_MAP\b/g)].map(([mode]) => mode);
    expect(new Set(modes)).toEqual(new Set(Object.values(AuthenticationMode).filter((mode) => mode !== "API")));
  });
});
