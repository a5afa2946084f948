import { describe, expect, it } from "vitest";
import { compileRelease, lintTree } from "../release/compile-release.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
const GOOD = {
  config: "defaultTemplates: [agent]\n",
  "templates/agent": "spec:\n  containers:\n  - name: agent\n    image: {{values.image}}\n",
  "values/10": "image: agent:1\n",
  "samples/web": SAMPLE,
};

describe("lintTree()", () => {
  it("returns the release of a tree without findings", () => {
    const { findings, release } = lintTree([GOOD]);
    expect(findings).toEqual([]);
    expect(release?.values).toEqual({ image: "agent:1" });
  });

  it.each([
    ["enableTracing: true\noutboundTrafficPolicy: {moed: x}\n", "outboundTrafficPolicy.moed", 2],
    ["enableTracing: true\n\u00fcber: 1\n", "\u00fcber", 1],
  ])(
    "names the line of a field that a MeshConfig does not have, or the first where its name is none: %j",
    (mesh, field, line) => {
      expect(lintTree([{ ...GOOD, mesh }]).findings).toEqual([
        expect.objectContaining({
          severity: "warning",
          path: "mesh",
          line,
          message: expect.stringContaining(` ${field}:`),
        }),
      ]);
    },
  );

  it("finds every error of every file, with its place, when there are several", () => {
    const { findings, release } = lintTree([
      {
        ...GOOD,
        mesh: "a: [\n",
        "values/20": "b: {\n",
        "templates/agent": "a: {{nonsense 1}}\nb: {{{values.x}}}\n",
        "partials/one": "{{> gone}}\n",
        "odd/path": "",
      },
    ]);
    expect(release).toBeUndefined();
    expect(findings.map(({ path, line, severity }) => [path, line, severity])).toEqual([
      ["mesh", 1, "error"],
      ["odd/path", undefined, "error"],
      ["partials/one", 1, "error"],
      ["templates/agent", 1, "error"],
      ["templates/agent", 2, "error"],
      ["values/20", 1, "error"],
    ]);
    expect(findings[3]).toMatchObject({ column: 4, message: expect.stringContaining("nonsense") });
  });

  it.each(["templates/agent", "partials/more"])(
    "finds a key that is given twice in a branch that no sample takes: %s",
    (path) => {
      const branch =
        '{{#if (eq (lookup metadata.labels "x") "y")}}\nmetadata:\n  labels: {a: b}\n  labels: {c: d}\n{{/if}}\n';
      const tree = { ...GOOD, "templates/agent": `${GOOD["templates/agent"]}{{> more}}\n`, "partials/more": "" };
      const broken = { ...tree, [path]: path === "partials/more" ? branch : GOOD["templates/agent"] + branch };
      const message = expect.stringContaining("a key is given twice in its mapping, in a branch that no sample takes");
      expect(lintTree([broken]).findings).toMatchObject([{ severity: "error", path, message }]);
      expect(() => compileRelease([broken])).toThrow("a key is given twice");
      expect(lintTree([broken, {}]).findings).toEqual([]);
    },
  );

  it("tries the templates that compile where others do not, and none that use a broken partial", () => {
    const port = "spec:\n  containers:\n  - name: web\n    ports: [{containerPort: 70000}]\n";
    const tree = {
      ...GOOD,
      "templates/broken": "{{#if values.image}}\n",
      "templates/port": port,
      "templates/indented": "spec:\n\tpriority: 1\n",
      "templates/user": "spec: {dnsPolicy: Foo, containers: [{{> wrapper}} ]}\n",
      "partials/wrapper": "{{> faulty}}\n",
      "partials/faulty": "name: {{nonsense 1}}\n",
    };
    const errors = lintTree([tree]).findings.map(({ path, line, severity }) => [path, line, severity]);
    expect(errors).toEqual([
      ["partials/faulty", 1, "error"],
      ["templates/broken", 2, "error"],
      ["templates/indented", 2, "error"],
      ["templates/port", 4, "error"],
    ]);
  });

  it("warns of no missing value where values cannot be read, and still finds what a template itself writes wrong", () => {
    const wrong = {
      ...GOOD,
      "values/10": 'image: "agent\n',
      "templates/tab": "spec:\n\tpriority: {{values.priority}}\n",
    };
    expect(lintTree([wrong]).findings.map(({ path, severity, message }) => [path, severity, message])).toEqual([
      ["templates/tab", "error", expect.stringContaining("it does not render valid YAML")],
      ["values/10", "error", expect.stringContaining("the quote that opens here is not closed")],
    ]);
    const valueFault = {
      ...GOOD,
      "values/10": "image: [\n",
      "templates/agent": "spec: {priority: {{int values.a}} }\n",
    };
    expect(lintTree([valueFault]).findings.map(({ path }) => path)).toEqual(["values/10"]);
  });

  it("says how a partial with fields is written, where its tag follows a key", () => {
    const tree = {
      ...GOOD,
      "templates/agent": "spec:\n  securityContext: {{> user}}\n",
      "partials/user": "runAsUser: 1\nrunAsGroup: 1\n",
    };
    expect(lintTree([tree]).findings).toMatchObject([
      {
        path: "templates/agent",
        line: 2,
        message: expect.stringMatching(/partial "user" has fields, .* write its tag on a line of its own/),
      },
    ]);
    const inline = { ...tree, "partials/user": "{runAsUser: 1}" };
    expect(lintTree([inline]).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("tries no template that uses a partial that is broken, or that uses one", () => {
    const broken = { "partials/faulty": "name: {{nonsense 1}}\n", "partials/wrapper": "{{> faulty}}\n" };
    const bad = "spec: {dnsPolicy: Foo}\n";
    const errorsOf = (text: string) =>
      lintTree([{ ...GOOD, ...broken, "templates/user": text }]).findings.map(({ path }) => path);
    for (const partial of ["faulty", "wrapper"]) {
      expect(errorsOf(`${bad}# {{> ${partial}}}\n`)).toEqual(["partials/faulty"]);
      expect(errorsOf(`${bad}{{#if metadata.name}}\n# {{> ${partial}}}\n{{/if}}\n`)).toEqual(["partials/faulty"]);
      expect(errorsOf(`${bad}{{#if metadata.name}}{{else}}\n# {{> ${partial}}}\n{{/if}}\n`)).toEqual([
        "partials/faulty",
      ]);
    }
    expect(errorsOf(bad)).toEqual(["partials/faulty", "templates/user"]);
  });

  it("does not say what a broken default template may complete", () => {
    const half = { "templates/half": "spec:\n  containers:\n  - name: agent\n    workingDir: /a\n" };
    const broken = { ...GOOD, ...half, "templates/agent": `${GOOD["templates/agent"]}{{/if}}\n` };
    expect(lintTree([broken]).findings.map(({ path }) => path)).toEqual(["templates/agent"]);
  });

  it("has one finding for a value of the wrong type, and none for what would be below it", () => {
    const below = {
      ...GOOD,
      "templates/agent": GOOD["templates/agent"].replace("image}}", "agent.image}}"),
      "values/10": "agent: {image: 'a:1'}\n",
    };
    const { findings } = lintTree([below, { "values/20": "agent: [1]\n" }]);
    expect(findings).toMatchObject([{ severity: "error", path: "values/20", line: 1 }]);
  });

  it("finds what only compiling shows when every text is well formed", () => {
    const { findings } = lintTree([{ ...GOOD, config: "revision: [1]\n" }]);
    expect(findings).toEqual([expect.objectContaining({ severity: "error", path: "config.revision" })]);
  });

  it("returns warnings with their position, and the release", () => {
    const text = `${GOOD["templates/agent"]}    workingDir: {{values.dir}}\n`;
    const { findings, release } = lintTree([{ ...GOOD, "templates/agent": text }]);
    expect(release).toBeDefined();
    expect(findings).toEqual([
      {
        severity: "warning",
        path: "templates/agent",
        line: 5,
        column: 17,
        message: expect.stringContaining('"values.dir" is not in the values'),
      },
    ]);
  });

  it("rejects a container whose image is a value that does not exist", () => {
    const { findings, release } = lintTree([{ ...GOOD, "values/10": "imag: agent\n" }]);
    expect(release).toBeUndefined();
    expect(findings).toContainEqual({
      severity: "error",
      path: "templates/agent",
      line: 3,
      column: 5,
      message: expect.stringContaining("spec.containers[agent].image"),
    });
  });

  it("takes a stream of documents where one is allowed", () => {
    const text =
      "{apiVersion: networking.istio.io/v1beta1, kind: ProxyConfig, metadata: {name: a, namespace: a}, spec: {}}\n";
    expect(lintTree([{ ...GOOD, proxyconfigs: `${text}---\n${text}` }]).findings).toEqual([]);
  });
});
