import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseYamlDocuments } from "@outrigger/yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
const SERVICE = "apiVersion: v1\nkind: Service   # as it was\n";

describe("outrigger inject", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-inject-"));
    writeFileSync(join(cwd, "web.yaml"), `${SERVICE}---\n${POD}`);
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  async function run(argv: readonly string[], input: readonly (string | Uint8Array)[] = []) {
    const io = fakeIo({ cwd, input });
    const code = await main(["inject", ...argv], io);
    return { code, out: io.out(), err: io.err() };
  }

  it("warns of what the pod's author should correct, as a review does", async () => {
    writeFileSync(join(cwd, "odd.yaml"), POD.replace("image: web}", "image: web, ports: [{containerPort: 15090}]}"));
    const { code, err } = await run(["-f", "odd.yaml"]);
    const warning = "container web: port 15090 is istio-proxy's: let the application listen on another";
    expect([code, err]).toEqual([0, `Warning: odd.yaml: ${warning}\n`]);
  });

  it("writes the injected manifest when it reads a file", async () => {
    const { code, out, err } = await run(["-f", "web.yaml"]);
    expect([code, err]).toEqual([0, "web.yaml: passed through, no pod in it: Service\n"]);
    expect(out.startsWith(`${SERVICE}---\n`)).toBe(true);
    expect(parseYamlDocuments(out, "out")[1]?.value).toMatchObject({
      metadata: { labels: { "security.istio.io/tlsMode": "istio" } },
      spec: { initContainers: [{ name: "istio-init" }, { name: "istio-proxy" }] },
    });
  });

  it("gives the same when it reads standard input in pieces", async () => {
    const bytes = readFileSync(join(cwd, "web.yaml"));
    const { out } = await run(["--filename", "-"], [bytes.subarray(0, 7), bytes.subarray(7).toString()]);
    expect(out).toBe((await run(["-f", "web.yaml"])).out);
  });

  it("writes a file instead when it is given one", async () => {
    const { code, out } = await run(["-f", "web.yaml", "-o", "out.yaml"]);
    expect([code, out]).toEqual([0, ""]);
    expect(readFileSync(join(cwd, "out.yaml"), "utf8")).toBe((await run(["-f", "web.yaml"])).out);
  });

  it("writes a directory where several files go to a name that is no file's", async () => {
    writeFileSync(join(cwd, "pod.yaml"), POD);
    expect((await run(["-f", "web.yaml,pod.yaml", "-o", "out"])).code).toBe(0);
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["pod.yaml", "web.yaml"]);
    expect((await run(["-f", "web.yaml,pod.yaml", "-o", "all.yaml"])).code).toBe(0);
    expect(readFileSync(join(cwd, "all.yaml"), "utf8")).toContain("---\n");
    expect((await run(["-f", "pod.yaml", "-o", "one"])).code).toBe(0);
    expect(readFileSync(join(cwd, "one"), "utf8")).toContain("istio-proxy");
  });

  it("says of several manifests all that cannot be injected, and writes nothing, or the others with --keep-going", async () => {
    mkdirSync(join(cwd, "m"));
    writeFileSync(join(cwd, "m/a.yaml"), "x: [\n");
    writeFileSync(join(cwd, "m/b.yaml"), POD);
    writeFileSync(join(cwd, "m/c.yaml"), POD.replace("metadata: {name: web}", "metadata: {name: web, labels: 5}"));
    const { code, out, err } = await run(["-R", "-f", "m", "-o", "out"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err.split("\n")).toEqual([
      expect.stringContaining("m/a.yaml"),
      expect.stringContaining("m/c.yaml"),
      "Cannot inject 2 of 3 manifests: nothing is written; --keep-going writes the others",
      "",
    ]);
    expect(existsSync(join(cwd, "out"))).toBe(false);
    const kept = await run(["-R", "-f", "m", "-o", "out", "--keep-going"]);
    expect([kept.code, readdirSync(join(cwd, "out"))]).toEqual([1, ["b.yaml"]]);
    expect(kept.err).toContain("Cannot inject 2 of 3 manifests: the others are written\n");
  });

  it("lays a source tree over the shipped one when it is given one", async () => {
    mkdirSync(join(cwd, "tree/values"), { recursive: true });
    writeFileSync(join(cwd, "tree/values/10-mine.yaml"), "global: {hub: registry.example/mine}\n");
    expect((await run(["-f", "web.yaml", "--dir", "tree"])).out).toContain("image: registry.example/mine/proxyv2");
  });

  it("injects another revision when it is given one", async () => {
    expect((await run(["-f", "web.yaml", "--revision", "canary"])).out).toContain("istio.io/rev: canary");
  });

  it("takes a namespace for documents without one when it is given one", async () => {
    const { err } = await run(["-f", "web.yaml", "-n", "kube-system"]);
    expect(err).toContain('===> Skipping injection because Pod "kube-system/web" has sidecar injection disabled: ');
  });

  it("warns on standard error, and exits 0, when a pod is left out", async () => {
    const { code, out, err } = await run(["-f", "-"], [POD.replace("spec: {", "spec: {hostNetwork: true, ")]);
    expect(code).toBe(0);
    expect(err).toContain('===> Skipping injection because Pod "web" has host networking enabled: ');
    expect(out).not.toContain("istio-proxy");
  });

  it.each<[string, readonly string[], string]>([
    ["there is no such file", ["-f", "gone.yaml"], "Cannot read gone.yaml: there is no such file or directory"],
    ["there is no such tree", ["-f", "web.yaml", "--dir", "gone"], "gone: there is no such directory"],
    [
      "it cannot be written",
      ["-f", "web.yaml", "-o", "gone/out.yaml"],
      "Cannot write gone/out.yaml: there is no such file or directory",
    ],
  ])("exits 3, writes nothing and says why when %s", async (_what, argv, message) => {
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain(message);
  });

  it.each<[string, readonly string[], string | Uint8Array, string]>([
    ["it is not UTF-8", ["-f", "-"], new Uint8Array([0xff]), "Cannot read standard input: it is not UTF-8 text"],
    ["it is not YAML", ["-f", "-"], "a: [\n", "Cannot read standard input as YAML: "],
    [
      "a field has the wrong type",
      ["-f", "-"],
      "kind: Pod\nspec: {containers: 1}\n",
      "Cannot inject standard input, document 1 (Pod): spec.containers must be a list",
    ],
    [
      "it is a Helm template",
      ["-f", "-"],
      "kind: Pod\nmetadata:\n  name: {{ .Values.name }}\n",
      "Cannot read standard input: it is a Helm template, not a manifest; render it first: helm template CHART | outrigger inject -f -",
    ],
    [
      "an annotation is wrong",
      ["-f", "-"],
      `${SERVICE}---\n${POD.replace("{name: web}", "{name: web, annotations: {traffic.sidecar.istio.io/includeInboundPorts: bad}}")}`,
      'Cannot inject standard input, document 2 (Pod "web"): ',
    ],
  ])("exits 1, writes nothing and says why when %s", async (_what, argv, input, message) => {
    const { code, out, err } = await run(argv, [input]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain("bug");
  });
});
