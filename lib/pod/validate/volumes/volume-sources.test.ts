import { describe, expect, it } from "vitest";
import { violationsInSpec, violationsInVolume } from "../../../../test/support/violations-in.ts";
import { DESCENDING_PATH, LOCAL_PATH, PLAIN_PATH } from "../../names.ts";

const LABEL = expect.stringContaining("must be a DNS label") as unknown as string;
const required = (...keys: readonly string[]) => keys.map((key) => `${key} required: is required`);

/** Returns what is wrong with one source, without the source's key. */
const ofSource = (kind: string, source: object) =>
  violationsInVolume({ [kind]: source as never }).map((text) => text.replace(new RegExp(`^${kind}\\.?`), "").trim());

describe("a source of a volume", () => {
  it.each<[kind: string, least: object, required: readonly string[]]>([
    ["persistentVolumeClaim", { claimName: "a" }, ["claimName"]],
    ["gcePersistentDisk", { pdName: "a" }, ["pdName"]],
    ["awsElasticBlockStore", { volumeID: "a" }, ["volumeID"]],
    ["glusterfs", { endpoints: "a", path: "b" }, ["endpoints", "path"]],
    ["azureFile", { secretName: "a", shareName: "b" }, ["secretName", "shareName"]],
    ["vsphereVolume", { volumePath: "a" }, ["volumePath"]],
    ["photonPersistentDisk", { pdID: "a" }, ["pdID"]],
    ["portworxVolume", { volumeID: "a" }, ["volumeID"]],
    ["scaleIO", { gateway: "a", system: "b", volumeName: "c" }, ["gateway", "system", "volumeName"]],
    ["cephfs", { monitors: ["a"] }, ["monitors"]],
    ["rbd", { monitors: ["a"], image: "b" }, ["monitors", "image"]],
    ["cinder", { volumeID: "a" }, ["volumeID"]],
    ["gitRepo", { repository: "a" }, ["repository"]],
    ["nfs", { server: "a", path: "/b" }, ["server", "path"]],
    ["iscsi", { targetPortal: "a", iqn: "eui.0123456789abcdef", lun: 0 }, ["targetPortal", "iqn"]],
    ["flexVolume", { driver: "a" }, ["driver"]],
    ["quobyte", { registry: "a:1", volume: "b" }, ["registry", "volume"]],
    ["storageos", { volumeName: "a" }, ["volumeName"]],
    ["csi", { driver: "a" }, ["driver"]],
    ["configMap", { name: "a" }, ["name"]],
    ["secret", { secretName: "a" }, ["secretName"]],
    ["hostPath", { path: "/a" }, ["path"]],
    ["image", { reference: "a" }, ["reference"]],
    ["ephemeral", { volumeClaimTemplate: { spec: CLAIM() } }, ["volumeClaimTemplate"]],
    ["emptyDir", {}, []],
    ["projected", {}, []],
    ["downwardAPI", {}, []],
  ])("%s is fine with %j, and needs %j", (kind, least, needed) => {
    expect(ofSource(kind, least)).toEqual([]);
    expect(ofSource(kind, {})).toEqual(required(...needed));
  });

  it.each<[kind: string, source: object, expected: readonly string[]]>([
    ["gcePersistentDisk", { pdName: "a", partition: 256 }, ["partition invalid: must be between 0 and 255"]],
    ["awsElasticBlockStore", { volumeID: "a", partition: -1 }, ["partition invalid: must be between 0 and 255"]],
    ["awsElasticBlockStore", { volumeID: "a", partition: 255 }, []],
    ["cinder", { volumeID: "a", secretRef: {} }, required("secretRef.name")],
    ["cinder", { volumeID: "a", secretRef: { name: "x" } }, []],
    [
      "gitRepo",
      { repository: "a", directory: "/b" },
      ['directory invalid: must be a relative path without ".." as a part'],
    ],
    ["gitRepo", { repository: "a", directory: "b/c" }, []],
    ["nfs", { server: "a", path: "b" }, ["path invalid: must be an absolute path"]],
    ["fc", {}, ["targetWWNs required: is required, or wwids in its place"]],
    ["fc", { wwids: ["a"] }, []],
    ["fc", { targetWWNs: ["a"], lun: 255 }, []],
    ["fc", { targetWWNs: ["a"], lun: 256 }, ["lun invalid: must be between 0 and 255"]],
    ["fc", { targetWWNs: ["a"] }, ["lun required: is required with targetWWNs"]],
    ["fc", { targetWWNs: ["a"], lun: 1, wwids: ["b"] }, ["targetWWNs invalid: must not be set when wwids is"]],
    ["fc", { wwids: ["a"], lun: 256 }, []],
    ["flocker", {}, ["required: must have a datasetName or a datasetUUID"]],
    ["flocker", { datasetName: "a" }, []],
    ["flocker", { datasetUUID: "a" }, []],
    [
      "flocker",
      { datasetName: "a", datasetUUID: "b" },
      ["invalid: must not have both a datasetName and a datasetUUID"],
    ],
    ["flocker", { datasetName: "a/b" }, ['datasetName invalid: must not contain "/"']],
    ["flexVolume", { driver: "a", options: { "example.com/a": "b", "mykubernetes.io/a": "b", plain: "c" } }, []],
    [
      "flexVolume",
      { driver: "a", options: { "kubernetes.io/a": "", "K8S.io": "", "x.kubernetes.io/b/c": "", "y.k8s.io/a": "" } },
      [
        'options["kubernetes.io/a"]',
        'options["K8S.io"]',
        'options["x.kubernetes.io/b/c"]',
        'options["y.k8s.io/a"]',
      ].map((place) => `${place} invalid: must not be in kubernetes.io or k8s.io, which are reserved`),
    ],
    ["quobyte", { registry: "a:1", volume: "v", tenant: "t".repeat(64) }, []],
    [
      "quobyte",
      { registry: "a:1", volume: "v", tenant: "t".repeat(65) },
      ["tenant required: must be a UUID of at most 64 characters"],
    ],
    ["storageos", { volumeName: "a", volumeNamespace: "b", secretRef: { name: "c" } }, []],
    [
      "storageos",
      { volumeName: "A", volumeNamespace: "B", secretRef: {} },
      [LABEL, LABEL, ...required("secretRef.name")],
    ],
    ["csi", { driver: "A.example.com", nodePublishSecretRef: { name: "a.b" } }, []],
    ["csi", { driver: "d".repeat(63) }, []],
    ["csi", { driver: "d".repeat(64) }, ["driver too-long: must be at most 63 characters"]],
    ["csi", { driver: "a_b" }, [expect.stringContaining("driver invalid: in lower case, must be a DNS name")]],
    ["csi", { driver: "a", nodePublishSecretRef: {} }, required("nodePublishSecretRef.name")],
    [
      "csi",
      { driver: "a", nodePublishSecretRef: { name: "A" } },
      [expect.stringMatching(/^nodePublishSecretRef\.name invalid: must be a DNS name.*, not "A"$/)],
    ],
    ["emptyDir", { sizeLimit: "0" }, []],
    ["emptyDir", { sizeLimit: "-1" }, ["sizeLimit forbidden: must be 0 or more"]],
    ["hostPath", { path: "/a/../b" }, ['path invalid: must not contain ".." as a part of the path']],
    [
      "image",
      { reference: "a", pullPolicy: "Sometimes" },
      ["pullPolicy not-supported: must be one of Always, IfNotPresent, Never"],
    ],
    [
      "hostPath",
      { path: "/a", type: "Pipe" },
      [
        "type not-supported: must be one of DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice, BlockDevice",
      ],
    ],
  ])("%s: %j is refused for %j", (kind, source, expected) => {
    expect(ofSource(kind, source)).toEqual(expected);
  });

  it.each(["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"])(
    "may be a path of the node of the type %j",
    (type) => {
      expect(ofSource("hostPath", { path: "/a", type })).toEqual([]);
    },
  );

  it.each(["Always", "IfNotPresent", "Never", ""])("may be an image that is pulled %j", (pullPolicy) => {
    expect(ofSource("image", { reference: "a", pullPolicy })).toEqual([]);
  });

  it("is the only one of its volume, those apart that these rules do not know", () => {
    const message = "forbidden: must not be set, as emptyDir is: a volume has one source";
    expect(violationsInVolume({ emptyDir: {}, hostPath: { path: "/a" }, nfs: { server: "a", path: "/b" } })).toEqual([
      `hostPath ${message}`,
      `nfs ${message}`,
    ]);
    expect(violationsInVolume({ emptyDir: {}, newKind: {}, secret: null })).toEqual([]);
  });

  it("is of a volume whose name is a label that no other one has", () => {
    expect(violationsInSpec({ volumes: [{ emptyDir: {} }, { name: "A" }] })).toEqual([
      "volumes[0].name required: is required",
      expect.stringContaining("volumes[1].name invalid: must be a DNS label"),
    ]);
    expect(violationsInSpec({ volumes: [{ name: "a" }, { name: "b" }, { name: "a" }] })).toEqual([
      'volumes[2].name duplicate: must be unique: another volume is named "a"',
    ]);
  });
});

