import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { violationsInMetadata } from "../../../../test/support/violations-in.ts";
import { changeViolations, validatePod } from "../validate-pod.ts";

const LABEL = 'must be a DNS label: at most 63 lowercase letters, digits and "-", with a letter or digit at both ends';
const SUBDOMAIN =
  'must be a DNS name: at most 253 lowercase letters, digits, "-" and ".", with a letter or digit at both ends of each part';
const QUALIFIED =
  'must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"';
const LABEL_VALUE = 'must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';

const TOO_LONG = "annotations too-long: must be at most 262144 bytes, keys and values together";

type Row = readonly [part: JsonObject, expected: readonly string[]];

describe("a pod's metadata", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid: "1" };
  it.each<Row>([
    [{ name: "a.b", namespace: "c", generateName: "a-" }, []],
    [{ name: "A" }, [`name invalid: ${SUBDOMAIN}`]],
    [{ name: "" }, ["name required: is required, or generateName in its place"]],
    [{ name: null, generateName: "" }, ["name required: is required, or generateName in its place"]],
    [{ name: null, generateName: "a-" }, []],
    [{ name: null, generateName: "a." }, [`generateName invalid: with five characters after it, ${SUBDOMAIN}`]],
    [{ name: null, generateName: "A" }, [`generateName invalid: with five characters after it, ${SUBDOMAIN}`]],
    [{ generateName: "A" }, [`generateName invalid: with five characters after it, ${SUBDOMAIN}`]],
    [{ namespace: "" }, []],
    [{ namespace: "a.b" }, [`namespace invalid: ${LABEL}`]],
    [{ labels: { a: "b", "c.d/e": "" } }, []],
    [{ labels: { "-": "a", b: "-" } }, [`labels.- invalid: its key ${QUALIFIED}`, `labels.b invalid: ${LABEL_VALUE}`]],
    [{ annotations: { "A.b/C": "any text: -" } }, []],
    [{ annotations: { "-": "a" } }, [`annotations.- invalid: its key ${QUALIFIED}`]],
    [{ annotations: { a: "x".repeat(262143) } }, []],
    [{ annotations: { a: "x".repeat(262144) } }, [TOO_LONG]],
    [{ annotations: { a: "x".repeat(200000), b: "y".repeat(62142) } }, []],
    [{ annotations: { a: "x".repeat(200000), b: "y".repeat(62143) } }, [TOO_LONG]],
    [{ annotations: { a: "€".repeat(87381) } }, []],
    [{ annotations: { a: `${"€".repeat(87381)}a` } }, [TOO_LONG]],
    [
      { ownerReferences: [owner, { ...owner, controller: true }, { ...owner, apiVersion: "v1", controller: false }] },
      [],
    ],
    [
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, controller: true },
        ],
      },
      ["ownerReferences invalid: must name at most one controller"],
    ],
    [
      { ownerReferences: [{}] },
      [
        "ownerReferences[0].apiVersion invalid: must have a version, like apps/v1",
        "ownerReferences[0].kind invalid: must not be empty",
        "ownerReferences[0].name invalid: must not be empty",
        "ownerReferences[0].uid invalid: must not be empty",
      ],
    ],
    ...["/", "a/", "a/b/c"].map(
      (apiVersion): Row => [
        { ownerReferences: [{ ...owner, apiVersion }] },
        ["ownerReferences[0].apiVersion invalid: must have a version, like apps/v1"],
      ],
    ),
    [
      { ownerReferences: [{ ...owner, apiVersion: "v1", kind: "Event" }] },
      ["ownerReferences[0].kind invalid: must not be an Event"],
    ],
    [{ ownerReferences: [{ ...owner, apiVersion: "events.k8s.io/v1", kind: "Event" }] }, []],
    [{ finalizers: ["example.com/a", "kubernetes", "orphan"] }, []],
    [{ finalizers: ["foregroundDeletion"] }, []],
    [{ finalizers: ["-"] }, [`finalizers[0] invalid: ${QUALIFIED}`]],
    [{ finalizers: ["other"] }, ["finalizers[0] invalid: must have a domain, like example.com/finalizer"]],
    [
      { finalizers: ["orphan", "foregroundDeletion"] },
      ['finalizers invalid: must not have both "orphan" and "foregroundDeletion"'],
    ],
    [
      {
        managedFields: [
          { operation: "Apply", fieldsType: "FieldsV1" },
          { operation: "Update", fieldsType: "" },
        ],
      },
      [],
    ],
    [{ managedFields: [{}] }, ["managedFields[0].operation invalid: must be Apply or Update"]],
    [
      { managedFields: [{ operation: "Apply", fieldsType: "x" }] },
      ["managedFields[0].fieldsType invalid: must be FieldsV1"],
    ],
    [{ managedFields: [{ operation: "Apply", manager: "m".repeat(128), subresource: "s".repeat(256) }] }, []],
    [
      { managedFields: [{ operation: "Apply", manager: "m".repeat(129), subresource: "s".repeat(257) }] },
      [
        "managedFields[0].manager too-long: must be at most 128 characters",
        "managedFields[0].subresource too-long: must be at most 256 characters",
      ],
    ],
  ])("is refused (case %#)", (part, expected) => {
    expect(violationsInMetadata(part)).toEqual(expected);
  });

  it("has a generated name of 63 characters at most, from a prefix that is cut", () => {
    const generated = (generateName: string) => violationsInMetadata({ name: null, generateName });
    expect(generated("a".repeat(200))).toEqual([]);
    expect(generated(`${"a".repeat(57)}..`)).toHaveLength(1);
  });
});

