import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeIo, fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";
import { curlLine } from "../../server/request-line.ts";

const REVIEW = /-d '(.*?)' \|/.exec(curlLine("x"))?.[1] as string;

// Compiles the shipped tree several times, which takes seconds on a busy machine.
describe("outrigger start", { timeout: 180_000 }, () => {
  let cwd: string;
  let io: FakeIo;
  let exit: Promise<number>;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-start-"));
    mkdirSync(join(cwd, "tree/values"), { recursive: true });
    mkdirSync(join(cwd, "tree/partials"));
    io = fakeIo({ cwd, env: { XDG_STATE_HOME: cwd } });
  });
  afterEach(async () => {
    io.stop();
    await exit;
    rmSync(cwd, { recursive: true, force: true });
  });

  async function start(...argv: readonly string[]): Promise<string> {
    exit = main(["start", "--port", "0", "--dir", "tree", ...argv], io);
    await seen("Outrigger is ready on");
    return /ready on (\S+)/.exec(io.out())?.[1] as string;
  }

  const seen = (text: string) => vi.waitFor(() => expect(io.out() + io.err()).toContain(text), { timeout: 60_000 });
  const put = (path: string, text: string) => writeFileSync(join(cwd, "tree", path), text);

  async function patchText(url: string): Promise<string> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: REVIEW,
    });
    const { patch } = ((await response.json()) as { response: { patch: string } }).response;
    return Buffer.from(patch, "base64").toString();
  }

  it("injects the sidecar, logs a line, and stops on request", async () => {
    const url = await start("--http");
    expect(url).toMatch(/^http:\/\/localhost:\d+\/inject$/);
    expect(io.out()).toContain(curlLine(url));
    expect(await patchText(url)).toContain('"istio-proxy"');
    expect(io.out()).toMatch(/^\d\d:\d\d:\d\d {2}default\/hello +injected +sidecar +\d+\.\d ms$/m);
    io.stop();
    expect(await exit).toBe(0);
    expect(io.out()).toMatch(/Stopped\n$/);
    await expect(fetch(url)).rejects.toThrow();
  });

  it("serves HTTPS when nothing else is said", async () => {
    expect(await start()).toMatch(/^https:\/\/localhost:\d+\/inject$/);
  });

  it("picks up an edit, keeps the last good release through a bad one, and continues when it is fixed", async () => {
    put("values/10-mine.yaml", "global: {hub: registry.example/one}\n");
    const url = await start("--http");
    expect(await patchText(url)).toContain("registry.example/one/");

    put("values/10-mine.yaml", "global: {hub: registry.example/two}\n");
    await seen("Serving release ");
    expect(await patchText(url)).toContain("registry.example/two/");

    put("partials/proxy-image.hbs", "{{#if values}}\n{{nonsense 1}}");
    await seen("Still serving release ");
    expect(io.out()).toMatch(/proxy-image.*\d/);
    expect(await patchText(url)).toContain("registry.example/two/");

    rmSync(join(cwd, "tree/partials/proxy-image.hbs"));
    put("values/10-mine.yaml", "global: {hub: registry.example/three}\n");
    await vi.waitFor(async () => expect(await patchText(url)).toContain("registry.example/three/"), {
      timeout: 60_000,
    });
  });

  it("says what looks wrong in a tree and does not keep it from serving", async () => {
    put("partials/proxy-image.hbs", "image: registry.example/{{values.global.hubb}}proxyv2\n");
    await start("--http");
    expect(io.out()).toMatch(/^Warning: In partial "proxy-image", "values.global.hubb" .* did you mean "hub" .line 1/m);

    put("partials/proxy-image.hbs", "image: {{values.global.hub}}/proxyv2\n");
    await seen("Serving release ");
    put("mesh.yaml", "defaultConfg: {}\n");
    await seen("Warning: MeshConfig has no field defaultConfg");
  });

  it("names template, line, column and the fix when a template renders what no Pod has, and continues serving", async () => {
    put("values/10-mine.yaml", "global: {hub: registry.example/one}\n");
    mkdirSync(join(cwd, "tree/templates"));
    const url = await start("--http");
    put("templates/mine.hbs", "spec:\n  containers:\n  - name: a\n    imagePulPolicy: Always\n");
    await seen("Still serving release ");
    expect(io.out()).toMatch(/template "mine".*did you mean "imagePullPolicy" \(line 4, column 5\)/);
    expect(await patchText(url)).toContain("registry.example/one/");
  });

  it("refuses what --demo would not use", async () => {
    exit = main(["start", "--demo", "--dir", "tree"], io);
    expect(await exit).toBe(2);
    expect(io.err()).toContain("leave --dir, --fake and --kubeconfig out");
  });

  it.each([
    ["--clusters shop", "Cannot use --clusters without --fake: they are clusters of the fake AWS"],
    ["--fake --http --clusters shop", "Cannot use --clusters with --http: API servers call HTTPS only"],
    ["--fake --kubeconfig k --clusters shop", "Cannot use --clusters with --kubeconfig: it names the cluster"],
    ["--fake --clusters shop,pay@2222", "an account of 12 digits"],
    ["--fake --clusters shop,,pay", "an account of 12 digits"],
    ["--fake --clusters shop,pay,shop@222233334444", "Each cluster needs a name of its own"],
  ])("refuses %s", async (line, message) => {
    exit = main(["start", ...line.split(" ")], io);
    expect([await exit, io.err()]).toEqual([2, expect.stringContaining(message)]);
  });

  it("refuses to write events that nobody sends", async () => {
    exit = main(["start", "--events", "events.jsonl"], io);
    expect(await exit).toBe(2);
    expect(io.err()).toContain("Cannot use --events without --fake");
  });

  it("exits 1 and says where when there is nothing good to begin with", async () => {
    put("values/10-mine.yaml", "global: {hub: [}\n");
    exit = main(["start", "--port", "0", "--http", "--dir", "tree"], io);
    expect(await exit).toBe(1);
    expect(io.err()).toMatch(/values\/10-mine.*line 1/);
  });
});
