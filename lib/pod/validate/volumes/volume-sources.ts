// What each kind of volume requires of its source, as a table. Most are a name and a path.
import { type JsonObject, listOf } from "@outrigger/base";
import type { LocalObjectReference, Volume } from "../../generated/pod-types.ts";
import { DESCENDING_PATH, DNS_LABEL, DNS_NAME, type Form, PLAIN_PATH } from "../../names.ts";
import { isNegativeQuantity, quantityText } from "../../quantity/compare-quantities.ts";
import { invalid, quote, type Rule, report } from "../check.ts";
import type { FieldRules } from "../fields.ts";
import { atMost, fields, filled, object, ofForm, oneOf, optional, range, required } from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";
import { CLAIM_TEMPLATE } from "./claim-template.ts";
import { CONFIG_MAP, DOWNWARD_API, PROJECTED, SECRET } from "./projected-volumes.ts";

type Kind = Exclude<keyof Volume, "name">;
type Source<K extends Kind> = NonNullable<Volume[K]>;

const BYTE = range(0, 255);
const MAX_ISCSI_LENGTH = 1000;

const ISCSI_NAME: Form = {
  has: isIscsiName,
  message: "must be an iSCSI name like iqn.2001-04.com.example:disk, eui. with 16 or naa. with 32 letters and digits",
};

const SECRET_REFERENCE = object(fields<LocalObjectReference>({ name: required() }));

/** Fields of each kind of source. Each mirrors its own function of core/validation, validateNFSVolumeSource for `nfs`, or the one named. */
const FIELDS: { readonly [K in Kind]: FieldRules<Source<K>, string> } = {
  configMap: CONFIG_MAP,
  secret: SECRET,
  downwardAPI: DOWNWARD_API,
  projected: PROJECTED,
  ephemeral: CLAIM_TEMPLATE,
  // validateVolumeSource, of emptyDir
  emptyDir: {
    sizeLimit: (check, limit, key) => {
      if (isNegativeQuantity(quantityText(limit))) report(check, "forbidden", "must be 0 or more", key);
    },
  },
  hostPath: {
    path: required(PLAIN_PATH),
    type: oneOf("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"),
  },
  image: { reference: required(), pullPolicy: oneOf("Always", "IfNotPresent", "Never", "") },
  // validatePersistentClaimVolumeSource
  persistentVolumeClaim: { claimName: required() },
  gcePersistentDisk: { pdName: required(), partition: BYTE },
  awsElasticBlockStore: { volumeID: required(), partition: BYTE },
  glusterfs: { endpoints: required(), path: required() },
  // validateAzureFile
  azureFile: { secretName: required(), shareName: required() },
  vsphereVolume: { volumePath: required() },
  photonPersistentDisk: { pdID: required() },
  portworxVolume: { volumeID: required() },
  scaleIO: { gateway: required(), system: required(), volumeName: required() },
  cephfs: { monitors: filled() },
  rbd: { monitors: filled(), image: required() },
  cinder: { volumeID: required(), secretRef: SECRET_REFERENCE },
  gitRepo: { repository: required(), directory: optional(DESCENDING_PATH) },
  nfs: {
    server: required(),
    path: required({ has: (path) => path.startsWith("/"), message: "must be an absolute path" }),
  },
  iscsi: { targetPortal: required(), iqn: required(ISCSI_NAME), lun: BYTE, initiatorName: ofForm(ISCSI_NAME) },
  fc: {},
  flocker: { datasetName: optional({ has: (name) => !name.includes("/"), message: 'must not contain "/"' }) },
  flexVolume: {
    driver: required(),
    options: (check, options, key) => {
      for (const option in asObject(options)) {
        const domain = `.${option.split("/", 1)[0]?.toLowerCase()}`;
        if (!domain.endsWith(".kubernetes.io") && !domain.endsWith(".k8s.io")) continue;
        invalid(check, "must not be in kubernetes.io or k8s.io, which are reserved", key, option);
      }
    },
  },
  quobyte: { registry: required(), volume: required() },
  // validateAzureDisk
  azureDisk: {
    diskName: required(),
    diskURI: required(),
    cachingMode: oneOf("None", "ReadOnly", "ReadWrite"),
    kind: oneOf("Shared", "Dedicated", "Managed"),
  },
  storageos: { volumeName: required(DNS_LABEL), volumeNamespace: optional(DNS_LABEL), secretRef: SECRET_REFERENCE },
  // and ValidateCSIDriverName
  csi: {
    driver: [
      required({ has: (name) => DNS_NAME.has(name.toLowerCase()), message: `in lower case, ${DNS_NAME.message}` }),
      atMost(63),
    ],
    nodePublishSecretRef: [
      SECRET_REFERENCE,
      (check, reference, key) => {
        const name = asText(asObject(reference).name);
        if (name === "" || DNS_NAME.has(name)) return;
        invalid(check, `${DNS_NAME.message}, not ${quote(name)}`, key, "name");
      },
    ],
  },
};

