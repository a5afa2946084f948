// What a deploy would change in the settings of a stack that exists. A setting is never lost because it was not
// repeated, and a change that would cut clusters off needs its step in between. Pure.
import { isObject } from "@outrigger/base";
import type { Framework } from "../serverless-framework.ts";
import type { Settings, Values } from "./read.ts";
import { DEFAULTS, settingOf } from "./schema.ts";

export interface Comparison {
  /** Reasons against the deploy, each with the fix. */
  readonly refusals: readonly string[];
  /** `reserved: 100 → 300`, one for each setting that changes. */
  readonly changes: readonly string[];
  /** What holds for this deploy only. */
  readonly overrides: readonly string[];
}

/** What is recorded in a stack: settings that are not at their default. */
export function recordedSettings({ values }: Settings): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([name, text]) => settingOf(name) !== undefined && text !== DEFAULTS[name]),
  );
}

/** Compares the settings of a deploy with those recorded in its stack; `undefined` for a stack that does not exist yet. */
export function compareSettings(settings: Settings, recorded: Values | undefined): Comparison {
  const overrides = Object.entries(settings.overrides).map(([name, text]) => {
    const usual = settings.inFile?.[name] ?? DEFAULTS[name] ?? "";
    return `${name}=${text}, for this deploy only (${settings.inFile?.[name] === undefined ? "default" : settings.file}: ${shown(usual)})`;
  });
  if (recorded === undefined) return { refusals: [], changes: [], overrides };
  const names = Object.keys({ ...DEFAULTS });
  const before = { ...DEFAULTS, ...recorded };
  const changed = names.filter((name) => before[name] !== settings.values[name]);
  const refusals = [...dropped(settings, recorded), ...cutOff(before, settings)];
  const changes = changed.map(
    (name) => `${name}: ${shown(before[name] ?? "")} → ${shown(settings.values[name] ?? "")}`,
  );
  return { refusals, changes, overrides };
}

/** Settings that the stack has and that nothing in this deploy mentions. */
function dropped({ file, inFile = {}, overrides }: Settings, recorded: Values): readonly string[] {
  const isSaid = (name: string) => Object.hasOwn(inFile, name) || Object.hasOwn(overrides, name);
  return Object.entries(recorded)
    .filter(([name, text]) => settingOf(name) !== undefined && text !== DEFAULTS[name] && !isSaid(name))
    .map(([name, text]) => {
      const fallback = shown(DEFAULTS[name] ?? "");
      return `Cannot drop the setting ${name}=${text}, which the stack has: write "${name}: ${text}" to ${file} to keep it, or "${name}: ${fallback}" to go back to the default`;
    });
}

/** Changes that clusters would not survive in one step. */
function cutOff(before: Values, { values: after, overrides }: Settings): readonly string[] {
  const api = before["api"] ?? "";
  const isGone = api !== after["api"] && api !== after["alsoApi"];
  const domain = before["domain"] ?? "";
  const isDomainGone = domain !== "" && domain !== after["domain"] && overrides["domain"] === undefined;
  // The URL of a private API contains the first of its endpoints.
  const [endpoint = ""] = (before["vpcEndpoints"] ?? "").split(",");
  const isEndpointGone =
    api === "private" && !isGone && endpoint !== "" && !(after["vpcEndpoints"] ?? "").split(",").includes(endpoint);
  const bucket = before["releaseBucket"] ?? "";
  const isBucketGone = bucket !== "" && bucket !== after["releaseBucket"] && overrides["releaseBucket"] === undefined;
  const [warm, reserved] = [Number(before["provisioned"]), Number(after["reserved"])];
  const isDomainNew = after["executeApi"] === "off" && before["domain"] !== after["domain"];
  return [
    ...(isGone
      ? [
          `Cannot change api from ${api} to ${after["api"]} in one step: clusters still call the old one. Deploy with alsoApi=${api}, register the clusters again, then deploy with alsoApi empty`,
        ]
      : []),
    ...(isDomainGone
      ? [
          `Cannot take the domain ${domain} away: clusters that are registered under it could not call any more. Register them under the API's own name (outrigger register --url https://…execute-api…), then deploy once with --param domain=${after["domain"]}`,
        ]
      : []),
    ...(isEndpointGone
      ? [
          `Cannot take ${endpoint} out of vpcEndpoints in one step: the URL that clusters call contains it. Deploy with another one before it, register the clusters again, then take it out`,
        ]
      : []),
    ...(isBucketGone
      ? [
          `Cannot take releaseBucket ${bucket} away: functions could no longer read what is served from it. Publish trees that fit into parameters on every channel, then deploy once with --param releaseBucket=${after["releaseBucket"]}`,
        ]
      : []),
    ...(reserved !== 0 && warm > reserved
      ? [
          `Cannot set reserved to ${reserved} while ${warm} containers are kept warm: Lambda refuses it. Deploy with provisioned=${after["provisioned"]} first, then with the new reserved`,
        ]
      : []),
    ...(isDomainNew
      ? [
          "Cannot switch executeApi off in the deploy that sets the domain: clusters still call the old name. Deploy with executeApi=on, point DNS at the stack's DomainTarget, register the clusters again, then switch it off",
        ]
      : []),
  ];
}

function shown(text: string): string {
  return text === "" ? '""' : text;
}

// The settings that a stack was deployed with. They are in its template's Metadata, so that they belong to the stack
// no matter who deployed it, and from where.
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
