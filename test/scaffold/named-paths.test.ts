// Every file that pages, comments and data name exists: a reference to a file that has gone proves nothing.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";

/** A path from the root of the project, with a file's extension. */
const PATH =
  /(?<![\w./@<-])(?:test|lib|docs|tools|scripts|functions|infra|cli|studio)\/[\w./-]*[\w-]\.(?:tsx?|cjs|md|json|ya?ml|go|svg|py)(?![\w*-])/g;
/** Files whose paths are not of this checkout: measured cases, inputs that failed once, what earlier versions had, and this test's examples. */
const EXEMPT =
  /^(?:test\/(?:golden\/|reference\/|infra\/golden\/|scaffold\/named-paths\.test\.ts)|tools\/fuzz\/known-failures\.json|CHANGELOG\.md|package-lock\.json)/;
const READ = /\.(?:tsx?|cjs|md|json|ya?ml|go|hbs|py)$|^\.ci\/|^Containerfile$/;

describe("pages, comments and data", () => {
  it("name files that exist", () => {
    const files = projectFiles().filter((file) => READ.test(file) && !EXEMPT.test(file));
    expect(files.length).toBeGreaterThan(1000);
    const missing = files.flatMap((file) =>
      pathsIn(file, readFileSync(file, "utf8"))
        .filter((path) => !isThere(file, path))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("pathsIn()", () => {
  it("leaves out what a recipe makes", () => {
    expect(pathsIn("a.md", "```ts new lib/x/a.ts\n```\nWrite lib/x/a.ts and lib/x/b.ts")).toEqual(["lib/x/b.ts"]);
  });

  it("reads the comments of code, and all of pages and data", () => {
    expect(pathsIn("a.ts", 'const a = "lib/x/a.ts"; // see lib/x/b.ts\n/** As `docs/c.md`. */')).toEqual([
      "lib/x/b.ts",
      "docs/c.md",
    ]);
    expect(pathsIn("a.yaml", "source: test/x/a.test.ts # infra/b.yml")).toEqual(["test/x/a.test.ts", "infra/b.yml"]);
  });

  it("leaves other addresses alone", () => {
    expect(pathsIn("a.md", "https://host.example/o/r/blob/main/lib/x/a.go, pkg/test/a.go, lib/x/*.ts")).toEqual([]);
  });
});

function pathsIn(file: string, text: string): readonly string[] {
  const read = /\.(?:tsx?|cjs)$/.test(file) ? (text.match(/(?<!:)\/\/.*|\/\*[\s\S]*?\*\//g) ?? []).join("\n") : text;
  // A recipe names the files that its reader makes.
  const made = [...text.matchAll(/^ *```\w+ new (\S+)$/gm)].map(([, path]) => path);
  return [...new Set(read.match(PATH))].filter((path) => !made.includes(path));
}

/** Links of a page may start at its folder. */
function isThere(file: string, path: string): boolean {
  return existsSync(path) || existsSync(join(dirname(file), path));
}

function projectFiles(): readonly string[] {
  try {
    const words = ["ls-files", "--cached", "--others", "--exclude-standard"];
    const listed = execFileSync("git", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return listed.split("\n").filter((file) => file !== "" && existsSync(file));
  } catch {
    // A copy without git.
    const folders = ["cli", "docs", "functions", "infra", "lib", "scripts", "studio", "templates", "test", "tools"];
    return folders
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)))
      .filter((path) => !path.includes("node_modules") && /\.\w+$/.test(path));
  }
}
