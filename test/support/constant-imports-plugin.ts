// What a module of the project imports from another one is a constant in tests, as it is in the bundles. Vitest calls a getter at each use
// instead, one more for each face that passes a name on, and V8 compiles no call behind a getter into its caller: injecting took more than
// twice as long. Sound, because imports make no circle and no module changes what it has exported.

/** Names of the project's modules. Those of Node and of installed packages are left as they are: a test may change them. */
const OWN = /^(\.|\/|@outrigger\/|outrigger:)/;

/** A statement with a source, as far as it is needed of what Rollup's parser returns. */
interface Statement {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly source?: { readonly value: unknown } | null;
  readonly specifiers?: readonly Specifier[];
}

interface Specifier {
  readonly type: string;
  readonly imported?: Name;
  readonly local: Name;
  readonly exported?: Name;
}

interface Name {
  readonly name?: string;
}

export function constantImports() {
  return {
    name: "constant-imports",
    transform(this: { readonly parse: (code: string) => { readonly body: unknown } }, code: string, id: string) {
      if (!/\.tsx?$/.test(id) || id.includes("/node_modules/")) return null;
      return { code: withConstantImports(code, this.parse(code).body as readonly Statement[]), map: null };
    },
  };
}

/** Returns the code with constants in front of it, on its first line: every line keeps its number. */
export function withConstantImports(code: string, statements: readonly Statement[]): string {
  let [rest, front] = [code, ""];
  for (const [index, statement] of [...statements.entries()].reverse()) {
    const from = `__constant_${index}`;
    const lines = linesOf(statement, from);
    if (lines === undefined) continue;
    const { start, end, source } = statement;
    front = `import * as ${from} from ${JSON.stringify(source?.value)};${lines}${front}`;
    rest = rest.slice(0, start) + rest.slice(start, end).replaceAll(/[^\n]+/g, "") + rest.slice(end);
  }
  return front + rest;
}

/** The constants of a statement that imports names or passes them on; undefined for any other. */
function linesOf({ type, source, specifiers = [] }: Statement, from: string): string | undefined {
  if (typeof source?.value !== "string" || !OWN.test(source.value) || specifiers.length === 0) return undefined;
  if (type === "ImportDeclaration") {
    const pairs = specifiers.map((one) => {
      const imported = one.type === "ImportDefaultSpecifier" ? "default" : one.imported?.name;
      return imported && one.local.name && `const ${one.local.name} = ${from}.${imported};`;
    });
    return pairs.includes(undefined) ? undefined : pairs.join("");
  }
  if (type !== "ExportNamedDeclaration") return undefined;
  const pairs = specifiers.map(
    ({ local, exported }, index) =>
      local.name &&
      exported?.name &&
      `const ${from}_${index} = ${from}.${local.name};export { ${from}_${index} as ${exported.name} };`,
  );
  return pairs.includes(undefined) ? undefined : pairs.join("");
}
