// What a deploy would change in the settings of a stack that exists. A setting is never lost because it was not
// repeated, and a change that would cut clusters off needs its step in between. Pure.
import { isObject, valueAt } from "@outrigger/base";
import type { Framework } from "../serverless-framework.ts";
import { reasons } from "./check.ts";
import type { Settings, Values } from "./read.ts";
import { DEFAULTS, SETTINGS, type SettingValues } from "./schema.ts";

/** The settings that a stack records: those that are not at their default, and the bucket, which earlier stacks may not have. */
export function recordedSettings({ values }: Settings): Values {
  const other = SETTINGS.filter(({ name, default: usual }) => values[name] !== usual || name === "releaseBucket");
  return Object.fromEntries(other.map(({ name }) => [name, values[name]]));
}

/**
 * Compares the settings of a deploy with those recorded in its stack; `undefined` for a stack that does not exist yet.
 *
 * @returns reasons against the deploy, each with the fix; `reserved: 100 → 300`, one for each setting that changes; and what holds for
 * this deploy only
 */
export function compareSettings(settings: Settings, recorded: Values | undefined) {
  const { file, inFile = {}, values } = settings;
  const usual: Values = { ...DEFAULTS, ...inFile };
  const overrides = Object.entries(settings.overrides).map(([name, text]) => {
    const source = inFile[name] === undefined ? "default" : file;
    return `${name}=${text}, for this deploy only (${source}: ${shown(usual[name] ?? "")})`;
  });
  if (recorded === undefined) return { refusals: [], changes: [], overrides };
  const before = { ...DEFAULTS, releaseBucket: "", ...recorded };
  const changed = SETTINGS.filter(({ name }) => before[name] !== values[name]);
  const changes = changed.map(({ name }) => `${name}: ${shown(before[name])} → ${shown(values[name])}`);
  return { refusals: [...dropped(settings, before), ...cutOff(before, settings)], changes, overrides };
}

/** Settings that the stack has and that nothing in this deploy mentions. Nothing is lost of one that is empty. */
function dropped({ file, inFile = {}, overrides }: Settings, before: SettingValues): readonly string[] {
  const isSaid = (name: string) => Object.hasOwn(inFile, name) || Object.hasOwn(overrides, name);
  return SETTINGS.filter(({ name, default: usual }) => !["", usual].includes(before[name]) && !isSaid(name)).map(
    ({ name, default: usual }) =>
      `Cannot drop the setting ${name}=${before[name]}, which the stack has: write "${name}: ${before[name]}" to ${file} to keep it, or "${name}: ${shown(usual)}" to go back to the default`,
  );
}

/** Changes that clusters would not survive in one step. */
function cutOff(before: SettingValues, { stage, values: after, overrides }: Settings): readonly string[] {
  const { api, domain, releaseBucket: bucket } = before;
  const isGone = api !== after.api && api !== after.alsoApi;
  // The URL of a private API contains the first of its endpoints.
  const [endpoint = ""] = before.vpcEndpoints.split(",");
  const isEndpointGone = endpoint !== "" && !after.vpcEndpoints.split(",").includes(endpoint);
  const isTaken = (name: "domain" | "releaseBucket") =>
    before[name] !== "" && before[name] !== after[name] && overrides[name] === undefined;
  const [warm, reserved] = [Number(before.provisioned), Number(after.reserved)];
  return reasons([
    isGone &&
      `Cannot change api from ${api} to ${after.api} in one step: clusters still call the old one. Deploy with alsoApi=${api}, register the clusters again, then deploy with alsoApi empty`,
    isTaken("domain") &&
      `Cannot take the domain ${domain} away: clusters that are registered under it could not call any more. Register them under the API's own name (outrigger register --url https://…execute-api…), then deploy once with --param domain=${after.domain}`,
    api === "private" &&
      !isGone &&
      isEndpointGone &&
      `Cannot take ${endpoint} out of vpcEndpoints in one step: the URL that clusters call contains it. Deploy with another one before it, register the clusters again, then take it out`,
    isTaken("releaseBucket") &&
      `Cannot change releaseBucket from ${bucket} to ${after.releaseBucket}: the deploy writes what is served to the new bucket, and nothing could roll back to older releases, which stay in the old one. Deploy once with --param releaseBucket=${after.releaseBucket}; to keep them, copy outrigger/${stage}/objects/releases/ to the new bucket`,
    reserved !== 0 &&
      warm > reserved &&
      `Cannot set reserved to ${reserved} while ${warm} containers are kept warm: Lambda refuses it. Deploy with provisioned=${after.provisioned} first, then with the new reserved`,
    after.executeApi === "off" &&
      domain !== after.domain &&
      "Cannot switch executeApi off in the deploy that sets the domain: clusters still call the old name. Deploy with executeApi=on, point DNS at the stack's DomainTarget, register the clusters again, then switch it off",
  ]);
}

function shown(text: string): string {
  return text === "" ? '""' : text;
}

/**
 * The settings of the deployed stack, from its template's Metadata: they belong to the stack no matter who deployed it, and from where.
 * Undefined where there is no stack, or none that has its settings recorded.
 */
export async function deployedSettings(framework: Pick<Framework, "deployedTemplate">): Promise<Values | undefined> {
  const text = await framework.deployedTemplate();
  if (text === undefined) return undefined;
  const settings = valueAt(JSON.parse(text), ["Metadata", "Outrigger", "Settings"]);
  if (!isObject(settings)) return undefined;
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
