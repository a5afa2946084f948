import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Io, RunProgram } from "../terminal/io.ts";
import { runOsls } from "./run-osls.ts";

describe("runOsls()", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "outrigger-osls-"));
    put("pack/dist/service/serverless.yml", "service: outrigger\n");
    put("pack/dist/service/osls-version", "3.50.0\n");
    put("pack/dist/service/lib/a.js", "");
    mkdirSync(join(home, "project/sub"), { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  const install = (place: string, name: string, version: string) =>
    put(`${place}/package.json`, JSON.stringify({ name, version }));

  /** What ran, and what was in its folder. */
  interface Ran {
    readonly command: string;
    readonly words: readonly string[];
    readonly cwd: string;
    readonly files: readonly string[];
    readonly env: Io["env"];
  }
  async function run(code = 0, more: Partial<Io> = {}) {
    const ran: Ran[] = [];
    const program: RunProgram = async (command, words, { cwd, env }) => {
      ran.push({ command, words, cwd, files: readdirSync(cwd).sort(), env });
      return code;
    };
    const io = fakeIo({
      cwd: join(home, "project/sub"),
      service: join(home, "pack/dist/service"),
      env: { A: "b" },
      run: program,
    });
    await runOsls(["deploy", "--stage", "live"], { ...io, ...more });
    return ran;
  }

  it("runs osls in a copy of the service with the settings of the directory, and removes it", async () => {
    put("project/sub/outrigger.live.yml", "email: a\n");
    put("project/sub/outrigger.dev.yaml", "");
    put("project/sub/other.yml", "");
    put("project/sub/outrigger.yml", "");
    const [ran, ...more] = await run();
    expect(more).toEqual([]);
    expect(ran?.files).toEqual(["lib", "osls-version", "outrigger.dev.yaml", "outrigger.live.yml", "serverless.yml"]);
    expect(ran?.env).toEqual({ A: "b" });
    expect(existsSync(ran?.cwd ?? "")).toBe(false);
    expect(readdirSync(join(home, "pack/dist/service"))).not.toContain("outrigger.live.yml");
  });

  it("gives the terminal away before it runs", async () => {
    const order: string[] = [];
    const io = { yieldTerminal: () => void order.push("yielded"), run: async () => order.push("ran") && 0 };
    await run(0, io);
    expect(order).toEqual(["yielded", "ran"]);
  });

  it("takes the version that it is tested with by npx where the project has none", async () => {
    install("project/node_modules/osls", "other", "3.50.0");
    const [ran] = await run();
    expect([ran?.command, ...(ran?.words ?? [])]).toEqual(["npx", "--yes", "osls@3.50.0", "deploy", "--stage", "live"]);
  });

  it.each([["project/sub/node_modules/osls"], ["project/node_modules/osls"], ["project/node_modules/serverless"]])(
    "takes the project's own in %s",
    async (place) => {
      install(place, "osls", "3.1.0");
      const [ran] = await run();
      expect([ran?.command, ...(ran?.words ?? [])]).toEqual([
        process.execPath,
        join(home, place, "bin/serverless.js"),
        "deploy",
        "--stage",
        "live",
      ]);
    },
  );

  it("takes the nearest of several", async () => {
    install("project/node_modules/osls", "osls", "4.0.0");
    install("project/sub/node_modules/osls", "osls", "3.1.0");
    expect((await run())[0]?.words[0]).toContain("project/sub/");
  });

  it("refuses another major version, with the way out", async () => {
    install("project/node_modules/osls", "osls", "4.0.0");
    await expect(run()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^Cannot deploy with osls 4\.0\.0: .*npm install --save-dev osls@3\.50\.0$/),
    });
  });

  it("fails with the code of osls, and removes the copy all the same", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("outrigger-deploy-"));
    await expect(run(3)).rejects.toMatchObject({
      code: "aws-unavailable",
      message: "osls deploy ended with 3: see its output above",
    });
    const after = readdirSync(tmpdir()).filter((name) => name.startsWith("outrigger-deploy-"));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  it("says how to get osls where it cannot be started", async () => {
    const failing = () => Promise.reject(Object.assign(new Error("spawn"), { code: "ENOENT" }));
    await expect(run(0, { run: failing })).rejects.toMatchObject({
      code: "aws-unavailable",
      message:
        "Cannot run npx: there is no such file or directory; install osls in this project: npm install --save-dev osls@3.50.0",
    });
  });

  it("says that the copy was not packaged for deploying, and runs nothing", async () => {
    rmSync(join(home, "pack/dist/service/serverless.yml"));
    const ran: string[] = [];
    await expect(run(0, { run: async (command) => ran.push(command) && 0 })).rejects.toMatchObject({
      code: "aws-unavailable",
      message: expect.stringMatching(/^Cannot deploy: this copy of Outrigger was not packaged/),
    });
    expect(ran).toEqual([]);
  });

  it("builds in a clone first, and deploys nothing where that fails", async () => {
    put("pack/scripts/build.ts", "");
    const [build, osls] = await run();
    expect([build?.cwd, build?.words.slice(2)]).toEqual([
      join(home, "pack"),
      ["scripts/build.ts", "deploy", "--quiet"],
    ]);
    expect(osls?.command).toBe("npx");
    await expect(run(1)).rejects.toThrow(
      `Cannot build what is deployed in ${join(home, "pack")}: see the output above`,
    );
  });

  it("runs a program with the directory and the environment that it is given, and takes its code", async () => {
    const script =
      "require('fs').writeFileSync(process.env.OUT, process.cwd()); process.exit(Number(process.env.CODE))";
    put("project/node_modules/osls/bin/serverless.js", script);
    install("project/node_modules/osls", "osls", "3.1.0");
    const out = join(home, "out");
    const { run: _, ...io } = fakeIo({
      cwd: join(home, "project"),
      service: join(home, "pack/dist/service"),
      env: { OUT: out, CODE: "0" },
    });
    await runOsls(["deploy"], io);
    expect(readFileSync(out, "utf8")).toContain("outrigger-deploy-");
    const failing = { ...io, env: { OUT: out, CODE: "7" } };
    await expect(runOsls(["deploy"], failing)).rejects.toThrow("osls deploy ended with 7");
  });
});
