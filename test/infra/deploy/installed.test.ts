// The npm package as a user has it: packed, installed in an empty folder without a network, and run there. Nothing of this checkout
// is in reach of what runs, but for osls, which a project installs itself. It is packed in a copy of the checkout in which another version
// was built before. OUTRIGGER_PACKAGES=all packs it in a second copy as well, in which nothing was ever built.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CloudFormationClient, CreateStackCommand } from "@aws-sdk/client-cloudformation";
import { LambdaClient, ListFunctionsCommand } from "@aws-sdk/client-lambda";
import { objectOf } from "@outrigger/base";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { turnOf } from "../../support/in-turn.ts";
import { findMoto, type MotoServer, startMoto } from "../../support/moto-server.ts";
import { type Ended, runProgram } from "../../support/run-program.ts";
import { findCdk } from "../support/cdk.ts";
import { copiesFolder, copyCheckout } from "../support/checkout-copy.ts";
import { bareEnvironment, offlineEnvironment } from "../support/serverless.ts";
import { goldenTemplate, normalisedTemplate, type TemplateResource } from "../support/template.ts";

const moto = findMoto();
const cdk = findCdk();
const isAll = process.env["OUTRIGGER_PACKAGES"] === "all";
/** What another version has left in dist/. */
const STALE = ["studio/stale.js", "deploy/artifacts/stale.zip", "cli/stale.mjs", "outrigger.mjs"];
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

