// Under which names istiod's injector serves its namespaces today: what a cluster must be registered with in its place.
import { type JsonObject, objectsOf, valueAt } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import type { ImportFinding } from "../import-finding.ts";
import { describe, type ImportDocument } from "./read-documents.ts";

/** What namespaces are labelled with, for the options of `outrigger register`. */
export interface Registration {
  readonly revision: string;
  /** Istio's tags of the revision. */
  readonly tags: readonly string[];
  readonly enableNamespacesByDefault: boolean;
}

/**
 * From istiod's webhooks, and from the chart's values. Webhooks of other revisions have a note.
 *
 * @param values those that the chart is given
 */
export function registrationOf(
  revision: string,
  values: JsonObject,
  documents: readonly ImportDocument[],
  findings: ImportFinding[],
): Registration {
  const own: ImportDocument[] = [];
  for (const webhook of documents.filter(({ kind }) => kind === "webhook")) {
    const { file, line, value } = webhook;
    const named = metadataOf(value).labels["istio.io/rev"] ?? "default";
    if (named === revision) own.push(webhook);
    else {
      const message = `Skipped ${describe(value)}: it is of revision ${named}, not ${revision}`;
      findings.push({ severity: "note", file, line, message });
    }
  }
  const given = values["revisionTags"];
  const tags = [
    ...(Array.isArray(given) ? given.map(String) : []),
    ...own.flatMap(({ value }) => metadataOf(value).labels["istio.io/tag"] ?? []),
  ];
  const hasAuto = own.some(({ value }) =>
    objectsOf(value["webhooks"]).some(({ name }) => /^auto\./.test(String(name))),
  );
  return {
    revision,
    tags: [...new Set(tags)].filter((tag) => tag !== revision).sort(),
    enableNamespacesByDefault:
      hasAuto || valueAt(values, ["sidecarInjectorWebhook", "enableNamespacesByDefault"]) === true,
  };
}
