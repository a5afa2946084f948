// Uses the packed libraries as other projects do: installed into an empty folder, type-checked under strict with every
// declaration read, and run as plain JavaScript. Each README's example is one of the programs.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { projectRoot } from "../../../scripts/build/bundled-release.ts";
import { packStaged, stageLibraries } from "../../../scripts/libraries/stage-libraries.ts";

const run = promisify(execFile);

/** A program in which a pod gets its sidecar. It prints the names of the pod's containers. */
const INJECT = `import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import { shippedTree } from "@outrigger/shipped-tree";

const injector = loadRelease(compileRelease([shippedTree]));
const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "app", image: "app:1" }] } };
const result = injectPod(injector, { pod, namespace: "shop", parameters: {} });
if (!result.injected) throw new Error(result.message);
const { containers = [], initContainers = [] } = result.pod.spec ?? {};
console.log([...initContainers, ...containers].map(({ name }) => name).join(" "));
`;

interface Program {
  readonly name: string;
  readonly text: string;
}

/** Returns what was tried, one line each. Throws for what does not install, type-check or run. */
export async function tryLibraries(): Promise<readonly string[]> {
  // Not below the project: what a package forgot to declare would be found in the project's node_modules.
  const place = mkdtempSync(join(tmpdir(), "outrigger-libraries-"));
  try {
    const packages = await stageLibraries(join(place, "staged"));
    const tarballs = packStaged(packages, join(place, "packed")).map((file) => join(place, "packed", file));
    const reader = join(place, "reader");
    mkdirSync(reader);
    writeFileSync(join(reader, "package.json"), '{ "name": "reader", "private": true, "type": "module" }\n');
    const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
    await run("npm", [...words, ...tarballs], { cwd: reader });
    const inject = { name: "inject", text: INJECT };
    const examples = packages.map(({ folder }) => ({
      name: basename(folder),
      text: exampleOf(join(folder, "README.md")),
    }));
    const published = packages.filter(({ isPrivate }) => !isPrivate);
    const faces = published.map(({ name }, at) => `export * as face${at} from "${name}";`).join("\n");
    // Every declaration that a published face reaches needs the language alone.
    await typeCheck(reader, "pure", [inject, { name: "faces", text: faces }]);
    await typeCheck(reader, "node", examples);
    const programs = [inject, ...examples];
    return await Promise.all(programs.map((program) => runPlain(reader, program)));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The first TypeScript of a page. */
export function exampleOf(page: string): string {
  const [, text] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(page, "utf8")) ?? [];
  if (text === undefined) throw new Error(`${page} has no example`);
  return text;
}

async function typeCheck(reader: string, kind: "pure" | "node", programs: readonly Program[]): Promise<void> {
  const folder = join(reader, kind);
  mkdirSync(folder);
  for (const { name, text } of programs) writeFileSync(join(folder, `${name}.ts`), `${text}\nexport {};\n`);
  // A program prints: the pure ones know nothing else of the platform.
  writeFileSync(join(folder, "console.d.ts"), "declare const console: { log(...values: unknown[]): void };\n");
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: kind === "node" ? ["node"] : [],
    typeRoots: [join(projectRoot, "node_modules/@types")],
    // The declarations of AWS's SDK are checked by those who make them.
    skipLibCheck: kind === "node",
  };
  const include = kind === "node" ? programs.map(({ name }) => `${name}.ts`) : ["*.ts"];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  await run(join(projectRoot, "node_modules/.bin/tsc"), ["-p", folder]).catch((error: { stdout?: string }) => {
    throw new Error(`The packed libraries do not type-check:\n${error.stdout}`);
  });
}

async function runPlain(reader: string, { name, text }: Program): Promise<string> {
  const { code } = await transform(text, { loader: "ts", format: "esm", target: "node20.19" });
  const file = join(reader, `${name}.js`);
  writeFileSync(file, code);
  const { stdout } = await run(process.execPath, [file], { cwd: reader });
  if (name === "inject" && !stdout.includes("istio-proxy")) throw new Error(`No sidecar was injected: ${stdout}`);
  return `${name} runs from an empty folder${name === "inject" ? `: ${stdout.trim()}` : ""}`;
}
