import type { FieldPath, JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { Rendering } from "./blame-field.ts";
import { writerOf } from "./writer-of.ts";

const pod: Pod = {
  spec: {
    priorityClassName: "high",
    containers: [
      { name: "app", image: "app" },
      { name: "agent", image: "agent", ports: [{ containerPort: 90 }] },
    ],
  },
};

/** The name of the rendering that wrote a field, and the steps to it in that one. */
function writer(steps: FieldPath, ...overlays: readonly JsonObject[]) {
  const renderings = overlays.map((overlay, at) => ({ name: `overlay ${at}`, overlay }) as unknown as Rendering);
  const [from, found] = writerOf({ steps }, pod, renderings);
  return [from === undefined ? undefined : renderings.indexOf(from), found];
}

describe("writerOf() a field of a pod", () => {
  const agent = (container: JsonObject) => ({ spec: { containers: [{ name: "agent", ...container }] } });
  const image = ["spec", "containers", 1, "image"];

  it("is the rendering that reaches deepest, with the place that its item has there", () => {
    const overlays = [agent({ image: "agent" }), agent({ ports: [] })];
    expect(writer(image, ...overlays)).toEqual([0, ["spec", "containers", 0, "image"]]);
    expect(writer(image, ...overlays.toReversed())).toEqual([1, ["spec", "containers", 0, "image"]]);
  });

  it("is the last of those that reach as deep", () => {
    expect(writer(image, agent({ image: "one" }), agent({ image: "agent" }))[0]).toBe(1);
  });

  it("is the rendering that has the item, where none has the field", () => {
    expect(writer(image, agent({ ports: [] }))).toEqual([0, ["spec", "containers", 0]]);
  });

  it("is none that only has the list, or the spec", () => {
    const nobody = [undefined, undefined];
    expect(writer(image, { spec: { containers: [{ name: "other" }] } })).toEqual(nobody);
    expect(writer(image, { spec: {} }, {})).toEqual(nobody);
    expect(writer(["spec", "priorityClassName"], { spec: {} })).toEqual(nobody);
  });

  it("is found where no item is on the way", () => {
    const steps = ["spec", "priorityClassName"];
    expect(writer(steps, { spec: { priorityClassName: "high" } })).toEqual([0, steps]);
    expect(writer(["spec"], { spec: {} })).toEqual([0, ["spec"]]);
  });
});