describe("the registries of a quobyte volume", () => {
  it.each(["a:1", "a:", ":1", "a:1,b:2", "[::1]:1", "[a]:b"])("may be %s", (registry) => {
    expect(ofSource("quobyte", { registry, volume: "v" })).toEqual([]);
  });

  it.each(["a", "a:1,b", "::1:1", "[::1]", "[a:1", "[a]b:1", "[[a]:1", "a]:1", "a:1]"])("may not be %s", (registry) => {
    expect(ofSource("quobyte", { registry, volume: "v" })).toEqual([
      "registry invalid: must be host:port, or several of them with commas between",
    ]);
  });
});

describe("the URI of an Azure disk", () => {
  const disk = (part: object) => ofSource("azureDisk", { diskName: "a", ...part });
  it.each([
    [{ diskURI: "https://a" }, []],
    [{ kind: "Managed", diskURI: "/subscriptions/a" }, []],
    [{ kind: "Shared", diskURI: "https://a", cachingMode: "None" }, []],
    [{ kind: "Dedicated", diskURI: "https://a", cachingMode: "ReadOnly" }, []],
    [{ diskURI: "https://a", cachingMode: "ReadWrite" }, []],
    [{ diskURI: "/subscriptions/a" }, ["diskURI not-supported: must start with https:// for this kind of disk"]],
    [
      { kind: "Managed", diskURI: "https://a" },
      ["diskURI not-supported: must start with /subscriptions/ for this kind of disk"],
    ],
    [
      { kind: "x", cachingMode: "y", diskURI: "https://a" },
      [
        "kind not-supported: must be one of Shared, Dedicated, Managed",
        "cachingMode not-supported: must be one of None, ReadOnly, ReadWrite",
      ],
    ],
    [
      { diskName: "" },
      ["diskURI not-supported: must start with https:// for this kind of disk", ...required("diskName", "diskURI")],
    ],
  ])("%j is refused for %j", (part, expected) => {
    expect(disk(part)).toEqual(expected);
  });
});

