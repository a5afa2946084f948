import { describe, expect, it } from "vitest";
import { POD_DEFINITIONS } from "../generated/pod-schema.ts";
import { POD_TYPE, readSchema, type TypeSchema } from "./schema.ts";

describe("readSchema()", () => {
  it("knows merge keys and strategies when it reads the Pod", () => {
    const spec = POD_TYPE.fields.get("spec")?.type as TypeSchema;
    expect(spec.fields.get("containers")).toMatchObject({ isMerged: true, mergeKey: "name", retainsKeys: false });
    expect(spec.fields.get("volumes")).toMatchObject({ isMerged: true, mergeKey: "name", retainsKeys: true });
    expect(spec.fields.get("hostAliases")).toMatchObject({ mergeKey: "ip" });
    expect(spec.fields.get("tolerations")).toMatchObject({ isMerged: false, mergeKey: undefined });
    const metadata = POD_TYPE.fields.get("metadata")?.type as TypeSchema;
    expect(metadata.fields.get("finalizers")).toMatchObject({ isMerged: true, mergeKey: undefined });
    expect(metadata.fields.get("labels")?.type).toMatchObject({ kind: "map", element: { kind: "string" } });
    const container = spec.fields.get("containers")?.type.element as TypeSchema;
    expect(container.required).toEqual(["name"]);
    expect(container.fields.get("ports")).toMatchObject({ mergeKey: "containerPort" });
  });

  it("finds a definition for every type when the whole table is read", () => {
    const seen = new Set<TypeSchema>();
    const visit = (type: TypeSchema): void => {
      if (seen.has(type)) return;
      seen.add(type);
      if (type.element !== undefined) visit(type.element);
      if (type.kind === "object") expect([...type.fields.keys()].every((name) => /^\w+$/.test(name))).toBe(true);
      for (const field of type.fields.values()) visit(field.type);
    };
    visit(readSchema(POD_DEFINITIONS, "Pod"));
    expect([...seen].filter(({ kind }) => kind === "object").length).toBe(Object.keys(POD_DEFINITIONS).length);
  });
});
