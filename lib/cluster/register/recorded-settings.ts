// The settings of a revision in the cluster's record: what registering again restores where the webhooks are gone. Pure.
import type { JsonObject } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import { formatSettings, parseSettings, type WebhookSettings } from "@outrigger/webhook";

type KeptSettings = NonNullable<ReturnType<typeof parseSettings>>;

/** What a record says of a revision; the URL is the deployment's own. */
export function recordedSettings(
  record: ClusterRecord | undefined,
  place: Pick<WebhookSettings, "deployment" | "url" | "revision">,
): KeptSettings | undefined {
  const { settings = {} } = record ?? {};
  const kept = Object.hasOwn(settings, place.revision) ? settings[place.revision] : undefined;
  return kept === undefined ? undefined : parseSettings(JSON.stringify({ ...kept, ...place }));
}

/** Characters of all settings: with the rest of the record, and twice in the log, they fit a parameter of 4 KB. */
const MOST = 1500;

/** The record with a revision's settings: without certificates where they are too long, and without any where they still are. */
export function withSettings(record: ClusterRecord, settings: WebhookSettings): ClusterRecord {
  const { url: _, deployment: _deployment, revision, ...kept } = JSON.parse(formatSettings(settings));
  const { caBundle: _caBundle, ...shorter } = kept;
  const { [revision]: _earlier, ...others } = record.settings ?? {};
  const candidates: readonly JsonObject[] = [kept, shorter].map((one) => ({ ...others, [revision]: one }));
  const fitting = candidates.find((all) => JSON.stringify(all).length <= MOST) ?? others;
  return { ...record, settings: fitting as NonNullable<ClusterRecord["settings"]> };
}

/** What a record does not keep of settings, as a warning. */
export function warnOfUnrecorded(
  { settings = {} }: ClusterRecord,
  { revision, caBundle }: WebhookSettings,
): readonly string[] {
  const kept = settings[revision];
  const options = kept === undefined ? "options" : "--ca-file";
  if (kept !== undefined && (caBundle === undefined || kept["caBundle"] !== undefined)) return [];
  return [`The record of the cluster cannot hold all settings: after outrigger off --remove, give ${options} again`];
}
