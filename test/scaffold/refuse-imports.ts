// What an import may not do: reach past a face, use what package.json does not declare, or close a circle.
import {
  type Import,
  isTest,
  type Package,
  PURE,
  packageName,
  packageOf,
  ROOT_PARTS,
  rootPart,
  type Sources,
  targetOf,
} from "./packages.ts";

/** A line that says what is refused, or nothing. */
export function refusal(packages: readonly Package[], file: string, { specifier }: Import): readonly string[] {
  const own = packageOf(packages, file);
  const refuse = (reason: string) => [`${file} may not import ${specifier}: ${reason}`];
  if (specifier.startsWith(".")) {
    const target = targetOf(file, specifier);
    const theirs = packageOf(packages, target);
    if (own === theirs) return own === undefined && !mayReach(file, target) ? refuse("see ROOT_PARTS") : [];
    // What only tests share is no part of any package.
    if (own !== undefined && isTest(file) && /^(test|tools)\//.test(target)) return [];
    return refuse(theirs === undefined ? "it is outside the package" : `import ${theirs.name}, which has a face`);
  }
  const name = packageName(specifier);
  if (packages.some((other) => other.name === name) && specifier !== name)
    return refuse(`only ${name} itself is a face`);
  if (own === undefined) return [];
  if (specifier.startsWith("node:") || specifier.startsWith("outrigger:")) {
    return PURE.includes(own.folder.slice("lib/".length)) && !isTest(file) ? refuse("the package is pure") : [];
  }
  const declared = isTest(file) ? [...own.dependencies, ...own.devDependencies, ...TEST_TOOLS] : own.dependencies;
  return declared.some((one) => one === name || one === `@types/${name}`)
    ? []
    : refuse(`${own.folder}/package.json does not declare it`);
}

/** Every package's tests use these: the root declares them. */
const TEST_TOOLS = ["vitest", "fast-check"];

function mayReach(file: string, target: string): boolean {
  const [from, to] = [rootPart(file), rootPart(target)];
  if (from === undefined || to === undefined) return false;
  if (isTest(file)) return true;
  return from === to || (ROOT_PARTS[from] ?? []).includes(to);
}

/** Dependencies that no file of the package uses, and those that only its tests use. */
export function unusedDependencies(
  { folder, dependencies, devDependencies }: Package,
  sources: Sources,
): readonly string[] {
  const used = (tests: boolean) =>
    new Set(
      [...sources]
        .filter(([file]) => file.startsWith(`${folder}/`) && isTest(file) === tests)
        .flatMap(([, imports]) => imports.map(({ specifier }) => packageName(specifier))),
    );
  const [byProduct, byTests] = [used(false), used(true)];
  const uses = (names: ReadonlySet<string>, name: string) =>
    names.has(name) || names.has(name.replace(/^@types\//, ""));
  return [
    ...dependencies.filter((name) => !uses(byProduct, name)),
    ...devDependencies.filter((name) => !uses(byTests, name) || dependencies.includes(name)),
  ].map((name) => `${folder}/package.json declares ${name}, which nothing there uses`);
}

/** Every circle of a graph, as a path that ends where it begins. */
export function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[] = [];
  const visit = (node: string): void => {
    const at = path.indexOf(node);
    if (at >= 0) found.push([...path.slice(at), node].join(" → "));
    if (at >= 0 || done.has(node)) return;
    path.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return found;
}

/** Returns the files that each file imports, types included. */
export function fileGraph(sources: Sources, packages: readonly Package[]): ReadonlyMap<string, readonly string[]> {
  const faceOf = new Map(packages.map(({ name, faces }) => [name, faces]));
  return new Map(
    [...sources].map(([file, imports]) => [
      file,
      imports.flatMap(({ specifier }) =>
        specifier.startsWith(".") ? [targetOf(file, specifier)] : (faceOf.get(specifier) ?? []),
      ),
    ]),
  );
}

/** Returns the packages that each package depends on. Those of its tests are left out. */
export function packageGraph(packages: readonly Package[]): ReadonlyMap<string, readonly string[]> {
  const names = new Set(packages.map(({ name }) => name));
  return new Map(packages.map(({ name, dependencies }) => [name, dependencies.filter((one) => names.has(one))]));
}
