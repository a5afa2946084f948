import { type JsonValue, objectsOf } from "@outrigger/base";
import { PROBE_NAMESPACE } from "@outrigger/webhook";
import { parseYaml, parseYamlDocuments } from "@outrigger/yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [key: string]: unknown;
}

let cli: ReturnType<typeof fakeCli>;
beforeEach(() => {
  cli = fakeCli(fakeAws().connect, SHIPPED);
});
afterEach(() => cli.remove("."));

async function objects(line: string): Promise<readonly Printed[]> {
  const { code, out, err } = await cli.run(line);
  expect([code, err]).toEqual([0, ""]);
  return parseYamlDocuments(out, "out").map(({ value }) => value as unknown as Printed);
}

describe("outrigger print helpers", () => {
  it("lists every helper in a column with what it is for", async () => {
    const { code, out } = await cli.run("print helpers");
    const lines = out.trimEnd().split("\n");
    expect([code, lines.length > 50]).toEqual([0, true]);
    const at = new Set(lines.map((line) => line.search(/(?<= {2})\S/)));
    expect(at.size).toBe(1);
    expect(lines.find((line) => line.startsWith("sha256sum "))).toMatch(/ {2}The SHA-256 of a text/);
  });

  it("prints them, or one, for machines", async () => {
    const all = JSON.parse((await cli.run("print helpers -o json")).out);
    const one = JSON.parse((await cli.run("print helpers sha256sum -o json")).out);
    expect(one).toEqual({ sha256sum: all.sha256sum });
    expect(Object.keys(all).length).toBeGreaterThan(50);
  });

  it("refuses an unknown helper", async () => {
    expect(await cli.run("print helpers qqqqqq")).toEqual({
      code: 2,
      out: "",
      err: 'Cannot find helper "qqqqqq": "outrigger print helpers" lists them\n',
    });
  });
});

describe("outrigger print webhook", () => {
  const URL = "https://hook.test";
  const WEBHOOK = `print webhook --url ${URL}`;
  const webhookOf = ([first]: readonly Printed[]) => {
    const [webhook] = objectsOf(first?.["webhooks"] as JsonValue | undefined);
    return webhook as unknown as {
      readonly clientConfig: { readonly url: string };
      readonly failurePolicy: string;
    };
  };

  it("needs a URL: the option, or else the environment's", async () => {
    expect(await cli.run("print webhook")).toMatchObject({ code: 2, err: expect.stringContaining("--url") });
    expect(await cli.runIn({ OUTRIGGER_URL: "" }, "print webhook")).toMatchObject({ code: 2 });
    const urlOf = ({ out }: { readonly out: string }) => /https:\/\/[a-z.]+/.exec(out)?.[0];
    expect(urlOf(await cli.runIn({ OUTRIGGER_URL: "https://env.test" }, "print webhook"))).toBe("https://env.test");
    expect(urlOf(await cli.runIn({ OUTRIGGER_URL: "https://env.test" }, WEBHOOK))).toBe(URL);
  });

  it("has a placeholder for the token, or that of a file or of standard input", async () => {
    expect(webhookOf(await objects(WEBHOOK)).clientConfig.url).not.toContain("t".repeat(43));
    cli.write("shop.token", `${"t".repeat(43)}\n`);
    expect(webhookOf(await objects(`${WEBHOOK} --token-file shop.token`)).clientConfig.url).toContain(
      `/t/${"t".repeat(43)}/`,
    );
    const io = fakeIo({ input: [`${"s".repeat(43)}\n`] });
    expect(await main([...WEBHOOK.split(" "), "--token-file", "-"], io)).toBe(0);
    expect(io.out()).toContain(`/t/${"s".repeat(43)}/`);
    expect(await cli.run(`${WEBHOOK} --token-file none`)).toMatchObject({
      code: 2,
      err: expect.stringContaining("Cannot read none"),
    });
  });

  it("is that of the revision, tag, phase and deployment that are named", async () => {
    const named = await objects(
      `${WEBHOOK} --revision 1-30 --tag prod --phase enforce --safety-net deny --deployment live`,
    );
    expect(named.map(({ kind }) => kind)).toContain("ValidatingAdmissionPolicy");
    expect(JSON.stringify(named)).toContain('"live"');
    expect(named.map(({ metadata }) => metadata.name).join(" ")).toMatch(/1-30.*prod/);
    expect(webhookOf(named).failurePolicy).toBe("Fail");
    expect(webhookOf(await objects(WEBHOOK)).failurePolicy).toBe("Ignore");
  });

  it("selects by the label of a config that has one", async () => {
    expect((await cli.run(`${WEBHOOK} --injection-label example.com/agent`)).out).toContain("example.com/agent");
    expect((await cli.run(WEBHOOK)).out).not.toContain("example.com/agent");
  });

  it("is YAML documents, or a List in JSON", async () => {
    const line = `${WEBHOOK} --tag prod`;
    const documents = await objects(line);
    expect(documents.length).toBeGreaterThan(1);
    const list = JSON.parse((await cli.run(`${line} -o json`)).out);
    expect(list).toEqual({ apiVersion: "v1", kind: "List", items: documents });
  });
});