describe("annotations that the API server reads", () => {
  const annotated = (annotations: JsonObject, spec: JsonObject = {}) =>
    violationsInMetadata({ annotations }, spec).map((text) => text.replace(/^annotations(\.\S+|\[".*?"\]) /, ""));

  const COST = "controller.kubernetes.io/pod-deletion-cost";
  it.each(["0", "-1", "12", "2147483647", "-2147483648"])("take a deletion cost of %s", (cost) => {
    expect(annotated({ [COST]: cost })).toEqual([]);
  });
  it.each(["", "+1", "01", "1.5", "x", "2147483648", "-2147483649", "1 "])("refuse a deletion cost of %j", (cost) => {
    expect(annotated({ [COST]: cost })).toEqual(["invalid: must be a 32-bit integer"]);
  });

  const MIRROR = "kubernetes.io/config.mirror";
  it.each<[JsonObject, readonly string[]]>([
    [{ nodeName: "n" }, []],
    [{}, ["invalid: needs spec.nodeName"]],
    [
      { nodeName: "n", resourceClaims: [{ name: "a", resourceClaimName: "b" }] },
      ["spec.resourceClaims forbidden: must not be set for a mirror pod"],
    ],
    [
      {
        nodeName: "n",
        volumes: [
          { name: "a" },
          { name: "v", projected: { sources: [{ secret: { name: "s" } }, { serviceAccountToken: { path: "t" } }] } },
        ],
      },
      [
        "spec.volumes[1].projected.sources[1].serviceAccountToken forbidden: must not be set for a mirror pod without a serviceAccountName",
      ],
    ],
    ...["serviceAccountName", "serviceAccount"].map((key): [JsonObject, readonly string[]] => [
      {
        nodeName: "n",
        [key]: "a",
        volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
      },
      [],
    ]),
  ])("make a mirror pod of %j: %j", (spec, expected) => {
    expect(annotated({ [MIRROR]: "x" }, spec)).toEqual(expected);
  });

  const TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations";
  it.each<[string, readonly string[]]>([
    ["", []],
    ["null", []],
    ["[null]", ["operator"]],
    ["[]", []],
    ['[{"key":"a"}]', []],
    ['[{"key":"-"}]', ["key"]],
    ["{", ["list"]],
    ["{}", ["list"]],
    ["[1]", ["list"]],
  ])("have tolerations of an old form: %s", (text, expected) => {
    const found = annotated({ [TOLERATIONS]: text });
    const short = found.map((each) =>
      each.includes("must be a list of tolerations as JSON")
        ? "list"
        : /\b(key|operator) invalid/.exec(violationsInMetadata({ annotations: { [TOLERATIONS]: text } })[0] ?? "")?.[1],
    );
    expect(short).toEqual(expected);
  });

  const PROFILE = "invalid: must be runtime/default, unconfined or localhost/PROFILE";
  const SECCOMP = ["seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/c"];
  it.each(
    SECCOMP.flatMap((key) =>
      ["runtime/default", "docker/default", "unconfined", "localhost/a/b"].map((one) => [key, one] as const),
    ),
  )("take %s: %s", (key, profile) => {
    expect(annotated({ [key]: profile })).toEqual([]);
  });
  it.each(SECCOMP.flatMap((key) => ["", "x", "localhost//a", "localhost/.."].map((one) => [key, one] as const)))(
    "refuse %s: %j",
    (key, profile) => {
      expect(annotated({ [key]: profile })).toEqual([PROFILE]);
    },
  );

  const APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
  it.each(["", "runtime/default", "unconfined", "localhost/a", "localhost/.."])("take AppArmor's profile %j", (one) => {
    expect(annotated({ [`${APPARMOR}c`]: one })).toEqual([]);
    expect(annotated({ [`${APPARMOR}i`]: one }, { initContainers: [{ name: "i", image: "i" }] })).toEqual([]);
  });
  it("refuse another profile of AppArmor, and one of no container", () => {
    expect(annotated({ [`${APPARMOR}c`]: "docker/default" })).toEqual([PROFILE]);
    expect(annotated({ [`${APPARMOR}x`]: "unconfined" })).toEqual(['invalid: must name a container, not "x"']);
    expect(annotated({ "container.other/x": "y" })).toEqual([]);
  });

  const types: readonly (readonly [annotation: string, profile: JsonObject, agrees: boolean])[] = [
    ["unconfined", { type: "Unconfined" }, true],
    ["runtime/default", { type: "RuntimeDefault" }, true],
    ["localhost/a", { type: "Localhost", localhostProfile: "a" }, true],
    ["localhost/a", { type: "Localhost", localhostProfile: "b" }, false],
    ["unconfined", { type: "RuntimeDefault" }, false],
    ["runtime/default", { type: "Unconfined" }, false],
    ["localhost/a", { type: "Unconfined" }, false],
    ["unconfined", { type: "Localhost", localhostProfile: "a" }, false],
  ];
  const DISAGREES = "type forbidden: must agree with the annotation for it: remove the annotation";
  const contextOf = (field: string, profile: JsonObject): JsonObject => ({ securityContext: { [field]: profile } });
  it.each(types)("%s and the field %j agree: %s", (annotation, profile, agrees) => {
    const pod = contextOf("seccompProfile", profile);
    const containers = [
      { name: "a", image: "i" },
      { name: "c", image: "i", ...contextOf("seccompProfile", profile) },
    ];
    const armoured = [{ name: "c", image: "i", ...contextOf("appArmorProfile", profile) }];
    const wrong = (place: string) => (agrees ? [] : [`${place}.${DISAGREES}`]);
    expect(annotated({ [SECCOMP[0] ?? ""]: annotation }, pod)).toEqual(wrong("spec.securityContext.seccompProfile"));
    expect(annotated({ [SECCOMP[1] ?? ""]: annotation }, { containers })).toEqual(
      wrong("spec.containers[1].securityContext.seccompProfile"),
    );
    expect(annotated({ [`${APPARMOR}c`]: annotation }, { containers: armoured })).toEqual(
      wrong("spec.containers[0].securityContext.appArmorProfile"),
    );
    expect(annotated({ [`${APPARMOR}c`]: annotation }, contextOf("appArmorProfile", profile))).toEqual([]);
  });

  it("of seccomp take the old name of runtime/default", () => {
    expect(
      annotated({ [SECCOMP[0] ?? ""]: "docker/default" }, contextOf("seccompProfile", { type: "RuntimeDefault" })),
    ).toEqual([]);
  });

  it("that mean nothing to AppArmor leave a container the pod's profile", () => {
    const pod = contextOf("appArmorProfile", { type: "Unconfined" });
    for (const annotation of ["", "localhost/"]) {
      expect(annotated({ [`${APPARMOR}c`]: annotation }, pod)).toEqual([
        `spec.containers[0].securityContext.appArmorProfile.${DISAGREES}`,
      ]);
      expect(
        validatePod({
          metadata: { name: "p", annotations: { [`${APPARMOR}c`]: annotation } },
          spec: {
            os: { name: "windows" },
            containers: [{ name: "c", image: "i", securityContext: { appArmorProfile: { type: "Unconfined" } } }],
          },
        }).filter(({ message }) => message.includes("agree")),
      ).toEqual([]);
    }
  });
});