describe("the names of an iSCSI volume", () => {
  const FORM =
    "must be an iSCSI name like iqn.2001-04.com.example:disk, eui. with 16 or naa. with 32 letters and digits";
  const iscsi = (part: object) =>
    ofSource("iscsi", { targetPortal: "10.0.0.1", iqn: "iqn.2001-04.com.example:a", lun: 0, ...part });

  it.each([
    "iqn.2001-04.com.example:storage.kube.sys1.xyz",
    "iqn.2001-04.c:a/b",
    `eui.${"0".repeat(16)}`,
    `naa.${"a".repeat(32)}`,
    "x".repeat(1001),
  ])("may be %s", (name) => {
    expect(iscsi({ iqn: name, initiatorName: name })).toEqual([]);
  });

  it.each([
    "iqn.2001-04.com.example:",
    "iqn.2001-04.com.example",
    "iqn.201-04.com:a",
    "iqn.2001-4.com:a",
    "iqn.2001-04.com:a,b",
    `eui.${"0".repeat(15)}`,
    `eui.${"0".repeat(17)}`,
    `naa.${"a".repeat(31)}`,
    `naa.${"a".repeat(33)}`,
    `abc.${"a".repeat(32)}`,
    "x".repeat(1000),
  ])("may not be %s", (name) => {
    expect(iscsi({ iqn: name, initiatorName: name })).toEqual([
      `iqn invalid: ${FORM}`,
      `initiatorName invalid: ${FORM}`,
    ]);
  });

  it.each([
    [{ lun: -1 }, ["lun invalid: must be between 0 and 255"]],
    [{ lun: 256 }, ["lun invalid: must be between 0 and 255"]],
    [{ lun: 255 }, []],
    [{ chapAuthDiscovery: true }, ["secretRef required: is required, as CHAP authentication is on"]],
    [{ chapAuthSession: true }, ["secretRef required: is required, as CHAP authentication is on"]],
    [{ chapAuthSession: true, chapAuthDiscovery: true, secretRef: {} }, []],
    [{ targetPortal: "p".repeat(100) }, []],
    [{ targetPortal: "p".repeat(62), initiatorName: "iqn.2001-04.c:a" }, []],
    [
      { targetPortal: "p".repeat(63), initiatorName: "iqn.2001-04.c:a" },
      ["targetPortal invalid: with the volume's name, must be less than 64 characters, as initiatorName is set"],
    ],
  ])("with %j are refused for %j", (part, expected) => {
    expect(iscsi(part)).toEqual(expected);
  });
});

