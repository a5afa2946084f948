// CloudFormation templates as tests read them: what is in one, and what of it is the same in every build.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@outrigger/base";
import { dump, load } from "js-yaml";

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: JsonObject;
  readonly DependsOn?: string | readonly string[];
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

export function goldenFile(variant: string): string {
  return fileURLToPath(new URL(`../golden/${variant}.yml`, import.meta.url));
}

export function goldenTemplate(variant: string): Template {
  return load(readFileSync(goldenFile(variant), "utf8")) as Template;
}

/** The template as text, without what time and code make of it. */
export function normalisedTemplate(json: string): string {
  const same = json
    .replaceAll(/serverless\/outrigger\/(\w+)\/\d+-[\dTZ:.-]+\//g, "serverless/outrigger/$1/<time>/")
    .replaceAll(/"Code": ?"[0-9a-f]{32}"/g, '"Code":"<digest of the code>"')
    .replaceAll(/"CodeSha256": ?"[\w+/]{43}="/g, '"CodeSha256":"<digest of the zip>"')
    .replaceAll(/InjectVersion[0-9a-f]{10}/g, "InjectVersion");
  return dump(JSON.parse(same), { lineWidth: -1, noRefs: true });
}
