// What `outrigger init` writes is settings that a deploy accepts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkSettings } from "../../infra/settings/check.ts";
import { readSettings } from "../../infra/settings/read.ts";
import { fakeCli } from "../cli/fake-cli.ts";

let cli: ReturnType<typeof fakeCli>;
beforeEach(() => {
  cli = fakeCli(() => Promise.reject(new Error("this test has no AWS")));
});
afterEach(() => cli.remove("."));

it("outrigger init writes settings without a mistake", async () => {
  expect(await cli.run("init my/project --stage prod")).toMatchObject({ code: 0 });
  const readText = (file: string) => {
    const path = join(cli.cwd, "my/project", file);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  expect(readText("outrigger.prod.yml")).toBeDefined();
  expect(checkSettings(readSettings({ stage: "prod", params: [], readText }))).toEqual([]);
});