// The other packages are those of the libraries.
describe.runIf(turnOf("Installed packages", 2).has(0))("the installed package", () => {
  let place: string;
  let home: string;
  let copies: string;
  let tarball: string;
  let files: readonly string[];
  let server: MotoServer | undefined;

  beforeAll(async () => {
    place = realpathSync(mkdtempSync(join(tmpdir(), "outrigger-installed-")));
    home = join(place, "home");
    mkdirSync(home);
    mkdirSync(copiesFolder, { recursive: true });
    copies = mkdtempSync(join(copiesFolder, "pack-"));
    ({ tarball, files } = await packedIn("used", STALE));
    const words = ["install", "--offline", "--no-audit", "--no-fund", tarball];
    const installed = await run("npm", words, place, offlineEnvironment(home));
    expect(installed, "npm has nothing to warn of").toMatchObject({ code: 0, err: "" });
    if (moto.lacking === undefined) server = await startMoto(moto.python, "test/infra/support/moto-with-aliases.py");
  });
  afterAll(async () => {
    await server?.stop();
    for (const folder of [place, copies]) rmSync(folder, { recursive: true, force: true });
  });

  /** The package of a copy of the checkout with these files, empty, in its dist/. */
  async function packedIn(name: string, stale: readonly string[]) {
    const copy = join(copies, name);
    const destination = join(place, name);
    mkdirSync(destination);
    copyCheckout(copy);
    for (const file of stale) {
      mkdirSync(dirname(join(copy, "dist", file)), { recursive: true });
      writeFileSync(join(copy, "dist", file), "");
    }
    const packed = await run("npm", ["pack", "--json", "--pack-destination", destination], copy);
    expect(packed.code, packed.err).toBe(0);
    const [{ filename, files: listed }] = JSON.parse(packed.out.slice(packed.out.indexOf("[")));
    const paths: readonly string[] = listed.map(({ path }: { readonly path: string }) => path);
    return { tarball: join(destination, filename), files: paths };
  }

  it("has nothing of what was built before, and the functions that a build in another copy gives", () => {
    expect(files.filter((file) => file.includes("stale"))).toEqual([]);
    const dist = join(place, "node_modules/@outrigger/outrigger/dist");
    expect(statSync(join(dist, "outrigger.mjs")).size).toBeGreaterThan(0);
    for (const name of ["canary", "inject", "publish", "register"]) {
      const zip = readFileSync(join(dist, "deploy/artifacts", `${name}.zip`));
      expect(zip.equals(readFileSync(join(inject("artifacts"), `${name}.zip`))), name).toBe(true);
    }
  });

  it.runIf(isAll)("has the same bytes, whatever was built before", async () => {
    const fresh = await packedIn("fresh", []);
    expect(readFileSync(tarball).equals(readFileSync(fresh.tarball))).toBe(true);
  });

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
    expect(readdirSync(join(place, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@outrigger"]);
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

  it("is installed in the project by what init wrote, from the same tarball, and runs the project's README", async () => {
    const project = join(place, "project");
    const file = join(project, "package.json");
    const { devDependencies, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    expect(devDependencies["@outrigger/outrigger"]).toBe(`file:../used/${basename(tarball)}`);
    const page = readFileSync(join(project, "README.md"), "utf8");
    expect(page).not.toContain("PATH/");
    const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
    const lines = block.trim().split("\n");
    expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "npm install",
      "npx outrigger",
      "npx outrigger",
      "npx outrigger",
      "npx outrigger",
    ]);
    // osls comes from a registry: there is no network here.
    const { osls: _registry, ...local } = devDependencies;
    writeFileSync(file, JSON.stringify({ ...rest, devDependencies: local }));
    for (const line of lines.slice(0, -1)) {
      const [command = "", ...words] = line.split(" ");
      const ended = await run(command, words, project, offlineEnvironment(home));
      expect(ended, ended.err).toMatchObject({ code: 0 });
    }
  });

  it("runs as the container image has it: unpacked, and started through a link", async () => {
    const image = join(place, "image");
    mkdirSync(image);
    const unpacked = await run("tar", ["-xzf", tarball, "-C", image, "--strip-components=1"], place);
    expect(unpacked.code, unpacked.err).toBe(0);
    symlinkSync(join(image, "dist/outrigger.mjs"), join(place, "outrigger"));
    const words = ["inject", "-f", join(PROJECT, "test/e2e/start-up.pod.yaml")];
    expect((await run(join(place, "outrigger"), words, place)).out).toContain("name: istio-proxy");
  });

  it("has the chart, of its own version", () => {
    const chart = readFileSync(join(place, "node_modules/@outrigger/outrigger/infra/chart/Chart.yaml"), "utf8");
    const { version } = JSON.parse(readFileSync(join(place, "node_modules/@outrigger/outrigger/package.json"), "utf8"));
    expect(load(chart)).toMatchObject({ version, appVersion: version });
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

  /** `outrigger package`, in a project that has osls. */
  async function packaged(line: string, env: NodeJS.ProcessEnv) {
    mkdirSync(join(place, "deploying/node_modules"), { recursive: true });
    const osls = join(place, "deploying/node_modules/osls");
    if (!existsSync(osls)) symlinkSync(join(PROJECT, "node_modules/serverless"), osls);
    const words = ["package", "--stage", "dev", "--region", "us-east-1", ...line.split(" ")];
    return run(join(place, "node_modules/.bin/outrigger"), words, join(place, "deploying"), env);
  }

  it("packages the resources of a deploy from a clone, with the code in a bucket of one's own, offline", async () => {
    const { code, out, err } = await packaged("--output out", offlineEnvironment(home));
    expect(code, out + err).toBe(0);
    const text = readFileSync(join(place, "deploying/out/template.json"), "utf8");
    const made = normalisedTemplate(text);
    const deployed = goldenTemplate("http");
    expect(made.Resources).toEqual(Object.fromEntries(own(deployed.Resources).map(([id, one]) => [id, ownCode(one)])));
    expect(made.Outputs).toEqual(Object.fromEntries(own(deployed.Outputs)));
    // Its one condition is whether the bucket is one per Region, which a parameter says.
    expect(Object.keys(made).sort()).toEqual([...Object.keys(deployed), "Conditions", "Parameters"].sort());
    expect(text).not.toContain("ServerlessDeployment");
  });

  it.skipIf(cdk.lacking !== undefined)(
    `is included by the CDK as the docs have it (${cdk.lacking ?? "aws-cdk-lib"})`,
    async () => {
      const project = join(place, "cdk");
      cpSync(join(place, "deploying/out"), join(project, "outrigger-package"), { recursive: true });
      symlinkSync(cdk.modules, join(project, "node_modules"));
      const page = readFileSync(join(PROJECT, "docs/deploy-otherwise.md"), "utf8");
      const [, program = ""] = /^```ts text\n([\s\S]*?)^```$/m.exec(page) ?? [];
      writeFileSync(join(project, "app.mjs"), program);
      const env = { ...offlineEnvironment(home), CDK_OUTDIR: "cdk.out" };
      const { code, err } = await run(process.execPath, ["app.mjs"], project, env);
      expect(code, err).toBe(0);
      const json = (file: string) => JSON.parse(readFileSync(join(project, file), "utf8"));
      const [made, given] = [json("cdk.out/outrigger-dev.template.json"), json("outrigger-package/template.json")];
      expect(made.Resources).toEqual(given.Resources);
      expect(made.Parameters).toMatchObject(given.Parameters);
      expect(Object.keys(made.Outputs)).toEqual(expect.arrayContaining(Object.keys(given.Outputs)));
      const { tags } = json("cdk.out/manifest.json").artifacts["outrigger-dev"].properties;
      expect(tags).toEqual({ service: "outrigger", stage: "dev" });
    },
  );

  /** The entries without those of the framework's own bucket. */
  function own<Entry>(entries: Readonly<Record<string, Entry>>): readonly (readonly [string, Entry])[] {
    return Object.entries(entries).filter(([id]) => !id.startsWith("ServerlessDeploymentBucket"));
  }

  function ownCode(resource: TemplateResource): TemplateResource {
    if (resource.Type !== "AWS::Lambda::Function") return resource;
    const { S3Key } = objectOf(resource.Properties?.["Code"]);
    const name = basename(String(S3Key), ".zip");
    const zip = readFileSync(join(place, `node_modules/@outrigger/outrigger/dist/deploy/artifacts/${name}.zip`));
    const key = `outrigger/${name}-${createHash("sha256").update(zip).digest("hex")}.zip`;
    const perRegion = { "Fn::Join": ["-", [{ Ref: "ArtifactBucket" }, { Ref: "AWS::Region" }]] };
    const S3Bucket = { "Fn::If": ["HasArtifactBucketPerRegion", perRegion, { Ref: "ArtifactBucket" }] };
    const Code = { S3Bucket, S3Key: key };
    return { ...resource, Properties: { ...resource.Properties, Code } };
  }

  describe.skipIf(moto.lacking !== undefined)(`with an account (${moto.lacking ?? "moto"})`, () => {
    const env = () => ({
      ...bareEnvironment(home),
      AWS_ACCESS_KEY_ID: "testing",
      AWS_SECRET_ACCESS_KEY: "testing",
      AWS_ENDPOINT_URL: server?.url,
    });

    it("uploads the code, and CloudFormation makes the stack from the address that is printed", async () => {
      await fetch(`${server?.url}/artifacts-us-east-1`, { method: "PUT" });
      const { code, out, err } = await packaged("--bucket artifacts-us-east-1", env());
      expect(code, out + err).toBe(0);
      const [TemplateURL = ""] = /https:\/\/artifacts-us-east-1\S+/.exec(out) ?? [];
      const options = {
        endpoint: server?.url ?? "",
        region: "us-east-1",
        credentials: { accessKeyId: "a", secretAccessKey: "b" },
      };
      const StackName = "outrigger-dev";
      const Capabilities = ["CAPABILITY_NAMED_IAM" as const];
      // As a StackSet gives it to each Region.
      const Parameters = [
        { ParameterKey: "ArtifactBucket", ParameterValue: "artifacts" },
        { ParameterKey: "BucketPerRegion", ParameterValue: "true" },
      ];
      const input = { StackName, TemplateURL, Capabilities, Parameters };
      await new CloudFormationClient(options).send(new CreateStackCommand(input));
      const { Functions = [] } = await new LambdaClient(options).send(new ListFunctionsCommand({}));
      const zip = readFileSync(join(place, "node_modules/@outrigger/outrigger/dist/deploy/artifacts/inject.zip"));
      expect(Functions.find(({ FunctionName }) => FunctionName === "outrigger-dev-inject")?.CodeSha256).toBe(
        createHash("sha256").update(zip).digest("base64"),
      );
    });

    // What comes after the deploy, to a canary at 5 % and back, is test/e2e/without-mesh.test.ts.
    it("deploys the project of a team without a mesh, and prints and writes no word of Istio's", async () => {
      const made = await outrigger(
        "init sidecars --without-istio --injection-label sidecars.example.com/inject --stage prod",
      );
      expect(made.code, made.out + made.err).toBe(0);
      const project = join(place, "sidecars");
      mkdirSync(join(project, "node_modules"));
      symlinkSync(join(PROJECT, "node_modules/serverless"), join(project, "node_modules/osls"));
      const words = ["deploy", "--stage", "prod", "--region", "us-east-1", "--yes"];
      const { code, out, err } = await run(join(place, "node_modules/.bin/outrigger"), words, project, env());
      expect(code, out + err).toBe(0);
      expect(out + err).toContain("Region us-east-1, stage prod");
      expect((made.out + out + err).match(/^.*istio.*$/gim)).toBeNull();
      const credentials = { accessKeyId: "a", secretAccessKey: "b" };
      const lambda = new LambdaClient({ endpoint: server?.url ?? "", region: "us-east-1", credentials });
      const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
      const meshOf = (name: string) =>
        Functions.find(({ FunctionName }) => FunctionName === `outrigger-prod-${name}`)?.Environment?.Variables?.[
          "OUTRIGGER_MESH"
        ];
      // The publish function's first release adds nothing, and the canary is not surprised.
      expect(["publish", "canary"].map(meshOf)).toEqual(["none", "none"]);
    });

    it("refuses what a deploy refuses: here, to leave an API that clusters call", async () => {
      const { code, out, err } = await packaged("--bucket artifacts-us-east-1 --param api=rest", env());
      expect([code, out + err]).toEqual([3, expect.stringContaining("alsoApi")]);
    });
  });

  /** npm needs its own settings; what is installed gets nothing. */
  function run(
    command: string,
    words: readonly string[],
    cwd: string,
    env = command === "npm" ? process.env : offlineEnvironment(home),
  ): Promise<Ended> {
    // Less than a test has, so that it says which command did not end: packing takes minutes where others want the processors.
    return runProgram(command, words, { cwd, env, timeout: 280_000 });
  }
});