/** The least claim that is fine. */
function CLAIM() {
  return { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
}

describe("the claim of an ephemeral volume", () => {
  const PLACE = "volumeClaimTemplate.";
  const ofTemplate = (template: object) =>
    ofSource("ephemeral", { volumeClaimTemplate: template }).map((text) => text.replace(PLACE, ""));
  const ofSpec = (part: object) =>
    ofTemplate({ spec: { ...CLAIM(), ...part } }).map((text) => text.replace("spec.", ""));
  const modes = "must be one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod";

  it("needs a mode and an amount", () => {
    expect(ofTemplate({})).toEqual([
      "spec.accessModes required: must have at least one mode",
      "spec.resources.requests.storage required: is required",
    ]);
  });

  it.each<[object, readonly string[]]>([
    [{ accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] }, []],
    [{ accessModes: ["ReadWriteOncePod"] }, []],
    [
      { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] },
      ["accessModes forbidden: must not have other modes with ReadWriteOncePod"],
    ],
    [{ accessModes: ["ReadWriteOncePod", "x"] }, [`accessModes[1] not-supported: ${modes}`]],
    [{ resources: { requests: { storage: "0" } } }, ["resources.requests.storage invalid: must be more than 0"]],
    [{ resources: { requests: { storage: "-1" } } }, ["resources.requests.storage invalid: must be more than 0"]],
    [{ storageClassName: "a.b", volumeAttributesClassName: "", volumeMode: "Block" }, []],
    [{ storageClassName: "A" }, [expect.stringContaining("storageClassName invalid: must be a DNS name")]],
    [{ volumeAttributesClassName: "A" }, [expect.stringContaining("volumeAttributesClassName invalid: must be a DNS")]],
    [{ volumeMode: "Filesystem" }, []],
    [{ volumeMode: "x" }, ["volumeMode not-supported: must be one of Block, Filesystem"]],
    [{ selector: { matchLabels: { "-": "" } } }, [expect.stringContaining("selector.matchLabels.- invalid: its key")]],
    [{ dataSource: { kind: "PersistentVolumeClaim", name: "a" } }, []],
    [
      { dataSource: {} },
      [
        "dataSource.kind invalid: must be PersistentVolumeClaim where apiGroup is absent",
        "dataSource.name required: is required",
        "dataSource.kind required: is required",
      ],
    ],
    [
      { dataSourceRef: { apiGroup: "A", kind: "x", name: "a" } },
      [expect.stringContaining("dataSourceRef.apiGroup invalid: must be a DNS name")],
    ],
    [
      { dataSourceRef: { apiGroup: "a", kind: "x", name: "a", namespace: "A" } },
      [expect.stringContaining("dataSourceRef.namespace invalid: must be a DNS label")],
    ],
  ])("with %j is refused for %j", (part, expected) => {
    expect(ofSpec(part)).toEqual(expected);
  });

  const claim = { kind: "PersistentVolumeClaim", name: "a" };
  it.each<[object, object, readonly string[]]>([
    [claim, claim, []],
    [claim, { ...claim, apiGroup: null }, []],
    [claim, { ...claim, name: "b" }, ["dataSource invalid: must match dataSourceRef"]],
    [
      { ...claim, apiGroup: "a", kind: "x" },
      { ...claim, apiGroup: "a" },
      ["dataSource invalid: must match dataSourceRef"],
    ],
    [{ ...claim, apiGroup: "a" }, claim, ["dataSource invalid: must match dataSourceRef"]],
    [claim, { ...claim, namespace: "n" }, ["dataSource invalid: must not be set when dataSourceRef.namespace is"]],
  ])("of the sources %j and %j is refused for %j", (dataSource, dataSourceRef, expected) => {
    expect(ofSpec({ dataSource, dataSourceRef })).toEqual(expected);
  });

  it("has labels and annotations, and nothing else of metadata", () => {
    const template = (metadata: object) => ofTemplate({ metadata, spec: CLAIM() });
    expect(template({ labels: { a: "b" }, annotations: { c: "d" }, name: "", generation: 0, uid: null })).toEqual([]);
    expect(template({ name: "a", annotations: { "-": "" } })).toEqual([
      "metadata.name forbidden: must not be set: only labels and annotations can be",
      expect.stringContaining("metadata.annotations.- invalid: its key"),
    ]);
  });

  it("is named for the pod and the volume, and of no other volume", () => {
    const ephemeral = { volumeClaimTemplate: { spec: CLAIM() } };
    const volumes = [
      { name: "v", ephemeral },
      { name: "w", persistentVolumeClaim: { claimName: "p-v" } },
      { name: "x", persistentVolumeClaim: { claimName: "p-w" } },
    ];
    expect(violationsInSpec({ volumes })).toEqual([
      "volumes[1].persistentVolumeClaim.claimName invalid: must not be the claim of an ephemeral volume of this pod",
    ]);
  });
});

describe("PLAIN_PATH, DESCENDING_PATH and LOCAL_PATH", () => {
  it.each([
    ["", true, true, true],
    ["a", true, true, true],
    ["/a", true, false, false],
    ["..", false, false, false],
    ["../a", false, false, false],
    ["a/..", false, false, false],
    ["a/../b", false, false, false],
    ["a/.../..", false, false, false],
    ["..a", true, true, false],
    ["a..", true, true, true],
    ["a/..b", true, true, true],
    ["a/b../c", true, true, true],
    ["...", true, true, false],
  ])("of %j are %s, %s and %s", (path, plain, descending, local) => {
    expect([PLAIN_PATH, DESCENDING_PATH, LOCAL_PATH].map(({ has }) => has(path))).toEqual([plain, descending, local]);
  });
});
