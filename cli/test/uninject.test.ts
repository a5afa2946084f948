import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { main } from "../main.ts";

const DEPLOYMENT = `# The shop.
apiVersion: apps/v1
kind: Deployment
metadata:
    name: "web"   # the front
spec:
    selector: {matchLabels: {app: web}}
    template:
        metadata:
            labels:
                app: web
        spec:
            containers:
                # ours
                - image: 'web:1'
                  name: web
                  args: [ "-v",   "2" ]
                  ports:
                      - containerPort: 8080
                  readinessProbe:
                      httpGet: {path: /ready, port: 8080} # cheap
                  env:
                      - {name: MODE, value: "on"}
# the end
`;
const SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";

describe("outrigger inject and uninject", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-uninject-"));
    mkdirSync(join(cwd, "all/deep"), { recursive: true });
    writeFileSync(join(cwd, "all/b.yaml"), DEPLOYMENT);
    writeFileSync(join(cwd, "all/a.yml"), SERVICE.trimEnd());
    writeFileSync(join(cwd, "all/notes.txt"), "a: [");
    writeFileSync(
      join(cwd, "all/deep/c.json"),
      '{"kind":"Pod","metadata":{"name":"c"},"spec":{"containers":[{"name":"c"}]}}',
    );
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  async function run(argv: readonly string[], input: readonly string[] = []) {
    const io = fakeIo({ cwd, input });
    const code = await main(argv, io);
    return { code, out: io.out(), err: io.err() };
  }

  it.each([
    ["as it is", DEPLOYMENT],
    ["with CRLF", DEPLOYMENT.replaceAll("\n", "\r\n")],
    ["with a byte order mark", `\ufeff${DEPLOYMENT}`],
    ["without a line break at its end", DEPLOYMENT.trimEnd()],
    ["twice, after a document without a pod", `${SERVICE}---\n${DEPLOYMENT}---\n${DEPLOYMENT}`],
  ])("gives the manifest back byte for byte: %s", async (_, manifest) => {
    const injected = await run(["inject", "-f", "-"], [manifest]);
    expect(injected.out).toContain("name: istio-proxy");
    expect((await run(["uninject", "-f", "-"], [injected.out])).out).toBe(manifest);
  });

  it("adds lines to a manifest and changes those of probes only", async () => {
    const { out } = await run(["inject", "-f", "-"], [DEPLOYMENT]);
    const kept = new Set(out.split("\n"));
    expect(DEPLOYMENT.split("\n").filter((line) => !kept.has(line))).toEqual([
      "                      httpGet: {path: /ready, port: 8080} # cheap",
    ]);
  });

  it("leaves a pod as it is that was not injected, and says so", async () => {
    expect(await run(["uninject", "-f", "-"], [DEPLOYMENT])).toEqual({
      code: 0,
      out: DEPLOYMENT,
      err: 'standard input: Deployment "web" is not injected: left as it is\n',
    });
  });

  it("takes the labels of Istio's injector away, and fails where a probe asks the agent that is gone", async () => {
    const pod = (probe: string) =>
      `kind: Pod
metadata:
  name: web
  labels: {app: web, security.istio.io/tlsMode: istio, service.istio.io/canonical-name: web}
  annotations:
    istio.io/rev: default
    sidecar.istio.io/status: '{"containers":["istio-proxy"],"revision":"default"}'
spec:
  containers:
  - name: web
    image: web:1
    livenessProbe: {httpGet: {path: ${probe}, port: 15020}}
  - name: istio-proxy
    image: proxyv2
    env: [{name: PROXY_CONFIG, value: "{}"}]
`;
    const { code, out } = await run(["uninject", "-f", "-"], [pod("/ready")]);
    expect(code).toBe(0);
    expect(out).not.toMatch(/istio/);
    expect(out).toContain("app: web");
    const left = await run(["uninject", "-f", "-"], [pod("/app-health/web/livez")]);
    expect([left.code, left.out]).toEqual([1, ""]);
    expect(left.err).toContain(
      'standard input, document 1 (Pod "web"): something of the mesh is left that its record does not explain: spec.containers[web].livenessProbe asks',
    );
  });

  it("reads the manifests of a directory in order, and with -R those below it", async () => {
    const flat = await run(["inject", "-f", "all"]);
    expect(flat.out.startsWith(`${SERVICE}---\n# The shop.`)).toBe(true);
    expect(flat.err).toBe("all/a.yml: passed through, no pod in it: Service\n");
    const deep = await run(["inject", "-R", "-f", "all/"]);
    expect(deep.out.startsWith(flat.out)).toBe(true);
    expect(deep.out).toContain('---\n{"kind":"Pod"');
  });

  it("takes patterns and repeated files, and writes each file into a directory", async () => {
    const { code, out } = await run(["inject", "-f", "all/*.y*ml", "-f", "all/deep/c.json", "-o", "out/"]);
    expect([code, out]).toEqual([0, ""]);
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["a.yml", "b.yaml", "c.json"]);
    expect(readFileSync(join(cwd, "out/a.yml"), "utf8")).toBe(SERVICE.trimEnd());
    expect(() => JSON.parse(readFileSync(join(cwd, "out/c.json"), "utf8"))).not.toThrow();
    await run(["uninject", "-f", "out", "-o", "back/"]);
    expect(readFileSync(join(cwd, "back/b.yaml"), "utf8")).toBe(DEPLOYMENT);
  });

  it("splits names at commas as kubectl does, but not a file's own name", async () => {
    const { out } = await run(["inject", "-f", "all/a.yml,all/b.yaml"]);
    expect(out.startsWith(`${SERVICE}---\n# The shop.`)).toBe(true);
    writeFileSync(join(cwd, "a,b.yaml"), SERVICE);
    expect((await run(["inject", "-f", "a,b.yaml"])).out).toBe(SERVICE);
  });

  it("gives owner and namespace as the webhook does when -n names it", async () => {
    const { out } = await run(["inject", "-n", "shop", "-f", "all/b.yaml"]);
    expect(out).toContain("kubernetes://apis/apps/v1/namespaces/shop/deployments/web");
  });

  it.each([
    ["a pattern without files", ["-f", "all/*.toml"], 1, "Cannot find a file that matches all/*.toml"],
    [
      "a kustomization",
      ["-k", "overlays/prod"],
      2,
      "Cannot use --kustomize here: render it first: kubectl kustomize overlays/prod | outrigger inject -f -",
    ],
    [
      "a selector",
      ["-f", "all", "-l", "app=web"],
      2,
      "Cannot use --selector here: let kubectl select: outrigger inject -f FILE | kubectl apply -l app=web -f -",
    ],
    ["one of two files", ["-f", "all/b.yaml,all/gone.yaml"], 3, "Cannot read all/gone.yaml: there is no such file"],
    ["an empty directory", ["-f", "none"], 1, "Cannot find a .yaml, .yml or .json file in none; -R reads"],
    ["standard input twice", ["-f", "-", "-f", "-"], 2, "Cannot read standard input twice"],
    [
      "two files of one name",
      ["-f", "all/b.yaml", "-f", "other/b.yaml", "-o", "out/"],
      2,
      "Cannot write b.yaml twice to out/",
    ],
  ])("says what is wrong with %s", async (_, argv, code, message) => {
    mkdirSync(join(cwd, "none"));
    mkdirSync(join(cwd, "other"));
    writeFileSync(join(cwd, "other/b.yaml"), SERVICE);
    const result = await run(["inject", ...argv], ["a: 1"]);
    expect(result.err).toContain(message);
    expect([result.code, result.out]).toEqual([code, ""]);
  });
});
