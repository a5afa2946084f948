// Where tokens are compared: constant time is a property of code, which no answer shows. What handles requests compares a
// token or its digest in one function only.
import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

/** The folders whose code sees a caller's token. */
const FOLDERS = ["lib/serving/admission", "lib/serving/services", "lib/serving/snapshot", "functions/inject"];
const SECRET = /^(token|tokens|tokenDigest|sha256|sha256s|secret)$/;
const EQUALITY = new Set(["===", "!==", "==", "!=", "<", ">", "<=", ">="]);
/** Methods that compare what they are given, and leave early where it differs. */
const COMPARING =
  /^(includes|indexOf|lastIndexOf|has|get|equals|compare|localeCompare|startsWith|endsWith|match|search)$/;

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function nodesIn(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(nodesIn);
  return isNode(value) ? [value, ...inside] : inside;
}

/** The last name of an expression: `token` of `call.token`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type === "MemberExpression") return nameOf(node["property"]);
  if (node.type === "ChainExpression" || node.type === "TSNonNullExpression") return nameOf(node["expression"]);
  return "";
}

const isUndefined = (node: unknown) => nameOf(node) === "undefined";

/** Comparisons with a token in a source text, as `operator or method`. */
function comparisonsIn(text: string): readonly string[] {
  return nodesIn(parseSync("file.ts", text).program).flatMap((node) => {
    if (node.type === "BinaryExpression" && EQUALITY.has(String(node["operator"]))) {
      const sides = [node["left"], node["right"]];
      const isCompared = sides.some((side) => SECRET.test(nameOf(side))) && !sides.some(isUndefined);
      return isCompared ? [String(node["operator"])] : [];
    }
    if (node.type === "CallExpression") {
      const callee = node["callee"] as Node;
      const method = nameOf(callee);
      if (method === "timingSafeEqual") return [method];
      const given = [callee["object"], ...(node["arguments"] as readonly unknown[])];
      return COMPARING.test(method) && given.some((one) => SECRET.test(nameOf(one))) ? [method] : [];
    }
    return node.type === "SwitchStatement" && SECRET.test(nameOf(node["discriminant"])) ? ["switch"] : [];
  });
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.includes(".test.") && !name.includes(".prop."))
    .map((name) => `${folder}/${name}`),
);

describe("comparisons of tokens", () => {
  it("are in lib/serving/services/token.ts and nowhere else", () => {
    expect(files.length).toBeGreaterThan(15);
    const found = files.flatMap((file) => comparisonsIn(readFileSync(file, "utf8")).map((what) => `${file}: ${what}`));
    expect(found).toEqual([]);
    const users = files.filter((file) => /timingSafeEqual/.test(readFileSync(file, "utf8")));
    expect(users).toEqual(["lib/serving/services/token.ts"]);
  });

  it.each([
    ["if (caller.token === shown) found = caller;", "==="],
    ["return record.tokens.some(({ sha256 }) => digest == sha256);", "=="],
    ["return known.has(call.token);", "has"],
    ["return tokens.includes(shown);", "includes"],
    ["return callers.find((one) => one.tokenDigest.equals(digest));", "equals"],
    ["switch (token) { case known: break; }", "switch"],
  ])("are found in %s", (text, what) => {
    expect(comparisonsIn(text)).toEqual([what]);
  });

  it.each(["if (call.token !== undefined) read();", "PATTERN.test(call.token)", "tokens.map(({ sha256 }) => sha256)"])(
    "are not found in %s",
    (text) => expect(comparisonsIn(text)).toEqual([]),
  );
});