describe("changeViolations()", () => {
  const of = (pod: object, before: object) =>
    changeViolations(pod as never, before as never).map(({ path, code, message }) => `${path} ${code}: ${message}`);
  const NAMESPACE =
    "metadata.namespace forbidden: must not be changed: a pod is created in the namespace of the request";
  const VERSION = "metadata.resourceVersion forbidden: must not be set: it is for objects that exist";
  const OVERHEAD =
    "spec.overhead forbidden: must not be set without a runtimeClassName whose RuntimeClass has this overhead";
  const meta = (metadata: object) => ({ metadata });
  const spec = (part: object) => ({ spec: part });
  it.each<[object, object, readonly string[]]>([
    [{}, {}, []],
    [meta({ namespace: "a" }), meta({ namespace: "b" }), [NAMESPACE]],
    [meta({ namespace: "a" }), meta({ namespace: "a" }), []],
    [meta({ namespace: "a" }), {}, []],
    [meta({ namespace: "" }), meta({ namespace: "b" }), []],
    [meta({ resourceVersion: "10" }), {}, [VERSION]],
    [meta({ resourceVersion: "10" }), meta({ resourceVersion: "10" }), []],
    [meta({ resourceVersion: "10" }), meta({ resourceVersion: "9" }), [VERSION]],
    [meta({ resourceVersion: "00" }), {}, []],
    [meta({ resourceVersion: "x1" }), {}, []],
    [spec({ overhead: {} }), {}, [OVERHEAD]],
    [spec({ overhead: {} }), spec({ overhead: {} }), []],
    [spec({ overhead: {}, runtimeClassName: "a" }), {}, []],
    [
      { ...meta({ namespace: "a", resourceVersion: "1" }), ...spec({ overhead: {} }) },
      meta({ namespace: "b" }),
      [NAMESPACE, VERSION, OVERHEAD],
    ],
  ])("from %j to what was %j are %j", (pod, before, expected) => {
    expect(of(pod, before)).toEqual(expected);
  });
});
