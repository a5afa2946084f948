import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../../test/cli/fake-aws.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";

interface Call {
  readonly command: string;
  readonly words: readonly string[];
  readonly files: readonly string[];
  readonly folder: string;
}

describe("outrigger deploy and undeploy", () => {
  let cwd: string;
  let calls: Call[];
  let code: number;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-deploying-"));
    calls = [];
    code = 0;
    put("service/serverless.yml", "service: outrigger\n");
    put("service/osls-version", "4.3.1\n");
    put("outrigger.prod.yml", "reserved: 300\n");
    put("other.yml", "");
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  function put(file: string, text: string): void {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }

  async function run(line: string, env: Readonly<Record<string, string>> = {}) {
    const io = fakeIo({
      cwd,
      env,
      service: join(cwd, "service"),
      connect: fakeAws().connect,
      run: async (command, words, options) => {
        calls.push({ command, words, files: readdirSync(options.cwd).sort(), folder: options.cwd });
        return code;
      },
    });
    return { code: await main(line.split(" "), io), out: io.out(), err: io.err() };
  }

  it("runs osls in a copy of the packaged service, with the settings of the current directory", async () => {
    expect(await run("deploy --stage prod --region eu-west-1 --profile me --param ttl=20")).toMatchObject({ code: 0 });
    expect(calls).toEqual([
      {
        command: "npx",
        words: "--yes osls@4.3.1 deploy --stage prod --region eu-west-1 --aws-profile me --param ttl=20".split(" "),
        files: ["osls-version", "outrigger.prod.yml", "serverless.yml"],
        folder: expect.any(String),
      },
    ]);
    expect(existsSync(calls[0]?.folder as string)).toBe(false);
  });

  it("takes the osls of the project, whatever it is called there, and refuses another major version", async () => {
    put("node_modules/serverless/package.json", '{"name":"osls","version":"4.9.9"}');
    await run("undeploy --stage dev");
    expect(calls[0]).toMatchObject({
      command: process.execPath,
      words: [join(cwd, "node_modules/serverless/bin/serverless.js"), "remove", "--stage", "dev"],
    });
    put("node_modules/serverless/package.json", '{"name":"osls","version":"5.0.0"}');
    expect(await run("deploy")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "Cannot deploy with osls 5.0.0: this version of Outrigger is tested with 4.3.1; npm install --save-dev osls@4.3.1\n",
      ),
    });
    put("node_modules/serverless/package.json", '{"name":"serverless","version":"4.0.0"}');
    await run("deploy");
    expect(calls[1]?.command).toBe("npx");
  });

  it("takes the stage of the environment", async () => {
    await run("deploy", { OUTRIGGER_STAGE: "test" });
    expect(calls[0]?.words.slice(2)).toEqual(["deploy", "--stage", "test"]);
  });

  it("fails as osls does, and leaves nothing behind", async () => {
    code = 7;
    expect(await run("deploy")).toMatchObject({
      code: 3,
      err: expect.stringContaining("osls deploy ended with 7: see its output above\n"),
    });
    expect(existsSync(calls[0]?.folder as string)).toBe(false);
  });

  it("takes --deployment, as every other command does, and says so where nothing can be run", async () => {
    await run("undeploy --deployment prod");
    expect(calls[0]?.words.slice(2)).toEqual(["remove", "--stage", "prod"]);
    expect((await run("deploy --deployment a --stage b")).code).toBe(2);
    const missing = Object.assign(new Error("spawn npx ENOENT"), { code: "ENOENT" });
    const io = fakeIo({
      cwd,
      service: join(cwd, "service"),
      connect: fakeAws().connect,
      run: () => Promise.reject(missing),
    });
    expect(await main(["deploy"], io)).toBe(3);
    expect(io.err()).toContain("Cannot run npx: there is no such file or directory; install osls in this project: ");
  });

  it.each([
    ["deploy --stage 1x", "A stage has up to 32 letters"],
    ["deploy --region x", "A Region is written as eu-west-1 is."],
  ])("refuses %s", async (line, message) => {
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(calls).toEqual([]);
  });

  it("says what to do in a copy that was not packaged for deploying", async () => {
    rmSync(join(cwd, "service"), { recursive: true });
    expect(await run("deploy")).toMatchObject({ code: 3, err: expect.stringContaining("install the npm package") });
  });

  it("builds what is checked out first, in a clone, and stops where the build fails", async () => {
    const clone = join(cwd, "clone");
    put("clone/scripts/build.ts", "");
    put("clone/dist/deploy/serverless.yml", "");
    put("clone/dist/deploy/osls-version", "4.3.1\n");
    const io = () =>
      fakeIo({
        cwd,
        service: join(clone, "dist/deploy"),
        connect: fakeAws().connect,
        run: async (command, words, options) => {
          calls.push({ command, words, files: [], folder: options.cwd });
          return code;
        },
      });
    expect(await main(["deploy"], io())).toBe(0);
    expect(calls.map(({ words }) => words.join(" "))).toEqual([
      "--import tsx scripts/build.ts deploy --quiet",
      "--yes osls@4.3.1 deploy --stage dev",
    ]);
    expect(calls[0]).toMatchObject({ command: process.execPath, folder: clone });
    code = 1;
    const failed = io();
    expect(await main(["deploy"], failed)).toBe(3);
    expect(failed.err()).toContain("Cannot build what is deployed");
    expect(calls).toHaveLength(3);
  });
});
