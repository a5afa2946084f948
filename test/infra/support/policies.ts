// IAM policies of a template as tests read them: flat statements, names with the stage's prefix, and who is allowed what.
import type { Template } from "./template.ts";

export interface Statement {
  /** Logical id of the role or policy. */
  readonly holder: string;
  readonly actions: readonly string[];
  /** ARNs with `${AWS::…}` as in the template; `Logical.Attribute` where it is another resource. */
  readonly resources: readonly string[];
  /** As it is in the template; undefined for none. */
  readonly condition?: unknown;
}

type OneOrMany<Value> = Value | readonly Value[];

interface PolicyStatement {
  readonly Effect: string;
  readonly Action: OneOrMany<string>;
  readonly Resource: OneOrMany<string | { readonly "Fn::Sub"?: string; readonly "Fn::GetAtt"?: readonly string[] }>;
  readonly Condition?: unknown;
}

/** The statements of roles' inline policies and of managed policies. Trust policies have no resources and are left out. */
export function statementsOf({ Resources }: Template): readonly Statement[] {
  return Object.entries(Resources).flatMap(([holder, { Type, Properties }]) => {
    if (Type === "AWS::IAM::ManagedPolicy") return documentOf(holder, Properties?.["PolicyDocument"]);
    if (Type !== "AWS::IAM::Role") return [];
    const policies = (Properties?.["Policies"] ?? []) as readonly { readonly PolicyDocument: unknown }[];
    return policies.flatMap(({ PolicyDocument }) => documentOf(holder, PolicyDocument));
  });
}

function documentOf(holder: string, document: unknown): readonly Statement[] {
  const { Statement } = document as { readonly Statement: readonly PolicyStatement[] };
  return Statement.map(({ Action, Resource, Condition }) => ({
    holder,
    condition: Condition,
    actions: [Action].flat(),
    resources: [Resource].flat().map((resource) => {
      if (typeof resource === "string") return resource;
      return resource["Fn::Sub"] ?? resource["Fn::GetAtt"]?.join(".") ?? JSON.stringify(resource);
    }),
  }));
}

/** Whether IAM lets a holder do something with a parameter: `*` in a resource matches any text, slashes too. */
export function mayTouch(statements: readonly Statement[], holder: string, action: string, parameter: string): boolean {
  return statements.some(
    (statement) =>
      statement.holder === holder &&
      statement.actions.includes(action) &&
      statement.resources.some((resource) => matches(resource.slice(resource.indexOf(":parameter") + 10), parameter)),
  );
}

function matches(pattern: string, name: string): boolean {
  return new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`).test(name);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
