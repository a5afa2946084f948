// Which tests are near a source file: those of its own subject (the folder below lib, functions and so on) that reach
// it, directly or through other files. Where there are none, those of other subjects that import it. Some subjects have tests
// elsewhere as well: the reference's cases, a laboratory. Read from the imports, so that no list grows old.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/** The files of the project that each file imports, types aside. All paths are relative to the root of the project. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export interface NearTests {
  /** Tests that import the file itself, or bear its name. */
  readonly direct: readonly string[];
  /** Tests that reach it through other files. */
  readonly indirect: readonly string[];
}

const isTest = (file: string): boolean => file.endsWith(".test.ts");

/** Tests that need a build, AWS or the whole corpus are not near anything. */
const FAR = ["test/e2e/", "test/golden/", "test/infra/", "scripts/"];

/** Tests that say what these subjects are for. They take long, so they are run where no other test notices. */
const ELSEWHERE: readonly { readonly tests: string; readonly of: readonly string[] }[] = [
  // It runs the examples of every helper.
  { tests: "lib/injector/render/describe-helpers.test.ts", of: ["lib/template"] },
  { tests: "test/golden/golden.test.ts", of: ["lib/injector", "lib/mesh", "lib/pod", "lib/template"] },
  { tests: "test/eks/", of: ["cli", "lib/cluster", "lib/rollouts", "lib/fake-aws"] },
  { tests: "cli/commands/clusters/", of: ["lib/cluster"] },
  { tests: "cli/connect/", of: ["lib/cluster"] },
  { tests: "cli/commands/templates/import", of: ["lib/import"] },
  { tests: "cli/server/", of: ["lib/fake-aws"] },
  { tests: "functions/", of: ["lib/serving"] },
  { tests: "functions/publish/", of: ["lib/publisher", "lib/guardrails"] },
  { tests: "test/store/", of: ["lib/aws", "lib/fake-aws"] },
  { tests: "test/infra/people-policies.test.ts", of: ["lib/aws"] },
  { tests: "test/botocore/", of: ["lib/aws"] },
];

export function nearTests(imports: Imports, file: string): NearTests {
  const known = [...imports.keys()].filter(isTest);
  const tests = known.filter((test) => !FAR.some((folder) => test.startsWith(folder)));
  const neighbours = new Set([file.replace(/\.ts$/, ".test.ts"), file.replace(/\.ts$/, ".prop.test.ts")]);
  const importing = tests.filter((test) => neighbours.has(test) || imports.get(test)?.includes(file));
  const near = tests.filter((test) => subjectOf(test) === subjectOf(file) && reaches(imports, test, file));
  const placesElsewhere = ELSEWHERE.filter(({ of }) => of.includes(subjectOf(file))).map(({ tests: place }) => place);
  const elsewhere = known.filter(
    (test) => placesElsewhere.some((place) => test.startsWith(place)) && reaches(imports, test, file),
  );
  const found = [near, importing, elsewhere].find(({ length }) => length > 0) ?? testsOfUsers(imports, file, tests);
  const all = [...new Set([...found, ...elsewhere])];
  const direct = all.filter(
    (test) => nameOf(test) === nameOf(file) || (found.includes(test) && importing.includes(test)),
  );
  return { direct, indirect: all.filter((test) => !direct.includes(test)) };
}

/** Tests of the subjects that import the file. */
function testsOfUsers(imports: Imports, file: string, tests: readonly string[]): readonly string[] {
  const users = [...imports].filter(([user, imported]) => !isTest(user) && imported.includes(file));
  const subjects = new Set(users.map(([user]) => subjectOf(user)));
  return tests.filter((test) => subjects.has(subjectOf(test)) && reaches(imports, test, file));
}

/** `test/eks/rings.test.ts` and `cli/releases/rings.ts` both have the name `rings`. */
function nameOf(file: string): string {
  return basename(file).replace(/(?:\.prop)?(?:\.test)?\.ts$/, "");
}

/** `lib/pod/validate/check.ts` is of the subject `lib/pod`; a file directly in `lib` has a subject of its own. */
function subjectOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  if (top === "cli") return top;
  return `${top}/${second.replace(/(?:\.prop)?(?:\.test)?\.ts$/, "")}`;
}

function reaches(imports: Imports, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const file of seen) {
    if (file === to) return true;
    for (const imported of imports.get(file) ?? []) seen.add(imported);
  }
  return false;
}

/** An import or export of names from another file; `*` is all of them. */
interface Request {
  readonly specifier: string;
  /** The name, or undefined for a file that is loaded for its effects. */
  readonly name?: string;
  /** The name that others import it by; absent where it is not passed on. */
  readonly passedOnAs?: string;
}

/**
 * Reads every TypeScript file below the folders. A name that comes through the face of a package is an import of the file
 * that declares it: a face leads to all files of its package, and every test would be near to them.
 */
export function readImports(root: string, folders: readonly string[]): Imports {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
      .map((name) => join(folder, name)),
  );
  const requests = new Map(files.map((file) => [file, requestsOf(root, file)]));
  /** The file that declares what a file shows under a name. */
  const declaringFile = (file: string, name: string | undefined): string => {
    const passed = requests.get(file)?.find(({ passedOnAs }) => passedOnAs !== undefined && passedOnAs === name);
    const from = passed && targetOf(file, passed.specifier);
    return from === undefined ? file : declaringFile(from, passed?.name);
  };
  const importsOf = (file: string, asked: readonly Request[]): readonly string[] =>
    asked.flatMap(({ specifier, name }) => {
      const target = targetOf(file, specifier);
      return target === undefined ? [] : [declaringFile(target, name)];
    });
  return new Map([...requests].map(([file, asked]) => [file, [...new Set(importsOf(file, asked))]]));
}

function requestsOf(root: string, file: string): readonly Request[] {
  const source = readFileSync(join(root, file), "utf8");
  const { module } = parseSync(file, source);
  const imported = module.staticImports.flatMap(({ moduleRequest: { value: specifier }, entries }) =>
    entries.length === 0
      ? [{ specifier }]
      : entries.filter(({ isType }) => !isType).map(({ importName }) => ({ specifier, name: importName.name ?? "*" })),
  );
  const passedOn = module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ isType, moduleRequest }) => !isType && moduleRequest !== null)
    .map(({ moduleRequest, importName, exportName }) => ({
      specifier: moduleRequest?.value ?? "",
      name: importName.name ?? "*",
      passedOnAs: exportName.name ?? "*",
    }));
  // Commands are loaded when they run.
  const loadedLater = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    specifier: source.slice(start + 1, end - 1),
  }));
  return [...imported, ...passedOn, ...loadedLater];
}

function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(file), specifier);
  const [, name] = /^@outrigger\/(\w[\w-]*)$/.exec(specifier) ?? [];
  if (name === undefined || name === "studio") return undefined;
  return name === "cli" ? "cli/index.ts" : `lib/${name}/index.ts`;
}
