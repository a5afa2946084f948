import { MAX_OBJECT } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

describe("outrigger lint", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    cli.write("tree/values/10-mine.yaml", "global: {hub: registry.example/mine}\n");
  });
  afterEach(() => cli.remove("."));

  it("gives the release's name when there is nothing to say", async () => {
    const { code, out, err } = await cli.run("lint tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^No errors: it compiles to release [0-9a-f]{12}\nRelease: \d+ characters, \d+ free\nSource: 1 parameter; the largest, values\/10-mine.yaml, takes 37 of 4096 bytes \(8192 with --advanced\)\n$/,
    );
  });

  it("says what is used and free as JSON", async () => {
    const { size } = JSON.parse((await cli.run("lint tree --json")).out);
    expect(size.release + size.free).toBe(MAX_OBJECT);
    expect(size.source).toEqual({ parameters: 1, largest: { path: "values/10-mine", bytes: 37 } });
  });

  it("warns of what a sample's author should correct, as inject does", async () => {
    const annotations = "{proxy.istio.io/config: 'tracin: {}', sidecar.istio.io/proxyImagee: a}";
    const spec = "spec: {containers: [{name: web, image: web}]}";
    cli.write("tree/samples/odd.yaml", `kind: Pod\nmetadata: {name: web, annotations: ${annotations}}\n${spec}\n`);
    const off = 'labels: {sidecar.istio.io/inject: "false", istio-injection: enabled}';
    cli.write("tree/samples/off.yaml", `kind: Pod\nmetadata: {name: web, ${off}}\n${spec}\n`);
    const { code, out } = await cli.run("lint tree");
    expect([code, out.split("\nNo errors")[0]?.split("\n")]).toEqual([
      0,
      [
        'samples/odd.yaml: warning: proxy.istio.io/config: tracin is not known, did you mean "tracing"',
        "samples/odd.yaml: warning: metadata.annotations['sidecar.istio.io/proxyImagee'] is not read by any template or step: did you mean sidecar.istio.io/proxyImage?",
        'samples/off.yaml: warning: label istio-injection is for namespaces: on the pod, write sidecar.istio.io/inject: "true"',
      ],
    ]);
    cli.write("tree/templates/agent.hbs", "spec:\n  containers:\n  - {name: agent, image: auto}\n");
    cli.write("tree/config.yaml", "defaultTemplates: [sidecar, agent]\n");
    expect((await cli.run("lint tree")).out).toMatch(
      /^warning: container agent: no template gives it an image: write one instead of "auto", as samples\/\S+ shows$/m,
    );
  });

  it("names file, line and column of everything, and exits 1, when there are errors", async () => {
    cli.write("tree/values/20-bad.yaml", "a: [\n");
    cli.write("tree/partials/proxy-image.hbs", "image: {{nonsense 1}}\n{{> gone}}\n");
    cli.write("tree/mesh.yaml", 'a: {b: "{c}}"}\n');
    const { code, out, err } = await cli.run("lint tree");
    expect(code).toBe(1);
    const places = out
      .trimEnd()
      .split("\n")
      .map((line) => /^[^ ]+ \w+/.exec(line)?.[0]);
    expect(places).toEqual([
      "mesh.yaml:1:1: warning",
      "mesh.yaml:1:11: error",
      "partials/proxy-image.hbs:1:8: error",
      "partials/proxy-image.hbs:2:1: error",
      "values/20-bad.yaml:1:4: error",
    ]);
    expect(err).toBe("Cannot pass: the tree has 4 errors; fix the errors above\n");
    const { findings } = JSON.parse((await cli.run("lint tree --json")).out);
    expect(findings).toHaveLength(5);
    expect([...new Set(findings.map(({ file }: { readonly file: string }) => file))]).toEqual([
      "tree/mesh.yaml",
      "tree/partials/proxy-image.hbs",
      "tree/values/20-bad.yaml",
    ]);
  });

  it("exits 0 with warnings, and 1 when it is strict", async () => {
    cli.write("tree/templates/x.hbs", "metadata:\n  labels:\n    a: x{{values.global.hubb}}\n");
    const { code, out } = await cli.run("lint tree");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^templates\/x\.hbs:3:9: warning: "values.global.hubb" is not in the values, did you mean "hub"\n/,
    );
    expect(out).toContain("No errors: ");
    const strict = await cli.run("lint tree --strict");
    expect([strict.code, strict.out]).toEqual([1, expect.not.stringMatching(/warning|No errors/)]);
    expect(strict.err).toBe("Cannot pass with --strict: the tree has 1 error; fix the error above\n");
    const { findings } = JSON.parse((await cli.run("lint tree --strict --json")).out);
    expect(findings).toContainEqual(expect.objectContaining({ severity: "error", path: "templates/x", line: 3 }));
  });

  it("counts warnings and errors together when it is strict and there are errors too", async () => {
    cli.write("tree/templates/x.hbs", "metadata:\n  labels:\n    a: x{{values.global.hubb}}\n    b: {{nonsense}}\n");
    cli.write("tree/values/20-bad.yaml", "a: [\n");
    cli.write("tree/mesh.yaml", "a: 1\n");
    const graded = (await cli.run("lint tree")).out.trimEnd().split("\n");
    const strict = await cli.run("lint tree --strict");
    expect(graded.join("\n")).toContain(": warning: ");
    expect(strict.out).toBe(`${graded.join("\n").replaceAll(": warning: ", ": error: ")}\n`);
    expect(strict.err).toBe(`Cannot pass: the tree has ${graded.length} errors; fix the errors above\n`);
  });

  it("names the file of a setting that only compiling shows to be wrong", async () => {
    cli.write("tree/config.yaml", "revision: [1]\n");
    expect((await cli.run("lint tree")).out).toMatch(/^config\.yaml:1:11: error: Cannot use config key "revision"/);
  });

  it("reports all errors of the config with their lines", async () => {
    cli.write("tree/config.yaml", "polcy: enabled\nrevision: 1\nplatform: openshfit\naliases:\n  a: b\n");
    const { out } = await cli.run("lint tree");
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(0, 24)),
    ).toEqual(
      [
        "config.yaml:1:1: error: ",
        "config.yaml:2:11: error:",
        "config.yaml:3:11: error:",
        "config.yaml:5:6: error: ",
      ].sort((a, b) => out.indexOf(a) - out.indexOf(b)),
    );
    expect(out).toContain('did you mean "openshift"');
  });

  it("holds the values against the tree's own schema, and the schema against the rules of schemas", async () => {
    cli.write("tree/values/20-team.yaml", "team: a\n");
    cli.write("tree/schema.yaml", "required: [team]\nproperties:\n  team: {enum: [a, b]}\n");
    expect((await cli.run("lint tree --strict")).err).not.toContain("schema");
    cli.write("tree/values/20-team.yaml", "team: c\n");
    const violated = await cli.run("lint tree");
    expect([violated.code, violated.out]).toEqual([
      1,
      expect.stringMatching(/^values\/20-team\.yaml:1:7: error: .*values\.team does not match the tree's schema/m),
    ]);
    cli.write("tree/schema.yaml", "properties:\n  team:\n    $ref: https://example.com/team.json\n");
    const remote = await cli.run("lint tree");
    expect([remote.code, remote.out]).toEqual([
      1,
      expect.stringMatching(/^schema\.yaml:3:11: error: .*is another document, and nothing is fetched/m),
    ]);
  });

  it("prints other formats", async () => {
    cli.write("tree/partials/proxy-image.hbs", "image: {{values.global.hubb}}\n");
    expect((await cli.run("lint tree -o github")).out).toMatch(
      /^::warning file=tree\/partials\/proxy-image\.hbs,line=1,col=8::/,
    );
    expect(JSON.parse((await cli.run("lint tree -o sarif")).out).runs[0].results).not.toEqual([]);
    expect(JSON.parse((await cli.run("lint tree -o json")).out).findings).not.toEqual([]);
    expect((await cli.run("lint tree -o xml")).code).toBe(2);
  });

  it("says that a directory is empty", async () => {
    cli.write("empty/.keep", "");
    const { code, out } = await cli.run("lint empty");
    expect(code).toBe(0);
    expect(out).toMatch(/^warning: empty is empty, so the shipped templates apply unchanged/);
  });

  describe("with guardrails", () => {
    const EVIL = "spec:\n  hostPID: true\n";
    const hidden = '{{#if (eq (lookup metadata.annotations "x") "yes")}}\nspec:\n  hostIPC: true\n{{/if}}\n';
    beforeEach(() => {
      cli.write("tree/config.yaml", "defaultTemplates: [sidecar, evil]\n");
      cli.write("tree/templates/evil.hbs", EVIL);
      cli.write("tree/templates/hidden.hbs", hidden);
    });

    it("finds what they refuse, and what only a pod without a sample comes to as a warning", async () => {
      const { code, out } = await cli.run("lint tree --guardrails baseline");
      expect(code).toBe(1);
      expect(out).toMatch(/^templates\/evil.hbs:2:12: error: Cannot use what it adds to pods: hostPID /m);
      expect(out).toMatch(/^templates\/hidden.hbs:3:3: warning: No sample reaches it, but a pod may: hostIPC /m);
      expect((await cli.run("lint tree --guardrails baseline,hostPID")).code).toBe(0);
      expect((await cli.run("lint tree --guardrails baseline,hostPID --strict")).code).toBe(1);
      expect((await cli.run("lint tree --guardrails", "")).code).toBe(2);
    });

    it("advises patterns that admit the next pod and the next tag, once for each line, by a sample", async () => {
      const container = "  containers:\n  - name: oauth2\n    image: registry.example/oauth2:v7.6.0\n";
      const volume = "  volumes:\n  - name: oauth2\n    secret: {secretName: '{{owner.name}}-oauth2'}\n";
      cli.write("tree/templates/evil.hbs", `spec:\n${container}${volume}`);
      const { out } = await cli.run("lint tree --guardrails baseline,secret:mesh-*,image:registry.istio.io/*");
      const lines = out.split("\n").filter((line) => line.startsWith("templates/evil.hbs"));
      expect(lines).toEqual([
        expect.stringMatching(
          /^templates\/evil.hbs:4:12: .* for samples\/\S+; .* add container:oauth2 image:registry.example\/oauth2:\* to /,
        ),
        expect.stringMatching(/^templates\/evil.hbs:7:26: .* for samples\/\S+; .* add secret:\*-oauth2 to /),
      ]);
    });

    it("asks the deployment for its own, and takes those that are given over them", async () => {
      expect((await cli.run("lint tree --deployment dev")).code).toBe(0);
      aws.guard("baseline");
      const { code, out } = await cli.run("lint tree --deployment dev");
      expect([code, out]).toEqual([1, expect.stringContaining("templates/evil.hbs:2:12: error: ")]);
      expect((await cli.run("lint tree --deployment dev --guardrails off")).code).toBe(0);
    });

    it("says that they are not known to a person who may not read them", async () => {
      aws.guard(new OutriggerError("aws-denied", "Cannot read function"));
      const { code, out } = await cli.run("lint tree --deployment dev");
      expect([code, out]).toEqual([0, expect.stringContaining("guardrails admit is not known: Cannot read function")]);
    });
  });

  it("says what changes for the pods of a deployment, by class, for people and for pipelines", async () => {
    await cli.run("push tree --publish -m one");
    expect((await cli.run("lint tree --deployment dev")).out).not.toContain("What changes");
    cli.write("tree/values/10-mine.yaml", "global: {hub: registry.example/other}\n");
    const line =
      "What changes for pods of stable: image-registry (samples/plain-pod: istio-proxy from registry.example/other)";
    expect((await cli.run("lint tree --deployment dev")).out).toContain(`${line}\n`);
    expect((await cli.run("lint tree --deployment dev -o github")).out).toBe(`::notice::${line}\n`);
    expect(JSON.parse((await cli.run("lint tree --deployment dev --json")).out).effects).toMatchObject({
      channel: "stable",
      effects: [{ name: "image-registry" }],
    });
  });

  it("lints Parameter Store when it is asked to", async () => {
    await aws.edit("partials/proxy-image", "image: <%nonsense 1%>\n");
    const { code, out } = await cli.run("lint source");
    expect(code).toBe(1);
    expect(out).toContain("partials/proxy-image.hbs:1:8: error: ");
    const old = await cli.run("lint --store");
    expect([old.code, old.err]).toEqual([2, expect.stringContaining("is now `outrigger lint source`")]);
  });

  it("says which file is none of a tree's", async () => {
    cli.write("tree/value/x.yaml", "");
    expect((await cli.run("lint tree")).err).toContain("a folder of this name means nothing here");
    expect((await cli.run("lint gone")).err).toContain("there is no such directory");
  });
});
