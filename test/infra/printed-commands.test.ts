// Every command of the AWS CLI that a page, a runbook or a message prints, against the policy of the person that it is for.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { policyFor, type policyKinds } from "@outrigger/aws";
import { isObject, type JsonObject, objectsOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { IamCall } from "./support/evaluate-policy.ts";
import { callsOf, PLACE, type PrintedCommand, printedCommands, SERVICE_ROLE } from "./support/printed-commands.ts";

type Person = (typeof policyKinds)[number];

/** The reader of a page, where its first line does not say it, or where a command on it is for another reader. */
const READERS: Readonly<Record<string, Person>> = {
  "docs/editing.md": "editor",
  "docs/deploy.md": "deployer",
  "docs/deploy-otherwise.md": "deployer",
  "docs/endpoint.md": "deployer",
  "docs/failed-deploy.md": "deployer",
  "docs/operations.md": "oncall",
  "docs/traces.md": "oncall",
};

/** Commands of another person than the page's. */
const OTHERS: Readonly<Record<string, Person>> = {
  "docs/deploy.md ssm get-parameters-by-path": "editor",
  "docs/deploy.md ssm delete-parameters": "editor",
  "docs/endpoint.md eks describe-cluster": "registrar",
};

/** The commands whose policies are none of Outrigger's. */
const NOT_OURS: Readonly<Record<string, string>> = {
  "docs/deploy-otherwise.md s3 cp": "into the other Regions' buckets: of who manages the organization",
  "docs/outages.md lambda put-function-concurrency": "of a rehearsal on the fake, which checks no permission",
  "docs/outages.md lambda delete-function-concurrency": "of a rehearsal on the fake, which checks no permission",
  "cloudformation create-stack-set": "of who manages the organization",
  "cloudformation create-stack-instances": "of who manages the organization",
  "eks create-access-entry": "of who manages the cluster",
  "eks get-token": "makes no call",
  "eks update-kubeconfig": "of who uses the cluster",
  "iam detach-role-policy": "of who manages the role",
  "sso login": "makes credentials",
  "sts get-session-token": "needs no permission",
  "xray batch-get-traces": "the page says that the policy does not contain it",
  "cloudtrail lookup-events": "the page says that the policy does not contain it",
};

/** The person that each message is for, and what its placeholders are. */
const MESSAGES: Readonly<Record<string, readonly [Person, Readonly<Record<string, string>>?]>> = {
  "cli/connect/aws-credentials.ts": ["publisher"],
  "cli/options/commands-elsewhere.ts": ["oncall"],
  "cli/server/serve-fake.ts": ["editor", { "${values}": "/outrigger/prod/source/values/50-mine" }],
  "infra/attached-policies.ts": ["deployer", { "${kind}": "role" }],
  "infra/stale-routes.ts": ["deployer", { "${optionsOf(stage)}": "--api-id a1b2c3 --stage-name '$default'" }],
  "lib/aws/aws-errors.ts": ["publisher"],
  "lib/aws/parameter-store/store-error.ts": ["editor", { "${path}": "/outrigger/prod/source/values/50-mine" }],
  "lib/cluster/aws/ask-publisher.ts": ["oncall", { "${functionName}": "outrigger-prod-publish" }],
  "lib/cluster/check/deployment-checks.ts": ["oncall", { '${off.join(" ")}': "outrigger-prod-canary" }],
  "lib/cluster/kube/kube-answer.ts": ["registrar"],
  "lib/cluster/kube/kubeconfig-credentials.ts": ["registrar"],
};

interface Printed extends PrintedCommand {
  readonly where: string;
  readonly person: Person;
}

const files = (folder: string, pattern: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name) && !/node_modules|\.test\.ts$/.test(name))
    .map((name) => join(folder, name));

const onPages = ["README.md", ...files("docs", /\.md$/).filter((name) => !/contributing|zh-CN/.test(name))].flatMap(
  (page): readonly Printed[] => {
    const person = READERS[page] ?? (page.startsWith("docs/runbooks/") ? "oncall" : "registrar");
    return printedCommands(readFileSync(page, "utf8")).map((command) => ({
      ...command,
      where: page,
      person: OTHERS[`${page} ${command.name}`] ?? person,
    }));
  },
);

