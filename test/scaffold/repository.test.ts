// What hosts and editors read of this repository: every file parses, and says what is true of the project.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { releaseNotes } from "../../scripts/release/changelog.ts";

const text = (file: string) => readFileSync(file, "utf8");
const json = (file: string) => JSON.parse(text(file));

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | number>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly strategy?: { readonly matrix: { readonly command: readonly string[] } };
  readonly steps: readonly Step[];
}

const workflow = (name: string) => load(text(`.github/workflows/${name}.yml`)) as Workflow;
const root = json("package.json");
const packageFiles = [...readdirSync("lib").map((name) => `lib/${name}`), "cli", "studio"].map(
  (folder) => `${folder}/package.json`,
);
const node = text(".nvmrc").trim();
const dependencies = ["package.json", ...packageFiles].flatMap((file) => {
  const { dependencies: forUse = {}, devDependencies: forTests = {} } = json(file);
  return [...Object.keys(forUse), ...Object.keys(forTests)];
});

describe("continuous integration", () => {
  it("calls .ci/run and nothing else", () => {
    const { jobs } = workflow("ci");
    expect(Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))).toEqual([".ci/run"]);
    const gitlab = load(text(".gitlab-ci.yml")) as Readonly<Record<string, { readonly script: unknown }>>;
    expect(Object.values(gitlab).map(({ script }) => script)).toEqual([[".ci/run"]]);
    expect(statSync(".ci/run").mode & 0o111).not.toBe(0);
  });

  it("runs what npm run ok runs, and what CONTRIBUTING.md names besides", () => {
    const named = (commands: string) => [
      ...new Set(
        [...commands.matchAll(/\bnpm (?:run (?:--silent )?)?(test\b(?!:)|(?<=run (?:--silent )?)[\w:]+)/g)].map(
          ([, name = ""]) => name,
        ),
      ),
    ];
    const withoutComments = text(".ci/run").replaceAll(/^\s*#.*$/gm, "");
    const [, sentence = ""] =
      /CI calls `\.ci\/run`, .* besides, ([\s\S]*?)\. Run those/.exec(text("CONTRIBUTING.md")) ?? [];
    const ok = named(root.scripts.ok);
    expect(ok.length).toBeGreaterThan(4);
    expect(named(withoutComments).toSorted()).toEqual([...ok, ...named(sentence)].toSorted());
  });

  it("runs each project of tests by one of the commands", () => {
    const projects = [...text("vitest.config.ts").matchAll(/\bname: "(\w+)"/g)].map(([, name]) => name);
    const commands: readonly string[] = Object.entries<string>(root.scripts)
      .filter(([name]) => /^test(?!:watch)/.test(name))
      .map(([, command]) => command);
    const run = commands.flatMap((command) => [...command.matchAll(/--project (\w+)/g)].map(([, name]) => name));
    expect(projects.length).toBeGreaterThan(6);
    expect(run.toSorted()).toEqual(projects.toSorted());
  });

  it.each(["ci", "deep", "release"])("pins each action of %s by its commit, and grants nothing by default", (name) => {
    const { jobs, permissions } = workflow(name);
    expect(permissions).toEqual({ contents: "read" });
    const used = text(`.github/workflows/${name}.yml`)
      .split("\n")
      .filter((line) => line.includes("uses:"));
    expect(used.length).toBeGreaterThan(0);
    for (const line of used) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const { steps } of Object.values(jobs))
      for (const { uses = "", with: options = {} } of steps)
        if (uses.startsWith("actions/setup-node")) expect(options["node-version-file"]).toBe(".nvmrc");
  });

  it("takes more than a sample every Saturday, as measuring-tools.md has it", () => {
    const { on, env = {} } = workflow("deep");
    expect(on).toHaveProperty("schedule");
    const [, ...rows] =
      text("docs/contributing/measuring-tools.md").match(/^\| (variable \| what it|`OUTRIGGER_).*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(10);
    const shown = rows.flatMap((row) => {
      const [, variables = "", , , deep = ""] = row.split("|");
      const values = deep.trim().split(", ");
      return [...variables.matchAll(/`(\w+)`/g)].map(([, name = ""], at) => [name, values[at]]);
    });
    const expected = Object.fromEntries(shown.filter(([, value]) => value !== "not run"));
    const seed = { OUTRIGGER_PROPERTY_SEED: "the number of the run" };
    expect({
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
      ...seed,
    }).toEqual(expected);
  });

  const deep = workflow("deep").jobs["tests"];
  it.each(deep?.strategy?.matrix.command ?? [])("has every Saturday's command: %s", (command) => {
    expect(deep?.steps.at(-1)?.run).toMatch(/^\$\{\{ matrix\.command \}\}$/);
    const [program, ...words] = command.split(" ");
    const projects = [...text("vitest.config.ts").matchAll(/\bname: "(\w+)"/g)].map(([, name]) => name);
    for (const [at, word] of words.entries()) {
      if (words[at - 1] === "--project") expect(projects).toContain(word);
      if (program === "npm" && words[at - 1] === "run") expect(Object.keys(root.scripts)).toContain(word);
      if (word.includes("/") && words[at - 1] !== "--exclude") expect(existsSync(word), word).toBe(true);
    }
    if (program !== "npm" && program !== "npx") expect(statSync(program ?? "").mode & 0o111).not.toBe(0);
    else if (program === "npx") expect(words.slice(0, 2)).toEqual(["vitest", "run"]);
    else expect(words[0]).toBe("run");
  });

  it("runs on the Node of the functions, in a dev container too", () => {
    const [, runtime] = /runtime: nodejs(\d+)\.x/.exec(text("serverless.yml")) ?? [];
    expect(node).toBe(runtime);
    expect(Number(node)).toBeGreaterThanOrEqual(Number(/\d+/.exec(root.engines.node)?.[0]));
    expect(text(".gitlab-ci.yml")).toContain(`image: docker.io/library/node:${node}-`);
    expect(json(".devcontainer/devcontainer.json").image).toContain(`javascript-node:${node}-`);
  });
});

describe("the release workflow", () => {
  const { jobs } = workflow("release");
  const commands = Object.values(jobs)
    .flatMap(({ steps }) => steps.map(({ run }) => run ?? ""))
    .join("\n");

  it("publishes nothing before .ci/run has passed", () => {
    expect(jobs["check"]?.steps.at(-1)?.run).toBe(".ci/run");
    const others = Object.entries(jobs).filter(([name]) => name !== "check");
    expect(others.length).toBeGreaterThan(2);
    for (const [name, { needs = "nothing" }] of others)
      for (const job of [needs].flat()) expect(["check", jobs[job]?.needs], `${name} after ${job}`).toContain("check");
  });

  it("attaches to the release's page the SBOM that its notes name", () => {
    const steps = jobs["page"]?.steps.map(({ run }) => run ?? "") ?? [];
    const made = steps.findIndex((run) => /npm run build && npm run sbom/.test(run));
    const page = steps.findIndex((run) => /gh release create .* dist\/sbom\.cdx\.json$/m.test(run));
    expect(made).toBeGreaterThan(-1);
    expect(page).toBeGreaterThan(made);
    expect(text("scripts/supply-chain/sbom.ts")).toContain("dist/sbom.cdx.json");
    expect(releaseNotes(text("CHANGELOG.md"), "0.2.0", undefined)).toContain("sbom.cdx.json");
  });

  it("calls scripts and names files that exist", () => {
    const scripts = [...commands.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
    expect(scripts).not.toEqual([]);
    expect(scripts.filter((name) => root.scripts[name] === undefined)).toEqual([]);
    for (const file of ["Containerfile", "infra/chart", "scripts/release.ts", "test/e2e/start-up.pod.yaml"]) {
      expect(commands).toContain(file);
      expect(existsSync(file)).toBe(true);
    }
  });
});

describe("issue forms", () => {
  const folder = ".github/ISSUE_TEMPLATE";

  it.each(readdirSync(folder).filter((file) => file !== "config.yml"))("%s asks for something", (file) => {
    const form = load(text(join(folder, file))) as {
      readonly name: string;
      readonly description: string;
      readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: object }[];
    };
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const asked = form.body.filter(({ type }) => type !== "markdown");
    expect(asked.length).toBeGreaterThan(1);
    for (const one of asked)
      expect(one).toMatchObject({ type: expect.stringMatching(/^(?:textarea|input)$/), id: expect.any(String) });
    expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
  });
});

describe("the pages of the repository", () => {
  it.each(["SECURITY.md", "CONTRIBUTING.md", ".github/pull_request_template.md"])("%s names what exists", (page) => {
    const scripts = [...text(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
    expect(scripts.filter((name) => root.scripts[name] === undefined)).toEqual([]);
    const links = [...text(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
  });
});

describe("what tools read", () => {
  it(".editorconfig says what Biome does", () => {
    const { formatter } = json("biome.json");
    const [, rules = ""] = /\[\*\]\n([\s\S]*?)\n\n/.exec(text(".editorconfig")) ?? [];
    expect(rules).toContain(`indent_style = ${formatter.indentStyle}`);
    expect(rules).toContain(`indent_size = ${formatter.indentWidth}`);
    expect(rules).toContain(`max_line_length = ${formatter.lineWidth}`);
  });

  it("docs/contributing/dependencies.md has a line for each dependency, and for nothing else", () => {
    const cells = [...text("docs/contributing/dependencies.md").matchAll(/^\| (\[.*?) \|/gm)].map(
      ([, cell = ""]) => cell,
    );
    const listed = cells
      .flatMap((cell) => [...cell.matchAll(/\[([^\]]+)\]/g)])
      .flatMap(([, names = ""]) => {
        const [first = "", ...others] = names.split(", ");
        // "client-eks, -lambda" is short for two clients.
        return [first, ...others.map((one) => (one.startsWith("-") ? first.replace(/-[^-]+$/, one) : one))];
      });
    const covers = (line: string, name: string) =>
      line.endsWith("*") ? name.startsWith(line.slice(0, -1)) : line === name;
    const used = [...new Set(dependencies)].filter((name) => !name.startsWith("@outrigger/"));
    expect(used.filter((name) => !listed.some((line) => covers(line, name)))).toEqual([]);
    expect(listed.filter((line) => !used.some((name) => covers(line, name)))).toEqual([]);
  });

  it("Renovate's rules name dependencies of the project", () => {
    const images = ["node", "docker.io/library/node"];
    const rules: readonly { readonly matchPackageNames: readonly string[] }[] =
      json(".github/renovate.json").packageRules;
    for (const name of rules.flatMap(({ matchPackageNames }) => matchPackageNames)) {
      const isUsed = (one: string) => (name.endsWith("/**") ? one.startsWith(name.slice(0, -2)) : one === name);
      expect([...dependencies, ...images].some(isUsed), name).toBe(true);
    }
  });

  it("the package has the pages that its pages link to", () => {
    for (const file of ["SECURITY.md", "CONTRIBUTING.md", "LICENSE"]) expect(root.files).toContain(file);
  });
});

describe("the npm scripts", () => {
  it("each have a row in docs/contributing/development.md", () => {
    const [table = ""] = text("docs/contributing/development.md").split(/^\| file \|/m);
    const rows = [...table.matchAll(/^\| (`npm .*?) \| .*$/gm)];
    const named = rows.flatMap(([, names = ""]) =>
      [...names.matchAll(/`(?:npm )?(?:run )?([\w:]+)/g)].map(([, name]) => name),
    );
    named.splice(named.indexOf("install"), 1, "dependencies");
    expect(named.toSorted()).toEqual(Object.keys(root.scripts).toSorted());
  });
});