const WHOLE: { readonly [K in Kind]?: Rule<Source<K>, string> } = {
  iscsi: ({ chapAuthDiscovery, chapAuthSession, initiatorName, secretRef, targetPortal }, check, volumeName) => {
    if ((chapAuthDiscovery === true || chapAuthSession === true) && !isPresent(secretRef)) {
      report(check, "required", "is required, as CHAP authentication is on", "secretRef");
    }
    if (!isPresent(initiatorName) || volumeName.length + 1 + asText(targetPortal).length <= 64) return;
    const message = "with the volume's name, must be less than 64 characters, as initiatorName is set";
    invalid(check, message, "targetPortal");
  },
  fc: ({ targetWWNs, wwids, lun }, check) => {
    const [names, ids] = [listOf(targetWWNs), listOf(wwids)];
    if (names.length === 0) {
      if (ids.length === 0) report(check, "required", "is required, or wwids in its place", "targetWWNs");
      return;
    }
    if (ids.length > 0) invalid(check, "must not be set when wwids is", "targetWWNs");
    if (!isPresent(lun)) report(check, "required", "is required with targetWWNs", "lun");
    else BYTE(check, lun, "lun", undefined);
  },
  flocker: ({ datasetName, datasetUUID }, check) => {
    const [name, uuid] = [asText(datasetName), asText(datasetUUID)];
    if (name === "" && uuid === "") report(check, "required", "must have a datasetName or a datasetUUID");
    if (name !== "" && uuid !== "") invalid(check, "must not have both a datasetName and a datasetUUID");
  },
  quobyte: ({ registry, tenant }, check) => {
    if (asText(registry) === "") return;
    if (asText(tenant).length >= 65) report(check, "required", "must be a UUID of at most 64 characters", "tenant");
    else if (!asText(registry).split(",").every(isHostPort)) {
      invalid(check, "must be host:port, or several of them with commas between", "registry");
    }
  },
  azureDisk: ({ kind, diskURI }, check) => {
    // Absent, the kind is Shared.
    const start = kind === "Managed" ? "/subscriptions/" : "https://";
    if (asText(diskURI).startsWith(start)) return;
    report(check, "not-supported", `must start with ${start} for this kind of disk`, "diskURI");
  },
};

/** The rule of each kind of source, in the context of the volume's name. */
export const SOURCE_RULES: ReadonlyMap<string, Rule<JsonObject, string>> = new Map(
  Object.keys(FIELDS).map((kind) => [
    kind,
    fields<Source<"fc">, string>(FIELDS[kind as "fc"], WHOLE[kind as "fc"]) as Rule<JsonObject, string>,
  ]),
);

/** iscsiInitiatorIqnRegex and its like; longer names are not judged. */
function isIscsiName(name: string): boolean {
  if (name.length > MAX_ISCSI_LENGTH) return true;
  if (name.startsWith("iqn")) return /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\t\n\f\r ]+$/.test(name);
  if (name.startsWith("eui")) return /^eui.[A-Za-z0-9]{16}$/.test(name);
  return /^naa.[A-Za-z0-9]{32}$/.test(name);
}

/** net.SplitHostPort */
function isHostPort(text: string): boolean {
  const colon = text.lastIndexOf(":");
  if (colon === -1) return false;
  const host = text.slice(0, colon);
  if (host.startsWith("[")) return host.indexOf("]") === host.length - 1 && host.lastIndexOf("[") === 0;
  return !/[:[\]]/.test(host) && !/[[\]]/.test(text.slice(colon));
}
