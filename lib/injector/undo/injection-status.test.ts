import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { formatStatus, readStatus } from "./injection-status.ts";

const key = "sidecar.istio.io/status";
const podWith = (text: string): Pod => ({ metadata: { annotations: { [key]: text } }, spec: { containers: [] } });
const overlay = { containers: [{ name: "istio-proxy" }], volumes: [{ name: "istio-data" }] };

describe("formatStatus()", () => {
  it("writes Istio's keys as Istio does, and notes as empty lists", () => {
    const status = JSON.parse(formatStatus(overlay, "", ["labels/a"]));
    expect(status).toMatchObject({
      initContainers: null,
      containers: ["istio-proxy"],
      volumes: ["istio-data"],
      imagePullSecrets: null,
      revision: "default",
      "labels/a": [],
    });
  });
});

describe("readStatus()", () => {
  it("believes what formatStatus() wrote", () => {
    const read = readStatus(podWith(formatStatus(overlay, "canary", ["labels/a", "prometheus"])));
    expect(read).toMatchObject({ trust: "whole", containers: ["istio-proxy"], notes: ["labels/a", "prometheus"] });
  });

  it("believes what is in running pods: the checksum is of the lists and notes, with a semicolon between two", () => {
    const text = formatStatus(overlay, "", ["labels/a"]);
    expect(text).toContain('"checksum/e92f2546":[]');
    expect(readStatus(podWith(text))).toMatchObject({ trust: "whole" });
  });

  it("believes only the lists of an injector without a checksum", () => {
    expect(readStatus(podWith('{"containers":["istio-proxy"],"volumes":null,"other":[]}'))).toMatchObject({
      trust: "listed",
      containers: ["istio-proxy"],
      notes: [],
    });
  });

  it.each([
    ["is not JSON", "{"],
    ["is no object", "[]"],
    ["has a list of another type", '{"containers":"a"}'],
    ["has names of another type", '{"containers":[1]}'],
    ["was altered", formatStatus(overlay, "", []).replace("istio-proxy", "app")],
    ["has a note too many", formatStatus(overlay, "", []).replace("{", '{"labels/app":[],')],
  ])("calls a status damaged that %s", (_, text) => {
    expect(readStatus(podWith(text))).toMatchObject({ trust: "damaged", containers: [], notes: [] });
  });

  it("is undefined where nothing was injected", () => {
    expect(readStatus({ spec: { containers: [] } })).toBeUndefined();
  });
});
