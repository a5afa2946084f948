import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { keptVolume, notesOf, withoutNoted, withProxyInPlace } from "./injection-notes.ts";

const AUTHOR: Pod = { metadata: { name: "web" }, spec: { containers: [{ name: "app" }] } };
const pod = (value: unknown) => value as Pod;

describe("notesOf()", () => {
  it("is empty where nothing was added", () => {
    expect(notesOf(AUTHOR, AUTHOR, [])).toEqual([]);
    expect(notesOf({}, {}, [])).toEqual([]);
    expect(notesOf(AUTHOR, AUTHOR, ["labels/a", "kept/volumes/b"])).toEqual([]);
  });

  it("names labels and annotations that were added, and none that were changed", () => {
    const author = pod({ metadata: { labels: { a: "1" }, annotations: { b: "1" } } });
    const injected = pod({ metadata: { labels: { a: "2", c: "3", toString: "4" }, annotations: { d: "5", b: "2" } } });
    expect(notesOf(injected, author, [])).toEqual(["labels/c", "labels/toString", "annotations/d"]);
    expect(notesOf(injected, {}, [])).toEqual([
      "labels/a",
      "labels/c",
      "labels/toString",
      "annotations/b",
      "annotations/d",
    ]);
    const nulls = pod({ metadata: { labels: null, annotations: null }, spec: null });
    expect(notesOf(injected, nulls, [])).toContain("labels/a");
    expect(notesOf(nulls, injected, [])).toEqual([]);
  });

  it("names pull secrets and fields that were added, but no lists that are undone item by item", () => {
    const author = pod({
      metadata: { name: "web", uid: null },
      spec: { containers: [], imagePullSecrets: [{ name: "a" }] },
    });
    const injected = pod({
      metadata: { name: "other", uid: "1", labels: {}, annotations: {} },
      spec: {
        containers: [],
        initContainers: [],
        volumes: [],
        imagePullSecrets: [{ name: "a" }, { name: "b" }],
        dnsPolicy: "x",
        hostname: null,
      },
    });
    expect(notesOf(injected, author, [])).toEqual(["imagePullSecrets/b", "metadata/uid", "spec/dnsPolicy"]);
    expect(notesOf(injected, {}, [])).toEqual([
      "imagePullSecrets/a",
      "imagePullSecrets/b",
      "metadata/name",
      "metadata/uid",
      "spec/dnsPolicy",
    ]);
  });

  it("records that the author's proxy lost its restartPolicy among the containers", () => {
    const proxy = { name: "istio-proxy", image: "p" };
    const author = pod({
      spec: { containers: [{ name: "a" }], initContainers: [{ ...proxy, restartPolicy: "Always" }] },
    });
    const moved = pod({ spec: { containers: [{ name: "a" }, proxy] } });
    const notes = notesOf(moved, author, []);
    expect(notes).toEqual(["proxy/initContainers/0/Always"]);
    expect(withProxyInPlace(moved, notes, false)).toEqual(author);
    expect(notesOf(author, author, notes)).toEqual(["proxy/initContainers/0"]);
    expect(notesOf(moved, author, ["proxy/initContainers/3"])).toEqual(["proxy/initContainers/3/Always"]);
    const plain = pod({ spec: { containers: [{ name: "a" }], initContainers: [proxy] } });
    expect(notesOf(moved, plain, [])).toEqual(["proxy/initContainers/0"]);
  });

  it("says where the author's proxy was, as an earlier note has it", () => {
    const inContainers = pod({ spec: { containers: [{ name: "a" }, { name: "istio-proxy" }] } });
    const inBoth = pod({ spec: { containers: [{ name: "a" }], initContainers: [{ name: "istio-proxy" }] } });
    expect(notesOf({}, inContainers, [])).toEqual(["proxy/containers/1"]);
    expect(notesOf({}, inBoth, [])).toEqual(["proxy/initContainers/0"]);
    expect(notesOf({}, inContainers, ["labels/a", "proxy/initContainers/3", "proxy/containers/4"])).toEqual([
      "proxy/initContainers/3",
    ]);
    expect(
      notesOf({}, inContainers, [
        "proxy/other/3",
        "proxy/containers/x",
        "xproxy/containers/1",
        "proxy/containers/12345",
      ]),
    ).toEqual(["proxy/containers/1"]);
  });
});

