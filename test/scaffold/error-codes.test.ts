// A code that nothing throws is promised in docs/reference/errors.md and never seen.
import { readdirSync, readFileSync } from "node:fs";
import { errorKinds } from "@outrigger/base";
import { expect, it } from "vitest";
import { isTest } from "./packages.ts";

const CODES = Object.values(errorKinds).flatMap((kinds) => Object.keys(kinds));

/** They have each code, whatever is thrown. */
const TABLES = ["lib/base/error-codes.ts", "lib/serving/admission/outcome.ts"];

const texts = ["lib", "cli", "functions", "infra"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith(".ts") && !/node_modules/.test(file) && !isTest(file))
  .filter((file) => !TABLES.includes(file))
  .map((file) => readFileSync(file, "utf8"));

it.each(CODES)("%s is the code of an error somewhere", (code) => {
  expect(texts.some((text) => text.includes(`"${code}"`))).toBe(true);
});
