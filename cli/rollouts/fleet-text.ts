// How the effect of an edit on the workloads of clusters reads: as text for a terminal, and as Markdown for a pull request. Pure.
import { type JsonValue, plural } from "@outrigger/base";
import type { FieldChange } from "@outrigger/injector";
import type { EffectGroup, FleetEffect } from "@outrigger/rollouts";

/** What is printed: the answer, with the names of what was compared. */
export interface ShownEffect extends FleetEffect {
  readonly before: { readonly name: string; readonly release: string };
  readonly after: { readonly name: string; readonly release: string };
}

const NUMBERS = new Intl.NumberFormat("en-US");

/** Workloads of a group that are named; the others are counted. */
const MOST_WORKLOADS = 3;
/** Changes of a group that are shown; the others are counted. */
const MOST_CHANGES = 12;
const LONGEST_VALUE = 80;

/** @param isWide names every workload, and shows every change with its whole values */
export function fleetText(shown: ShownEffect, isWide: boolean): string {
  const groups = shown.groups.map((group) => groupText(group, shown, isWide));
  return [headOf(shown), ...groups].join("\n");
}

function groupText(group: EffectGroup, shown: ShownEffect, isWide: boolean): string {
  const changes = changesOf(group, isWide);
  const [only] = changes;
  const lines = isOneLine(group, changes) ? [] : changes.map((change) => `  ${change}`);
  const head = `${countsOf(group, shown)}${isOneLine(group, changes) ? `: ${only}` : `${effectText(group)}`}`;
  return `${[head, ...lines, `  in ${workloadsOf(group, shown, isWide)}`].join("\n")}\n`;
}

function isOneLine({ effect }: EffectGroup, changes: readonly string[]): boolean {
  return effect === "changes" && changes.length === 1;
}

/** `312 of 1,204 pods in 41 workloads` */
function countsOf({ pods, workloads }: EffectGroup, { clusters }: ShownEffect): string {
  const all = clusters.reduce((sum, cluster) => sum + cluster.pods, 0);
  const { length } = workloads;
  return `${counted(pods)} of ${countedOf(all, "pod")} in ${countedOf(length, "workload")}`;
}

function effectText({ effect, containers, why }: EffectGroup): string {
  const because = why === undefined ? "" : `: ${why}`;
  switch (effect) {
    case "fails":
      return ` would fail, and failurePolicy would decide about them${because}`;
    case "refused":
      return ` would be refused${because}`;
    case "loses":
      return ` would lose ${containers.join(", ")}${because}`;
    case "gains":
      return ` would gain ${containers.join(", ")}`;
    case "recovers":
      return ` would be made again, and now are not${because}`;
    case "changes":
      return because === "" ? " would change:" : ` would not be injected${because}`;
  }
}

/** The fields of a group. Of a container that is lost or gained, its name says enough. */
function changesOf({ effect, containers, why, changes }: EffectGroup, isWide: boolean): readonly string[] {
  if (!isWide && (effect === "gains" || (effect === "loses" && why !== undefined))) return [];
  const others = changes.filter(
    ({ field }) => isWide || !containers.some((name) => field.endsWith(`ontainers[${name}]`)),
  );
  const listed = isWide ? others : others.slice(0, MOST_CHANGES);
  const lines = listed.map((change) => changeText(change, isWide));
  const rest = others.length - listed.length;
  return rest === 0 ? lines : [...lines, `and ${rest} more (-o wide)`];
}

function changeText({ field, before, after }: FieldChange, isWide: boolean): string {
  return `${field}: ${valueText(before, isWide)} → ${valueText(after, isWide)}`;
}

function valueText(value: JsonValue | undefined, isWide: boolean): string {
  if (value === undefined) return "-";
  const text = typeof value === "string" && !/\s\s|[^\P{Cc}]/u.test(value) ? value : JSON.stringify(value);
  return isWide || text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

/** `shop/Deployment/cart (12), and 40 more` */
function workloadsOf({ workloads }: EffectGroup, { clusters }: ShownEffect, isWide: boolean): string {
  const listed = isWide ? workloads : workloads.slice(0, MOST_WORKLOADS);
  const names = listed.map(({ cluster, namespace, kind, name, pods }) => {
    const place = clusters.length > 1 ? `${cluster}: ` : "";
    return `${place}${namespace}/${kind}/${name} (${counted(pods)})`;
  });
  const rest = workloads.length - listed.length;
  return `${names.join(", ")}${rest === 0 ? "" : `, and ${rest} more (-o wide)`}`;
}

function headOf(shown: ShownEffect): string {
  const { before, after, clusters, groups, pods, workloads } = shown;
  const trees = `${before.name} is release ${before.release}, ${after.name} is release ${after.release}\n`;
  const silent = clusters.map((cluster) => `${unservedText(cluster, before.name)}`).join("");
  const where = clusters.map(({ cluster }) => cluster).join(", ");
  const total = clusters.reduce((sum, cluster) => sum + cluster.pods, 0);
  const what =
    groups.length === 0
      ? `No next pod of ${where} differs (${countedOf(total, "pod")})\n`
      : `${counted(pods)} of ${countedOf(total, "pod")} of ${where} would come out differently, in ${countedOf(workloads, "workload")}\n`;
  return trees + silent + what;
}

/** Says why nothing was asked about a cluster, which is no proof that nothing changes. */
function unservedText({ cluster, pods, served, channels }: ShownEffect["clusters"][number], before: string): string {
  if (served > 0 || pods === 0) return "";
  if (channels.length === 0)
    return `No pod of ${cluster} is sent to this deployment: label its namespaces, or outrigger check says why\n`;
  return `No pod of ${cluster} is served by ${before}: its pods are served by ${channels.join(", ")}\n`;
}

/** The same as Markdown: a table, and the workloads of each row to fold out. */
export function fleetMarkdown(shown: ShownEffect): string {
  const lines = headOf(shown).trimEnd().split("\n").map(escapedText);
  if (shown.groups.length === 0) return `${lines.join("\n\n")}\n`;
  const rows = shown.groups.map((group) => {
    const changes = changesOf(group, false);
    const head = isOneLine(group, changes) ? "" : `${effectText(group).trim()}\n`;
    const what = [head, ...changes].filter((line) => line !== "").map((line) => code(line.trim()));
    return `| ${counted(group.pods)} | ${counted(group.workloads.length)} | ${what.join("<br>")} |`;
  });
  const listed = shown.groups.map((group) => {
    const [change = effectText(group).trim()] = isOneLine(group, changesOf(group, false))
      ? changesOf(group, false)
      : [];
    const names = workloadsOf(group, shown, true).split(", ");
    const items = names.map((name) => `- ${code(name)}`).join("\n");
    return `<details><summary>${countsOf(group, shown)}: ${escapedText(change)}</summary>\n\n${items}\n\n</details>`;
  });
  const table = ["| Pods | Workloads | Change |", "|---:|---:|---|", ...rows].join("\n");
  return `${[...lines, table, ...listed].join("\n\n")}\n`;
}

/** A text that may come from a pod's author: no Markdown, HTML or table is made of it. */
function code(text: string): string {
  return `<code>${escapedText(text)}</code>`;
}

function escapedText(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9 .,:;/()=→…-]/gu, (character) => `&#${character.codePointAt(0)};`);
}

function counted(count: number): string {
  return NUMBERS.format(count);
}

function countedOf(count: number, what: string): string {
  return `${counted(count)} ${plural(count, what)}`;
}
