import { describe, expect, it } from "vitest";
import { violationsInVolume } from "../../../../test/support/violations-in.ts";

const MODE = "must be between 0 and 0777 (octal), which is 511";
const LOCAL = 'must be a relative path that does not start with ".." and has no ".." as a part';

const ofSource = (kind: string, source: object) =>
  violationsInVolume({ [kind]: source as never }).map((text) => text.replace(new RegExp(`^${kind}\\.?`), "").trim());

describe.each([
  ["configMap", { name: "a" }],
  ["secret", { secretName: "a" }],
])("the files of a %s", (kind, least) => {
  it.each<[object, readonly string[]]>([
    [{ defaultMode: 0 }, []],
    [{ defaultMode: 511 }, []],
    [{ defaultMode: 512 }, [`defaultMode invalid: ${MODE}`]],
    [{ defaultMode: -1 }, [`defaultMode invalid: ${MODE}`]],
    [{ items: [{ key: "k", path: "a/b", mode: 511 }] }, []],
    [{ items: [{}] }, ["items[0].key required: is required", "items[0].path required: is required"]],
    [
      { items: [{ key: "k", path: "..a", mode: 512 }] },
      [`items[0].path invalid: ${LOCAL}`, `items[0].mode invalid: ${MODE}`],
    ],
  ])("with %j are refused for %j", (part, expected) => {
    expect(ofSource(kind, { ...least, ...part })).toEqual(expected);
  });
});

describe("the sources of a projected volume", () => {
  const sources = (...list: readonly object[]) => ofSource("projected", { sources: list });
  const token = (part: object) => sources({ serviceAccountToken: { path: "t", ...part } });
  const PLACE = "sources[0].serviceAccountToken";
  const EXPIRY = "must be between 600 and 4294967296";

  it.each<[readonly object[], readonly string[]]>([
    [[{ secret: { name: "a" } }, { configMap: { name: "b", items: [{ key: "k", path: "p" }] } }], []],
    [[{ secret: {} }], ["sources[0].secret.name required: is required"]],
    [[{ configMap: {} }], ["sources[0].configMap.name required: is required"]],
    [
      [{ configMap: { name: "a", items: [{ key: "k", path: "/a" }] } }],
      [`sources[0].configMap.items[0].path invalid: ${LOCAL}`],
    ],
    [[{ secret: { name: "a" }, clusterTrustBundle: {}, podCertificate: {} }], []],
    [
      [{ serviceAccountToken: { path: "t" }, downwardAPI: {}, secret: { name: "a" }, configMap: { name: "b" } }],
      ["configMap", "downwardAPI", "serviceAccountToken"].map(
        (key) => `sources[0].${key} forbidden: must not be set, as secret is: use an item for each`,
      ),
    ],
    [
      [
        { secret: { name: "a", items: [{ key: "k", path: "p" }] } },
        {
          configMap: {
            name: "a",
            items: [
              { key: "k", path: "q" },
              { key: "l", path: "p" },
            ],
          },
        },
        { downwardAPI: { items: [{ path: "q", fieldRef: { fieldPath: "metadata.name" } }] } },
        { serviceAccountToken: { path: "p" } },
      ],
      [
        'sources[1].configMap.items[1].path invalid: must be unique: another source has the path "p"',
        'sources[2].downwardAPI.items[0].path invalid: must be unique: another source has the path "q"',
      ],
    ],
  ])("%j are refused for %j", (list, expected) => {
    expect(sources(...list)).toEqual(expected);
  });

  it("have a mode", () => {
    expect(ofSource("projected", { defaultMode: 512 })).toEqual([`defaultMode invalid: ${MODE}`]);
  });

  it("have tokens that last from ten minutes to 2³² seconds", () => {
    expect([600, 2 ** 32].flatMap((expirationSeconds) => token({ expirationSeconds }))).toEqual([]);
    expect([599, 2 ** 32 + 1].flatMap((expirationSeconds) => token({ expirationSeconds }))).toEqual(
      Array(2).fill(`${PLACE}.expirationSeconds invalid: ${EXPIRY}`),
    );
    expect(token({ path: "" })).toEqual([`${PLACE}.path required: is required`]);
    expect(token({ path: "../t" })).toEqual([`${PLACE}.path invalid: ${LOCAL}`]);
  });
});

