// The npm package as a user has it: packed, installed in an empty folder without a network, and run there. Nothing of this checkout
// is in reach of what runs, but for osls, which a project installs itself.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offlineEnvironment } from "../support/serverless.ts";
import { goldenFile, normalisedTemplate } from "../support/template.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe("the installed package", () => {
  let place: string;
  let home: string;
  let files: readonly string[];

  beforeAll(async () => {
    place = realpathSync(mkdtempSync(join(tmpdir(), "outrigger-installed-")));
    home = join(place, "home");
    mkdirSync(home);
    const packed = await run("npm", ["pack", "--json", "--pack-destination", place], PROJECT);
    expect(packed.code, packed.err).toBe(0);
    const [{ filename, files: listed }] = JSON.parse(packed.out.slice(packed.out.indexOf("[")));
    files = listed.map(({ path }: { readonly path: string }) => path);
    const words = ["install", "--offline", "--no-audit", "--no-fund", `./${filename}`];
    const installed = await run("npm", words, place);
    expect(installed.code, installed.err).toBe(0);
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const outrigger = (line: string) => run(join(place, "node_modules/.bin/outrigger"), line.split(" "), place);

  it("has the licenses of what is bundled, the service and the templates, and no source or build report", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "NOTICE",
        "dist/outrigger.mjs",
        "dist/outrigger.THIRD-PARTY-LICENSES.txt",
        "dist/studio/THIRD-PARTY-LICENSES.txt",
        "dist/deploy/THIRD-PARTY-LICENSES.txt",
        "dist/deploy/serverless.yml",
        "dist/deploy/artifacts/inject.zip",
        "templates/templates/sidecar.hbs",
      ]),
    );
    expect(files.filter((file) => /\.ts$|metafile|\.test\.|^test\//.test(file))).toEqual([]);
    expect(readdirSync(join(place, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["outrigger"]);
  });

  it("makes a project, and injects its manifest", async () => {
    expect(await outrigger("init project --stage prod")).toMatchObject({ code: 0, err: "" });
    expect((await outrigger("inject -f project/deployment.yaml --dir project/my-templates")).out).toContain(
      "name: istio-proxy",
    );
    expect((await outrigger("deploy --help")).out).toContain("outrigger deploy --stage prod");
    const { devDependencies } = JSON.parse(readFileSync(join(place, "project/package.json"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(PROJECT, "node_modules/serverless/package.json"), "utf8"));
    expect(devDependencies.osls).toBe(version);
  });

  it("serves a webhook", async () => {
    const child = spawn(join(place, "node_modules/.bin/outrigger"), ["start", "--port", "0"], {
      cwd: place,
      env: offlineEnvironment(home),
    });
    let out = "";
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.stdout.on("data", (chunk) => {
      const isReady = !out.includes("Try it");
      out += chunk;
      // Once: a second signal ends the process at once.
      if (isReady && out.includes("Try it")) child.kill("SIGTERM");
    });
    expect(await ended).toBe(0);
    expect(out).toContain("Outrigger is ready on");
  });

  it("packages the same template and the same functions as a clone", async () => {
    mkdirSync(join(place, "deploying/node_modules"), { recursive: true });
    symlinkSync(join(PROJECT, "node_modules/serverless"), join(place, "deploying/node_modules/osls"));
    const words = ["deploy", "--stage", "dev", "--region", "eu-west-1", "--package", "out"];
    const { code, out, err } = await run(join(place, "node_modules/.bin/outrigger"), words, join(place, "deploying"));
    expect(code, out + err).toBe(0);
    const template = readFileSync(join(place, "deploying/out/cloudformation-template-update-stack.json"), "utf8");
    expect(normalisedTemplate(template)).toBe(readFileSync(goldenFile("http"), "utf8"));
  });

  function run(command: string, words: readonly string[], cwd: string): Promise<Ended> {
    // npm needs its own settings; what is installed gets nothing.
    const env = command === "npm" ? process.env : offlineEnvironment(home);
    return new Promise((resolve) => {
      execFile(command, [...words], { cwd, env, timeout: 100_000, maxBuffer: 64e6 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, out, err });
      });
    });
  }
});
