import { injectionKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { InjectRequest, RenderedInjection } from "../injection.ts";
import { type EarlierInjection, neverInjected } from "../undo/earlier-injection.ts";
import { overridesNote, readStatus } from "../undo/injection-status.ts";
import { injectionRecord } from "./injection-record.ts";

const STATUS = "sidecar.istio.io/status";
const AUTHOR: Pod = { metadata: { name: "web" }, spec: { containers: [{ name: "app" }] } };
const MERGED = {
  "prometheus.io/port": "15020",
  "prometheus.io/path": "/stats/prometheus",
  "prometheus.io/scrape": "true",
};

/** Nothing is undone: what that would show is in remainder.test.ts. */
const record = injectionRecord(() => []);

interface Given {
  readonly author?: Pod;
  readonly earlier?: Partial<EarlierInjection>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly injectedAnnotations?: Readonly<Record<string, string>>;
  readonly overlay?: Pod;
  readonly compatibility?: string;
  readonly request?: Partial<InjectRequest>;
}

function recorded(
  pod: Pod,
  {
    author = AUTHOR,
    earlier = {},
    environment = {},
    injectedAnnotations = {},
    overlay = {},
    request = {},
    ...given
  }: Given = {},
): Pod {
  const meshConfig = { defaultConfig: { statusPort: 15020 } };
  return record.apply(pod, {
    injector: { config: { injectedAnnotations, ...given }, keys: injectionKeys(), meshConfig },
    request: { parameters: {}, ...request },
    environment,
    revision: "v1",
    earlier: { ...neverInjected, ...earlier },
    pod: author,
    overlay,
  } as unknown as RenderedInjection);
}

const notes = (pod: Pod) => readStatus(pod)?.notes;
const withAnnotations = (annotations: Readonly<Record<string, string>>, pod = AUTHOR): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations },
});