describe("the files of a downwardAPI volume", () => {
  const file = (part: object) =>
    ofSource("downwardAPI", { items: [{ path: "p", ...part }] }).map((text) => text.replace("items[0].", ""));
  const fieldRef = { fieldPath: "metadata.name" };
  const FIELDS =
    "must be one of metadata.name, metadata.namespace, metadata.labels, metadata.annotations, metadata.uid, metadata.labels['KEY'], metadata.annotations['KEY']";
  const KEY = expect.stringContaining("fieldRef.fieldPath invalid: its key must be a name") as unknown as string;

  it.each<[object, readonly string[]]>([
    [{ fieldRef, mode: 511 }, []],
    [{ fieldRef, mode: 512 }, [`mode invalid: ${MODE}`]],
    [{ fieldRef, path: "" }, ["path required: is required"]],
    [{ fieldRef, path: "/p" }, [`path invalid: ${LOCAL}`]],
    [{}, ["items[0] required: must have a fieldRef or a resourceFieldRef"]],
    [
      { fieldRef, resourceFieldRef: { containerName: "c", resource: "limits.cpu" } },
      ["resourceFieldRef invalid: must not be set when fieldRef is"],
    ],
    [{ fieldRef: {} }, ["fieldRef.fieldPath required: is required"]],
    [{ fieldRef: { ...fieldRef, apiVersion: "v1" } }, []],
    [{ fieldRef: { ...fieldRef, apiVersion: "" } }, []],
    [{ fieldRef: { ...fieldRef, apiVersion: "v2" } }, ["fieldRef.apiVersion invalid: must be v1"]],
    [{ fieldRef: { fieldPath: "spec.nodeName" } }, [`fieldRef.fieldPath not-supported: ${FIELDS}`]],
    [{ fieldRef: { fieldPath: "['a']" } }, [`fieldRef.fieldPath not-supported: ${FIELDS}`]],
    [{ fieldRef: { fieldPath: "metadata.labels['a" } }, [`fieldRef.fieldPath not-supported: ${FIELDS}`]],
    [{ fieldRef: { fieldPath: "metadata.labels['a.b/c']" } }, []],
    [{ fieldRef: { fieldPath: "metadata.labels['-']" } }, [KEY]],
    [{ fieldRef: { fieldPath: "metadata.labels['A.b/c']" } }, [KEY]],
    [{ fieldRef: { fieldPath: "metadata.annotations['A.b/C']" } }, []],
    [{ fieldRef: { fieldPath: "metadata.annotations['-']" } }, [KEY]],
    [
      { fieldRef: { fieldPath: "metadata.name['a']" } },
      ["fieldRef.fieldPath invalid: has no keys: only metadata.labels and metadata.annotations do"],
    ],
    [{ resourceFieldRef: { resource: "limits.cpu" } }, ["resourceFieldRef.containerName required: is required"]],
    [
      { resourceFieldRef: { resource: "limits.cpu", divisor: "7" } },
      [
        "resourceFieldRef.containerName required: is required",
        "resourceFieldRef.divisor invalid: must be one of 1m, 1",
      ],
    ],
    [{ resourceFieldRef: { containerName: "c" } }, ["resourceFieldRef.resource required: is required"]],
    [
      { resourceFieldRef: { containerName: "c", resource: "cpu" } },
      [
        "resourceFieldRef.resource not-supported: must be one of limits.cpu, limits.memory, limits.ephemeral-storage, requests.cpu, requests.memory, requests.ephemeral-storage",
      ],
    ],
    ...["", "metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid"]
      .filter((fieldPath) => fieldPath !== "")
      .map((fieldPath): [object, readonly string[]] => [{ fieldRef: { fieldPath } }, []]),
  ])("with %j are refused for %j", (part, expected) => {
    expect(file(part)).toEqual(
      expected.map((text) => (typeof text === "string" ? text.replace("items[0].", "") : text)),
    );
  });

  it.each([
    ["limits.hugepages-2Mi", "1Mi", []],
    ["requests.hugepages-2Mi", "3", ["divisor"]],
    ["limits.cpu", "1000m", []],
    ["limits.cpu", "0", []],
    ["requests.cpu", "x", []],
    ["requests.memory", "1000", []],
    ["requests.memory", "1024", ["divisor"]],
    ["requests.memory", "1048576Ki", []],
    ["requests.memory", "2Ki", ["divisor"]],
  ])("show %s by %s", (resource, divisor, wrong) => {
    const found = file({ resourceFieldRef: { containerName: "c", resource, divisor } });
    expect(found.map((text) => /resourceFieldRef\.(\w+)/.exec(text)?.[1])).toEqual(wrong);
  });
});
