// What CloudFormation makes of a change from any variant to any other: no resource changes its type, and nothing that has a
// name is replaced or made under another ID, which CloudFormation refuses.
import { describe, expect, it } from "vitest";
import { goldenTemplate, type Template, type TemplateResource } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

/**
 * The properties of each type: the one with the physical name, and those that cannot change without a replacement (createOnlyProperties).
 */
const NAMED: Readonly<Record<string, readonly [name: string, ...createOnly: readonly string[]]>> = {
  "AWS::ApiGateway::Stage": ["StageName", "RestApiId"],
  "AWS::ApiGatewayV2::Stage": ["StageName", "ApiId"],
  "AWS::ApiGatewayV2::DomainName": ["DomainName"],
  "AWS::CloudWatch::Alarm": ["AlarmName"],
  "AWS::CloudWatch::Dashboard": ["DashboardName"],
  "AWS::Events::Rule": ["Name", "EventBusName"],
  "AWS::IAM::ManagedPolicy": ["ManagedPolicyName", "Path", "Description"],
  "AWS::Lambda::Alias": ["Name", "FunctionName"],
  "AWS::Lambda::Function": ["FunctionName", "PackageType"],
  "AWS::Logs::LogGroup": ["LogGroupName"],
  "AWS::SNS::Topic": ["TopicName", "FifoTopic"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
};

/** The Region does not change with a setting. */
const names = VARIANTS.filter(({ region }) => region === undefined).map(({ name }) => name);
const templates = new Map(names.map((name) => [name, goldenTemplate(name)]));
const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

function resourcesOf(name: string): Template["Resources"] {
  return (templates.get(name) as Template).Resources;
}

/** The type and physical name of a resource that has one. Stages are named within their API. */
function nameOf({ Type, Properties = {} }: TemplateResource): string | undefined {
  const [property, parent] = NAMED[Type] ?? [];
  if (property === undefined || Properties[property] === undefined) return undefined;
  const within = /Stage$|Alias$/.test(Type) && parent !== undefined ? JSON.stringify(Properties[parent]) : "";
  return `${Type} ${JSON.stringify(Properties[property])} ${within}`;
}

describe("variants", () => {
  it("name what CloudFormation cannot replace in every type that has a name", () => {
    const all = names.flatMap((name) => Object.values(resourcesOf(name)));
    const named = all.filter(({ Properties = {} }) =>
      Object.entries(Properties).some(
        ([key, value]) => /^(\w*Name)$/.test(key) && JSON.stringify(value).includes("outrigger-dev"),
      ),
    );
    const types = new Set(named.map(({ Type }) => Type));
    // An API's name is a label.
    const labels = ["AWS::ApiGateway::RestApi", "AWS::ApiGatewayV2::Api", "AWS::Lambda::Permission"];
    expect([...types].filter((type) => NAMED[type] === undefined && !labels.includes(type))).toEqual([]);
  });

  it.each(pairs)("%s to %s: a logical ID keeps its type", (from, to) => {
    const after = resourcesOf(to);
    const shared = Object.entries(resourcesOf(from)).filter(([id]) => after[id] !== undefined);
    expect(shared.length).toBeGreaterThan(30);
    expect(shared.filter(([id, { Type }]) => after[id]?.Type !== Type).map(([id]) => id)).toEqual([]);
  });

  it.each(pairs)("%s to %s: a name stays with its logical ID, and is not replaced", (from, to) => {
    const after = resourcesOf(to);
    const ids = new Map(Object.entries(after).map(([id, resource]) => [nameOf(resource), id]));
    for (const [id, resource] of Object.entries(resourcesOf(from))) {
      const name = nameOf(resource);
      if (name !== undefined && ids.has(name)) expect(ids.get(name), name).toBe(id);
      const next = after[id];
      if (next === undefined || name === undefined) continue;
      for (const property of NAMED[resource.Type] ?? [])
        expect(next.Properties?.[property], `${id}.${property}`).toEqual(resource.Properties?.[property]);
    }
  });

  it("keeps the old API for a deploy while the new one is made", () => {
    const apis = (name: string) => Object.keys(resourcesOf(name)).filter((id) => /^(Http|Rest|Private)Api$/.test(id));
    expect([apis("domain"), apis("changing"), apis("rest")]).toEqual([
      ["HttpApi"],
      ["RestApi", "HttpApi"],
      ["RestApi"],
    ]);
    const old = Object.entries(resourcesOf("domain")).filter(([id]) => id.startsWith("Http"));
    const kept = resourcesOf("changing");
    expect(old.filter(([id]) => kept[id] === undefined && !/^HttpCluster/.test(id))).toEqual([]);
  });

  it("keeps the permission and the address of calls while provisioned is switched on or off: there is no moment without", () => {
    const [off, on] = [resourcesOf("rest"), resourcesOf("provisioned")];
    const concurrency = [off, on].map(({ InjectAlias }) => InjectAlias?.Properties?.["ProvisionedConcurrencyConfig"]);
    expect(concurrency).toEqual([undefined, { ProvisionedConcurrentExecutions: "5" }]);
    const { ProvisionedConcurrencyConfig: _, ...alias } = on["InjectAlias"]?.Properties ?? {};
    expect(alias).toEqual(off["InjectAlias"]?.Properties);
    const kept = Object.keys(off).filter((id) =>
      /ApiPermission$|ApiGateway(?!.*Cluster).*Method$|InjectMethod$/.test(id),
    );
    expect(kept).toContain("RestApiPermission");
    for (const id of kept) expect([id, on[id]]).toEqual([id, off[id]]);
  });

  it.each(names)(
    "%s: calls reach the function through the alias, which moves after the check and before publishing",
    (name) => {
      const resources = resourcesOf(name);
      const { InjectAlias, PublishRelease, CheckRelease } = resources;
      expect(InjectAlias?.DependsOn).toEqual(["CheckRelease"]);
      expect(PublishRelease?.DependsOn).toEqual(["InjectAlias"]);
      expect(CheckRelease?.Properties?.["ServiceToken"]).toEqual({ Ref: "DeployHook" });
      const permissions = Object.entries(resources).filter(([id]) => /ApiPermission$/.test(id));
      expect(permissions.length).toBeGreaterThan(0);
      for (const [, { Properties }] of permissions)
        expect(Properties?.["FunctionName"]).toEqual({ Ref: "InjectAlias" });
      const text = JSON.stringify(Object.entries(resources).filter(([, { Type }]) => /ApiGateway/.test(Type)));
      expect(text).toContain('{"Ref":"InjectAlias"}');
      expect(text).not.toContain("InjectLambdaFunction");
    },
  );
});
