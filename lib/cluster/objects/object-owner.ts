// Whose an object in a cluster is: which deployment's, and which tool manages it. Helm writes its own name over the label
// app.kubernetes.io/managed-by, and Argo CD its application's over app.kubernetes.io/instance: neither label can be relied on.
import { isObject, type JsonObject, type JsonValue, OutriggerError } from "@outrigger/base";
import { FIELD_MANAGER, ownLabels } from "@outrigger/webhook";

/** Selects the objects of every deployment. */
export const OWN_SELECTOR = ownLabels.revision;

/** The deployment that an object of ours belongs to; undefined for an object of others. */
export function deploymentOf(object: JsonObject): string | undefined {
  const labels = textsOf(object, "labels");
  if (labels[ownLabels.revision] === undefined) return undefined;
  return labels[ownLabels.deployment] ?? labels[ownLabels.instance];
}

/** The tool that manages an object of ours in place of Outrigger's commands; undefined where none does. */
export function managerOf(object: JsonObject): string | undefined {
  const [labels, annotations] = [textsOf(object, "labels"), textsOf(object, "annotations")];
  const release = annotations["meta.helm.sh/release-name"];
  const manager = labels[ownLabels.managedBy];
  if (release !== undefined) return `Helm (release ${release})`;
  const application =
    annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0] ?? labels["argocd.argoproj.io/instance"];
  if (application !== undefined) return `Argo CD (application ${application})`;
  if (manager !== FIELD_MANAGER) return manager ?? "another tool";
  const instance = labels[ownLabels.instance];
  return instance === deploymentOf(object) ? undefined : `another tool (${ownLabels.instance}: ${instance})`;
}

/**
 * Refuses to change an object that another tool would change back.
 *
 * @throws OutriggerError `cluster-conflict`
 */
export function assertOwnManaged(cluster: string, object: JsonObject): void {
  const manager = managerOf(object);
  if (manager === undefined) return;
  const { metadata } = object;
  const name = isObject(metadata) ? String(metadata["name"]) : "";
  throw new OutriggerError(
    "cluster-conflict",
    `Cannot change ${String(object["kind"])} "${name}" in cluster ${cluster}: ${manager} manages it and would change it back; change the values there (docs/register-otherwise.md#with-helm-or-argo-cd)`,
    { path: name },
  );
}

function textsOf(
  { metadata }: JsonObject,
  key: "labels" | "annotations",
): Readonly<Record<string, string | undefined>> {
  const texts: JsonValue | undefined = isObject(metadata) ? metadata[key] : undefined;
  if (!isObject(texts)) return {};
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