/** Comments are not printed. */
const sources = ["cli", "lib", "infra", "functions", "studio"].flatMap((folder) => files(folder, /\.tsx?$/));
const inMessages = sources.flatMap((file): readonly Printed[] => {
  const code = readFileSync(file, "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const [person = "oncall" as const, filled] = MESSAGES[file] ?? [];
  return printedCommands(code, filled).map((command) => ({ ...command, where: file, person }));
});

const read = (file: string) => readFileSync(file, "utf8");

/**
 * Returns what `outrigger check` prints for states of a stack. lib/cluster/check/stack-verdict.test.ts holds their
 * options.
 */
const ofChecks = (serviceRole?: string) =>
  [...read("lib/cluster/check/stack-verdict.ts").matchAll(/\$\{aws\("([a-z-]+)"\)\}/g)].map(
    ([, verb = ""]): Printed => ({
      name: `cloudformation ${verb}`,
      words: ` --stack-name outrigger-prod${serviceRole === undefined ? "" : ` --role-arn ${serviceRole}`}`,
      where: "check",
      person: "deployer",
    }),
  );

/** A statement's conditions are equalities, and `*` in a resource is any text. */
function allows(policy: JsonObject, { action, resource, context = {} }: IamCall): boolean {
  return objectsOf(policy["Statement"]).some(({ Action, Resource, Condition }) => {
    const equal = isObject(Condition) && isObject(Condition["StringEquals"]) ? Condition["StringEquals"] : {};
    return (
      (Action as readonly string[]).includes(action) &&
      (Resource as readonly string[]).some((one) => matches(one, resource)) &&
      Object.entries(equal).every(([key, value]) => context[key] === value)
    );
  });
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

/** The role that a command hands over; a page says once to add it. */
const ADD_ROLE = "add `--role-arn ROLE_ARN`";

function deniedBy(printed: readonly Printed[], roleArn?: string): readonly string[] {
  return printed.flatMap((command) => {
    const { name, words, where, person } = command;
    if (NOT_OURS[name] !== undefined || NOT_OURS[`${where} ${name}`] !== undefined) return [];
    const isSaid = words.includes(`--role-arn ${roleArn}`) || (where.endsWith(".md") && read(where).includes(ADD_ROLE));
    const calls = callsOf(command, isSaid ? roleArn : undefined);
    if (calls === undefined) return [`${where}: aws ${name} is not known to this test`];
    const options = {
      ...(person === "deployer" && roleArn !== undefined && { roleArn }),
      ...(person === "deployer" && { bucket: "my-artifacts" }),
    };
    const policy = policyFor(person, PLACE, options);
    return calls
      .filter((call) => !allows(policy, call))
      .map(({ action, resource }) => `${where}: aws ${name}: ${person} lacks ${action} on ${resource}`);
  });
}

describe("a printed command of the AWS CLI", () => {
  it("is allowed by the policy of the person that the page is for", () => {
    expect(onPages.length).toBeGreaterThan(40);
    expect(deniedBy(onPages)).toEqual([]);
  });

  it("is allowed where CloudFormation has a service role", () => {
    expect(deniedBy(onPages, SERVICE_ROLE)).toEqual([]);
    expect(deniedBy(ofChecks(SERVICE_ROLE), SERVICE_ROLE)).toEqual([]);
  });

  it("is allowed by the policy of the person that the message is for", () => {
    expect(new Set(inMessages.map(({ where }) => where))).toEqual(new Set(Object.keys(MESSAGES)));
    expect(ofChecks().length).toBeGreaterThan(3);
    expect(deniedBy([...inMessages, ...ofChecks()])).toEqual([]);
  });

  it("is known to be outside the policy where the page says so", () => {
    expect(read("docs/traces.md")).toContain("does not contain the permissions for X-Ray and CloudTrail");
  });

  it("can be denied: without the role, and for another person", () => {
    const page = onPages.filter(({ name }) => name === "cloudformation delete-stack");
    expect(page.length).toBeGreaterThan(1);
    const elsewhere = page.map((one) => ({ ...one, where: "x.ts" }));
    expect(deniedBy(elsewhere, SERVICE_ROLE)).toHaveLength(page.length);
    expect(deniedBy(page.map((one) => ({ ...one, person: "oncall" as const })))).toHaveLength(page.length);
  });
});