describe("injectionRecord.apply()", () => {
  it("records the overlay's names and the revision", () => {
    const overlay = { spec: { containers: [{ name: "istio-proxy" }], volumes: [{ name: "envoy" }] } };
    const pod = recorded(AUTHOR, { overlay });
    expect(readStatus(pod)).toMatchObject({
      trust: "whole",
      containers: ["istio-proxy"],
      volumes: ["envoy"],
      notes: [],
    });
    expect(JSON.parse(pod.metadata?.annotations?.[STATUS] ?? "")).toMatchObject({ revision: "v1" });
    expect(readStatus(recorded(AUTHOR))).toMatchObject({ trust: "whole", containers: [], volumes: [] });
  });

  it("cuts a canonical name that is longer than a label's value, as an API server demands and the reference does not", () => {
    const [name, author] = ["service.istio.io/canonical-name", "x".repeat(64)];
    const labelled: Pod = { ...AUTHOR, metadata: { ...AUTHOR.metadata, labels: { [name]: author } } };
    expect(recorded(labelled).metadata?.labels?.[name]).toBe("x".repeat(63));
    expect(recorded(labelled, { compatibility: "reference" }).metadata?.labels?.[name]).toBe(author);
    expect(recorded(labelled, { author: labelled }).metadata?.labels?.[name]).toBe(author);
  });

  it.each([
    ["x".repeat(63), "x".repeat(63)],
    [`${"x".repeat(62)}y-`, `${"x".repeat(62)}y`],
    [`${"x".repeat(61)}.-y`, "x".repeat(61)],
    [`_${"x".repeat(63)}`, "x".repeat(62)],
    ["-", ""],
    ["", ""],
  ])("makes of the canonical name %j the label value %j", (name, value) => {
    const labels = { app: "web", "service.istio.io/canonical-name": name };
    const pod = recorded({ ...AUTHOR, metadata: { ...AUTHOR.metadata, labels } });
    expect(pod.metadata?.labels).toEqual({ ...labels, "service.istio.io/canonical-name": value });
  });

  it("labels the network, where there is one, and adds the configuration's annotations", () => {
    const pod = recorded(
      { ...AUTHOR, metadata: { labels: { app: "web" }, annotations: { a: "1" } } },
      {
        author: { ...AUTHOR, metadata: { labels: { app: "web" } } },
        environment: { ISTIO_META_NETWORK: "n1" },
        injectedAnnotations: { b: "2" },
      },
    );
    expect(pod.metadata?.labels).toEqual({ app: "web", "topology.istio.io/network": "n1" });
    expect(pod.metadata?.annotations).toEqual({ a: "1", b: "2", [STATUS]: expect.any(String) });
    expect(notes(pod)).toEqual(["labels/topology.istio.io/network", "annotations/a", "annotations/b"]);
  });

  it("adds nothing but the status to a pod that nothing else changed, the network's label included", () => {
    const { metadata, ...others } = recorded(AUTHOR, { environment: { ISTIO_META_NETWORK: "n1" } });
    expect(others).toEqual((({ metadata: _, ...rest }) => rest)(AUTHOR));
    expect(metadata).toEqual({ ...AUTHOR.metadata, annotations: { [STATUS]: expect.any(String) } });
  });

  it("does not note annotations that other steps restore, but which overrides it wrote", () => {
    const added = { "prometheus.istio.io/secure-port": "1", "proxy.istio.io/overrides": "{}", other: "x" };
    expect(notes(recorded(withAnnotations(added)))).toEqual([
      "annotations/other",
      "annotations/prometheus.istio.io/secure-port",
      overridesNote("{}"),
    ]);
  });

  it("notes that metrics are merged in place of the annotations for it", () => {
    expect(notes(recorded(withAnnotations({ ...MERGED, other: "x" })))).toEqual(["annotations/other", "prometheus"]);
  });

  it("notes the annotations where the author has merged metrics, or nobody has", () => {
    const own = withAnnotations({ "prometheus.io/port": "15020", "prometheus.io/path": "/stats/prometheus" });
    expect(notes(recorded(withAnnotations(MERGED), { author: own }))).toEqual(["annotations/prometheus.io/scrape"]);
    expect(notes(recorded(withAnnotations({ "prometheus.io/port": "80" })))).toEqual([
      "annotations/prometheus.io/port",
    ]);
  });

  it("notes an adopted proxy", () => {
    expect(notes(recorded(AUTHOR, { earlier: { isAdopted: true } }))).toEqual(["adopted"]);
  });

  it("notes the author's volumes of an injected name: those of the pod, or of the notes before", () => {
    const volumes = [{ name: "envoy" }, { name: "token" }, { name: "mine" }];
    const author = { spec: { containers: [], volumes } } as Pod;
    const overlay = {
      spec: { containers: [], volumes: [{ name: "envoy" }, { name: "token" }, { name: "new" }] },
    } as Pod;
    expect(notes(recorded(author, { author, overlay }))).toEqual(["kept/volumes/envoy", "kept/volumes/token"]);
    const earlier = { volumes: ["envoy", "token"], notes: ["kept/volumes/token"] };
    expect(notes(recorded(author, { author, overlay, earlier }))).toEqual(["kept/volumes/token"]);
  });

  it("notes the release and what the caller's settings came to, where the release has a name", () => {
    const of = (given: Given) => readStatus(recorded(AUTHOR, given))?.madeBy;
    const release = "1f2e3d4c5b6a";
    const parameters = { A: "1", B: "2" };
    expect(of({ request: { parameters } })).toBeUndefined();
    expect(of({ request: { release, parameters }, compatibility: "reference" })).toBeUndefined();
    const found = of({ request: { release, parameters } });
    expect(found).toEqual({ release, note: expect.stringMatching(/^release\/1f2e3d4c5b6a\/[0-9a-f]{1,8}$/) });
    expect(of({ request: { release, parameters: { B: "2", A: "1" }, cluster: {} } })).toEqual(found);
    for (const other of [
      { parameters: { A: "1", B: "3" } },
      { parameters, cluster: { network: "n" } },
      { parameters, cluster: { nativeSidecars: false } },
      { parameters, cluster: { revision: "1-30" } },
    ]) {
      expect(of({ request: { release, ...other } })?.note).not.toBe(found?.note);
    }
  });

  it("is for a pod without metadata too", () => {
    const pod = recorded({ spec: { containers: [] } }, { author: {}, injectedAnnotations: { b: "2" } });
    expect(notes(pod)).toEqual(["annotations/b"]);
  });
});

describe("injectionRecord.undo()", () => {
  const undo = (pod: Pod, earlier: Partial<EarlierInjection>) => record.undo?.(pod, { ...neverInjected, ...earlier });

  it("removes what the notes name", () => {
    const pod = withAnnotations({ a: "1", b: "2" });
    expect(undo(pod, { notes: ["annotations/a"] })?.metadata).toEqual({ name: "web", annotations: { b: "2" } });
  });

  it("returns the pod itself where nothing is noted", () => {
    const pod = withAnnotations({ a: "1" });
    expect(undo(pod, {})).toBe(pod);
  });
});
