// Which Region a command is about: the AWS CLI's rule, in one place for the deploy and for the command line.
import { homedir } from "node:os";
import { join } from "node:path";

export interface RegionSources {
  /** `--region`. */
  readonly option?: string | undefined;
  readonly profile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file, or undefined where there is none. */
  readonly readText: (file: string) => string | undefined;
}

/**
 * The Region, as the AWS CLI finds it: `--region`, AWS_REGION, AWS_DEFAULT_REGION, the profile's own in the shared config
 * file. Undefined where none of them says one; there is no default.
 */
export function regionOf({ option, profile, env, readText }: RegionSources): string | undefined {
  const said = [option, env["AWS_REGION"], env["AWS_DEFAULT_REGION"]].find((text) => text !== undefined && text !== "");
  if (said !== undefined) return said;
  const file = env["AWS_CONFIG_FILE"] || join(env["HOME"] || homedir(), ".aws", "config");
  return regionOfProfile(readText(file) ?? "", profileOf(profile, env));
}

/** The profile: `--profile`, AWS_PROFILE, AWS_DEFAULT_PROFILE, `default`. */
export function profileOf(option: string | undefined, env: RegionSources["env"]): string {
  return option || env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"] || "default";
}

/** `region = …` in the section `[profile NAME]`; the default profile's section is `[default]`. */
function regionOfProfile(text: string, profile: string): string | undefined {
  const lines = text.split(/\r?\n/);
  const isHead = (line: string) => /^\s*\[/.test(line);
  const names = profile === "default" ? ["default", "profile default"] : [`profile ${profile}`];
  const headOf = (line: string) => /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().replace(/\s+/g, " ") ?? "";
  const at = lines.findIndex((line) => names.includes(headOf(line)));
  if (at < 0) return undefined;
  const length = lines.slice(at + 1).findIndex(isHead);
  const section = lines.slice(at + 1, length < 0 ? undefined : at + 1 + length);
  // An indented line belongs to a nested setting.
  return section.map((line) => line.match(/^region\s*=\s*(\S+)/)?.[1]).find((region) => region !== undefined);
}
