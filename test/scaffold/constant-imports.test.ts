import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { withConstantImports } from "../support/constant-imports-plugin.ts";

const changed = (code: string) => withConstantImports(code, parseAst(code).body as never);

describe("withConstantImports()", () => {
  it("makes constants of names that are imported, on the first line", () => {
    expect(changed('import {\n  a,\n  b as c,\n} from "./x.ts";\nimport d from "@outrigger/y";\na(c, d);\n')).toBe(
      'import * as __constant_0 from "./x.ts";const a = __constant_0.a;const c = __constant_0.b;' +
        'import * as __constant_1 from "@outrigger/y";const d = __constant_1.default;\n\n\n\n\na(c, d);\n',
    );
  });

  it("makes a constant of a name that is passed on", () => {
    expect(changed('export { a as b } from "./x.ts";\n')).toBe(
      'import * as __constant_0 from "./x.ts";const __constant_0_0 = __constant_0.a;export { __constant_0_0 as b };\n',
    );
  });

  it("leaves Node's modules, packages, whole modules and what imports no name", () => {
    const code =
      'import zlib, { gunzipSync } from "node:zlib";\nimport { it } from "vitest";\nimport * as x from "./x.ts";\nimport "./y.ts";\nexport * from "./z.ts";\nexport { it };\n';
    expect(changed(code)).toBe(code);
  });
});

describe("constantImports()", () => {
  it("is in force here", () => {
    expect(String(() => withConstantImports("", []))).toBe('() => withConstantImports("", [])');
  });
});
