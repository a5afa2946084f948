// The settings that a stack was deployed with. They are in its template's Metadata, so that they belong to the stack
// no matter who deployed it, and from where.
import { isObject } from "@outrigger/base";
import type { Framework } from "../serverless-framework.ts";
import type { Values } from "./read.ts";

/** The settings of the deployed stack; undefined where there is no stack, or none that has its settings recorded. */
export async function deployedSettings(framework: Pick<Framework, "deployedTemplate">): Promise<Values | undefined> {
  const text = await framework.deployedTemplate();
  if (text === undefined) return undefined;
  const template: unknown = JSON.parse(text);
  const { Outrigger } = (isObject(template) && isObject(template["Metadata"]) && template["Metadata"]) || {};
  const settings = isObject(Outrigger) ? Outrigger["Settings"] : undefined;
  if (!isObject(settings)) return undefined;
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
