// Whose an object in a cluster is: which deployment's, and which tool manages it. Helm writes its own name over the label
// app.kubernetes.io/managed-by, and Argo CD its application's over app.kubernetes.io/instance: neither label can be relied on.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { FIELD_MANAGER, OFF_MARK_NAME, ownAnnotations, ownLabels } from "@outrigger/webhook";

/** Selects the objects of every deployment. */
export const OWN_SELECTOR = ownLabels.revision;

/** The deployment that an object of ours belongs to; undefined for an object of others. */
export function deploymentOf(object: JsonObject): string | undefined {
  const { labels } = metadataOf(object);
  if (labels[ownLabels.revision] === undefined) return undefined;
  return labels[ownLabels.deployment] ?? labels[ownLabels.instance];
}

/** The revision that an object of ours is labelled with. */
export function revisionOf(object: JsonObject): string | undefined {
  return metadataOf(object).labels[ownLabels.revision];
}

/** Whether it is the mark of a cluster that was switched off: a webhook configuration without webhooks. */
export function isOffMark(object: JsonObject): boolean {
  return metadataOf(object).name === OFF_MARK_NAME;
}

/** When `outrigger off` was run on an object, as it wrote it there. */
export function offMarkOf(object: JsonObject | undefined): string | undefined {
  return metadataOf(object).annotations[ownAnnotations.off];
}

/** The lease of the command that was the last to sign the object. */
export function leaseOf(object: JsonObject | undefined): string | undefined {
  return metadataOf(object).annotations[ownAnnotations.lease];
}

/** The tool that manages an object of ours in place of Outrigger's commands; undefined where none does. */
export function managerOf(object: JsonObject): string | undefined {
  const { labels, annotations } = metadataOf(object);
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
  const { name } = metadataOf(object);
  throw new OutriggerError(
    "cluster-conflict",
    `Cannot change ${String(object["kind"])} "${name}" in cluster ${cluster}: ${manager} manages it and would change it back; change the values there (docs/register-otherwise.md#with-helm-or-argo-cd)`,
    { path: name },
  );
}

/**
 * Refuses to write over an object that has the name of one of ours and is another's.
 *
 * @throws OutriggerError `cluster-conflict`; also where another tool manages it
 */
export function assertOwn(cluster: string, object: JsonObject, deployment: string): void {
  const owner = deploymentOf(object);
  if (owner === deployment) {
    assertOwnManaged(cluster, object);
    return;
  }
  const { name, labels, managedFields } = metadataOf(object);
  const kind = String(object["kind"]);
  const [first] = managedFields;
  const managedBy = labels[ownLabels.managedBy];
  const by = managedBy !== undefined ? `managed by ${managedBy}` : first && `made by ${String(first["manager"])}`;
  throw new OutriggerError(
    "cluster-conflict",
    owner !== undefined
      ? `Cluster ${cluster} has ${kind} "${name}" of the deployment "${owner}": unregister that one first (outrigger unregister --deployment ${owner}), or register another --revision`
      : `Cluster ${cluster} has ${kind} "${name}" that is not Outrigger's (${by ?? "it names no owner"}): remove it (kubectl delete ${kind.toLowerCase()} ${name}), or register another --revision`,
    { path: name },
  );
}