describe("outrigger print rbac", () => {
  const rulesOf = (printed: readonly Printed[]) => JSON.stringify(printed);

  it("prints what registering needs, and what lets pods be restarted only on request", async () => {
    const all = await objects("print rbac");
    expect(new Set(all.map(({ kind }) => kind))).toContain("ClusterRole");
    expect(rulesOf(all)).toContain('"outrigger-registrars"');
    const { out } = await cli.run("print rbac restart");
    expect(out).not.toBe((await cli.run("print rbac")).out);
    expect(rulesOf(all)).not.toContain("poddisruptionbudgets");
  });

  it("prints less for one feature, in the names that are given", async () => {
    const explain = await objects("print rbac explain --group oncall --name outrigger-oncall");
    expect(explain.every(({ metadata }) => metadata.name.startsWith("outrigger-oncall"))).toBe(true);
    expect(rulesOf(explain)).toContain('"oncall"');
    expect(rulesOf(explain)).not.toContain('mutatingwebhookconfigurations","verbs":["create"');
  });

  it("has the webhooks of the revisions and tags that are named, and creates pods where it is told", async () => {
    const usual = rulesOf(await objects("print rbac"));
    expect(usual).toContain(PROBE_NAMESPACE);
    const named = await objects("print rbac --revision 1-30 --tag prod --namespace checkout --namespace till");
    expect(rulesOf(named)).toMatch(/1-30.*prod|prod.*1-30/);
    expect(usual).not.toContain("1-30");
    const namespaces = named.flatMap(({ metadata }) => metadata.namespace ?? []);
    expect(namespaces).toEqual(expect.arrayContaining(["checkout", "till"]));
    expect(rulesOf(named)).not.toContain(PROBE_NAMESPACE);
  });

  it("reads istiod's namespace, which may be another one or none", async () => {
    expect(rulesOf(await objects("print rbac"))).toContain("istio-system");
    const other = rulesOf(await objects("print rbac --istio-namespace mesh"));
    expect([other.includes("istio-system"), other.includes('"mesh"')]).toEqual([false, true]);
    expect(rulesOf(await objects("print rbac --without-istio"))).not.toContain("istio-system");
    expect(await cli.run("print rbac --without-istio --istio-namespace mesh")).toEqual({
      code: 2,
      out: "",
      err: "Cannot use --istio-namespace with --without-istio: use one of them\n",
    });
  });

  it("refuses a name that Kubernetes does not take, and an unknown feature", async () => {
    expect(await cli.run("print rbac --namespace Shop")).toMatchObject({
      code: 2,
      err: expect.stringContaining("lower-case letters"),
    });
    expect(await cli.run("print rbac everything")).toMatchObject({ code: 2, out: "" });
  });
});

describe("outrigger print schema", () => {
  it("describes the values of a tree over the shipped ones, or the config", async () => {
    cli.write("tree/values/10-mine.yaml", "mine: {size: 3}\n");
    cli.write("tree/templates/x.hbs", "metadata: {labels: {a: 's{{values.mine.size}}'}}\n");
    const properties = async (line: string) => parseYaml((await cli.run(line)).out, "out") as never;
    expect(await properties("print schema tree")).toMatchObject({
      properties: { global: expect.anything(), mine: expect.anything() },
    });
    expect(await properties("print schema")).not.toHaveProperty("properties.mine");
    expect(await properties("print schema --config")).toHaveProperty("properties.defaultTemplates");
    expect(await cli.run("print schema tree --config")).toMatchObject({ code: 2, out: "" });
  });
});
