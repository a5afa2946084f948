// The table of fields: that it knows the whole schema of a pod, that nothing of it points elsewhere unjudged, and that the page has it.
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { expectRows } from "../../test/support/page-rows.ts";
import { ADDED_TO_AUTHOR, CLOSED, FIELDS, type Fields, NO_FIELDS, ruleOf } from "./fields.ts";

/** Fields that name something outside the pod. */
const REFERENCE =
  /secret|configMap|claim|account|role|identity|token|certificate|signer|class$|image$|reference$|host/i;

/**
 * The fields that the table leaves out on purpose, by what holds them. They are closed, with all that is below them.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  pod: "apiVersion kind status",
  metadata: `creationTimestamp deletionGracePeriodSeconds deletionTimestamp generateName generation managedFields name
    namespace ownerReferences resourceVersion selfLink uid`,
  spec: `activeDeadlineSeconds affinity dnsPolicy enableServiceLinks ephemeralContainers hostname hostnameOverride nodeName
    nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resources restartPolicy
    runtimeClassName schedulerName schedulingGates schedulingGroup setHostnameAsFQDN subdomain tolerations
    topologySpreadConstraints`,
  hostAliases: "hostnames ip",
  resourceClaims: "name resourceClaimName resourceClaimTemplateName",
  dnsConfig: "nameservers searches",
  "spec.securityContext": `fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy
    supplementalGroups supplementalGroupsPolicy`,
  containers: "volumeDevices",
  resources: "claims",
  volumes: `awsElasticBlockStore azureDisk azureFile cephfs cinder ephemeral fc flexVolume flocker gcePersistentDisk gitRepo
    glusterfs iscsi nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`,
  podCertificate: `certificateChainPath credentialBundlePath keyPath keyType maxExpirationSeconds signerName
    userAnnotations`,
  serviceAccountToken: "audience expirationSeconds path",
};

/** The fields of a type that neither the table nor the list above knows; what is below a field that is closed is known with it. */
function unknownFields(type: TypeSchema, fields: Fields, holder: string): readonly string[] {
  const leftOut = LEFT_OUT[holder]?.split(/\s+/) ?? [];
  return [...type.fields].flatMap(([name, { type: of }]): readonly string[] => {
    const rule = ruleOf(fields, name);
    if (leftOut.includes(name)) return [];
    if (rule === CLOSED || !(fields.has(name) || name === "initContainers")) return [`${holder}.${name}`];
    const below = of.kind === "list" ? (of.element ?? of) : of;
    const inner = name === "initContainers" ? FIELDS.get("containers") : rule.fields;
    const key = name === "initContainers" ? "containers" : name;
    return unknownFields(
      below,
      inner ?? NO_FIELDS,
      LEFT_OUT[`${holder}.${key}`] === undefined ? key : `${holder}.${key}`,
    );
  });
}

/** A type with a field that no version of Kubernetes has, at the end of a path. */
function withInvented(type: TypeSchema, [step, ...rest]: readonly string[]): TypeSchema {
  if (type.kind === "list")
    return { ...type, element: withInvented(type.element as TypeSchema, [step ?? "", ...rest]) };
  const known = type.fields.get(step ?? "");
  const schema = known ?? { type: { ...type, kind: "string", fields: new Map() }, isMerged: false };
  const next = rest.length === 0 ? schema : { ...schema, type: withInvented(schema.type, rest) };
  return { ...type, fields: new Map([...type.fields, [step ?? "", next as never]]) };
}

describe("the table", () => {
  const unknownTo = (type: TypeSchema) => unknownFields(type, FIELDS.get("pod") ?? NO_FIELDS, "pod");

  it("knows every field of the schema, as free, as judged or as closed", () => expect(unknownTo(POD_TYPE)).toEqual([]));

  it.each([
    "metadata.invented",
    "spec.invented",
    "spec.containers.invented",
    "spec.initContainers.invented",
    "spec.containers.securityContext.invented",
    "spec.containers.livenessProbe.invented",
    "spec.containers.env.valueFrom.invented",
    "spec.volumes.invented",
    "spec.volumes.projected.sources.serviceAccountToken.invented",
    "spec.securityContext.invented",
  ])("does not know a field that a version of Kubernetes brings: %s", (path) => {
    expect(unknownTo(withInvented(POD_TYPE, path.split(".")))).toEqual([expect.stringMatching(/\.invented$/)]);
  });

  it("names only fields of the schema", () => {
    const known = new Set<string>();
    const visit = (type: TypeSchema | undefined, seen: ReadonlySet<TypeSchema>): void => {
      if (type === undefined || seen.has(type)) return;
      for (const [name, { type: of }] of type.fields) {
        known.add(name);
        visit(of, new Set([...seen, type]));
      }
      visit(type.element, new Set([...seen, type]));
    };
    visit(POD_TYPE, new Set());
    const maps = ["pod", "labels", "annotations", "limits", "requests"];
    const words = [...FIELDS].flatMap(([holder, fields]) =>
      maps.includes(holder) ? [] : [holder.replace("spec.", ""), ...fields.keys()],
    );
    words.push(...Object.values(LEFT_OUT).flatMap((text) => text.split(/\s+/)));
    expect(words.filter((word) => word !== "*" && !known.has(word))).toEqual([]);
  });

  it("lets no field through that names something else, unless it is judged or only says how", () => {
    const free = [...FIELDS].flatMap(([holder, fields]) =>
      [...fields].flatMap(([name, rule]) => (rule.kind === "" && REFERENCE.test(name) ? [`${holder}.${name}`] : [])),
    );
    expect(free.filter((name) => !FIELDS.has(name.split(".")[1] as string)).sort()).toEqual([
      "appArmorProfile.localhostProfile",
      "clusterTrustBundle.signerName",
      "ports.hostIP",
      "seccompProfile.localhostProfile",
    ]);
  });
});

describe("docs/guardrails.md", () => {
  const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

  it("has the table", () => {
    // Rows of fields that are all free say nothing that a reader looks for.
    const rows = [...FIELDS].flatMap(([holder, fields]) => {
      const free = [...fields].flatMap(([name, rule]) => (rule.kind === "" ? [name] : []));
      const judged = [...fields].flatMap(([name, rule]) => {
        return rule.kind === "" ? [] : [`${name} (\`${rule.kind}\`)`];
      });
      return holder === "pod" || judged.length === 0 ? [] : [[`\`${holder}\``, code(free), judged.join(", ")]];
    });
    expectRows({
      page: "docs/guardrails.md",
      name: "fields",
      headings: ["in", "free, as far as the level goes", "by an entry"],
      rows,
    });
  });

  it("has what may be added to an author's container", () => {
    const rows = Object.entries(ADDED_TO_AUTHOR).map(([field, patterns]) => [`\`${field}\``, code(patterns)]);
    expectRows({ page: "docs/guardrails.md", name: "additions", headings: ["in", "which"], rows });
  });
});
