import { describe, expect, it } from "vitest";
import { type Face, pastFaces } from "./import-past-faces.ts";

const FACE: Face = new Map([
  ["merge", { file: "/lib/pod/merge.ts", name: "merge" }],
  ["podSchema", { file: "/lib/pod/schema.ts", name: "schema" }],
]);
const past = (text: string) => pastFaces(text, () => FACE);

describe("pastFaces()", () => {
  it("imports each name from the file that has it, under the name that the module uses", () => {
    expect(past('import { merge, podSchema as shape, type Pod } from "@outrigger/pod";\nmerge(shape);\n')).toBe(
      'import { merge as merge } from "/lib/pod/merge.ts"; import { schema as shape } from "/lib/pod/schema.ts";\nmerge(shape);\n',
    );
  });

  it("leaves as many lines as there were", () => {
    const text = 'import {\n  merge,\n  podSchema,\n} from "@outrigger/pod";\nlast();\n';
    expect(past(text).split("\n")).toHaveLength(text.split("\n").length);
  });

  it("imports from the face what it declares itself", () => {
    expect(past('import { own } from "@outrigger/pod";')).toBe('import { own as own } from "@outrigger/pod";');
  });

  it.each(['import type { Pod } from "@outrigger/pod";', 'import { a } from "./a.ts";', 'import "@outrigger/pod";'])(
    "leaves %s as it is",
    (text) => {
      expect(past(text)).toBe(text);
    },
  );
});