describe("withProxyInPlace()", () => {
  const PROXY = { name: "istio-proxy" };
  const [A, B] = [{ name: "a" }, { name: "b" }];

  it("puts it where a note says, in either list", () => {
    const injected = pod({ spec: { containers: [A, B, PROXY] } });
    expect(
      withProxyInPlace(injected, ["labels/x", "proxy/containers/1", "proxy/containers/0"], false).spec?.containers,
    ).toEqual([A, PROXY, B]);
    expect(withProxyInPlace(injected, ["proxy/initContainers/0"], false).spec).toEqual({
      containers: [A, B],
      initContainers: [PROXY],
    });
    const native = pod({ spec: { containers: [A], initContainers: [PROXY, B] } });
    expect(withProxyInPlace(native, ["proxy/containers/0"], false).spec).toEqual({
      containers: [PROXY, A],
      initContainers: [B],
    });
    expect(withProxyInPlace(native, ["proxy/initContainers/1"], false).spec).toEqual({
      containers: [A],
      initContainers: [B, PROXY],
    });
  });

  it("puts it last among the containers where no note says anything, and leaves no empty list", () => {
    const native = pod({ spec: { containers: [A, B], initContainers: [PROXY] } });
    const { spec } = withProxyInPlace(native, ["labels/x"], true);
    expect(spec?.containers).toEqual([A, B, PROXY]);
    expect(spec?.initContainers).toBeUndefined();
  });

  it("leaves it where it is if the injection did not change it and no note says anything", () => {
    const native = pod({ spec: { containers: [A], initContainers: [PROXY] } });
    expect(withProxyInPlace(native, [], false)).toBe(native);
  });

  it("returns the pod itself where there is no proxy", () => {
    expect(withProxyInPlace(AUTHOR, ["proxy/containers/0"], true)).toBe(AUTHOR);
  });
});

describe("withoutNoted()", () => {
  const INJECTED = pod({
    metadata: { name: "web", uid: "1", labels: { a: "1", b: "2" }, annotations: { c: "3", d: "4" } },
    spec: {
      containers: [{ name: "app" }],
      dnsPolicy: "x",
      imagePullSecrets: [{ name: "s" }, { name: "t" }, {}],
      volumes: [{ name: "v" }],
    },
  });

  it("takes away what the notes name, and nothing else", () => {
    const notes = [
      "labels/a",
      "annotations/c",
      "imagePullSecrets/s",
      "metadata/uid",
      "spec/dnsPolicy",
      "kept/volumes/v",
      "adopted",
    ];
    expect(JSON.parse(JSON.stringify(withoutNoted(INJECTED, notes)))).toEqual({
      metadata: { name: "web", labels: { b: "2" }, annotations: { d: "4" } },
      spec: { containers: [{ name: "app" }], imagePullSecrets: [{ name: "t" }, {}], volumes: [{ name: "v" }] },
    });
  });

  it("does not take lists away that are undone item by item", () => {
    const notes = [
      "metadata/labels",
      "metadata/annotations",
      "spec/containers",
      "spec/initContainers",
      "spec/volumes",
      "spec/imagePullSecrets",
    ];
    expect(withoutNoted(INJECTED, notes)).toEqual(INJECTED);
  });

  it("leaves no empty list of pull secrets, and needs none", () => {
    const secrets = pod({ spec: { containers: [], imagePullSecrets: [{ name: "s" }] } });
    expect(withoutNoted(secrets, ["imagePullSecrets/s"]).spec?.imagePullSecrets).toBeUndefined();
    expect(withoutNoted(secrets, ["labels/a"])).toEqual({ metadata: {}, spec: secrets.spec });
    expect(withoutNoted({}, ["labels/a", "annotations/b", "imagePullSecrets/s"])).toEqual({ metadata: {}, spec: {} });
  });

  it("returns the pod itself without notes", () => {
    expect(withoutNoted(INJECTED, [])).toBe(INJECTED);
  });
});

describe("keptVolume()", () => {
  it("names the volume", () => {
    expect(keptVolume("envoy")).toBe("kept/volumes/envoy");
  });
});
