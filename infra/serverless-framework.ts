// The part of the Serverless framework's object that the plugin uses. The framework has no types for it: what is read
// is decoded here, and what is written goes through the functions here.
import { isObject, type JsonObject, objectOf } from "@outrigger/base";
import { awsRequest, ofStack } from "./aws-request.ts";
import { decodeResources, decodeTemplate, resourceOf, type Template, withProperties } from "./template.ts";

export type Framework = ReturnType<typeof decodeFramework>;

/**
 * Decodes the framework's object. Its service is read when a hook asks for it: variables are resolved by then.
 *
 * @throws TypeError naming the member that is not as expected, after a change of the framework
 */
export function decodeFramework(serverless: unknown, requestOf: typeof awsRequest = awsRequest) {
  const root = memberOf(serverless, "serverless");
  const service = () => memberOf(root["service"], "service");
  const provider = () => memberOf(service()["provider"], "service.provider");
  const directory = root["serviceDir"];
  if (typeof directory !== "string") throw unexpected("serviceDir");
  const request = requestOf(() => clientConfiguration(root));
  const stackName = () => `${String(service()["service"])}-${String(provider()["stage"])}`;
  const template = () => decodeTemplate(provider()["compiledCloudFormationTemplate"]);
  const input = memberOf(root["processedInput"], "processedInput");
  return {
    /** The folder with serverless.yml. */
    directory,
    /** The words of the command: `deploy`, `deploy function`. */
    command: [input["commands"] ?? []].flat().join(" "),
    options: jsonOf(input["options"] ?? {}, "processedInput.options"),
    /** Empty where none is given. */
    get region(): string {
      const { region } = provider();
      return typeof region === "string" && region !== NONE ? region : "";
    },
    /** Makes the framework take these Regions too, and gives all that it takes. */
    allowRegions: (names: readonly string[]): readonly string[] => {
      const path = ["configSchemaHandler", "schema", "properties", "provider", "properties", "region"];
      const { enum: known } = path.reduce((value, key) => memberOf(value[key], key), root);
      if (!Array.isArray(known)) throw unexpected("the schema's Regions");
      known.push(...names.filter((name) => !known.includes(name)));
      return known.map(String);
    },
    /** `outrigger-<stage>`. */
    stackName,
    /** A call of AWS with the framework's own credentials and retries. */
    request,
    accountId: async () => String(memberOf(await request("sts:GetCallerIdentity", {}), "the caller")["Account"]),
    /** The template of the stage's stack, or undefined where there is no stack. */
    async deployedTemplate(): Promise<string | undefined> {
      const answer = await ofStack(request("cloudformation:GetTemplate", { StackName: stackName() }));
      if (answer === undefined) return undefined;
      const { TemplateBody: body } = memberOf(answer, "a template");
      return typeof body === "string" ? body : JSON.stringify(body);
    },
    template,
    print: (line: string) => void process.stderr.write(`${line}\n`),
    get functionNames(): readonly string[] {
      return Object.keys(memberOf(service()["functions"], "service.functions"));
    },
    /** The `custom` block of serverless.yml. */
    get custom(): JsonObject {
      return jsonOf(service()["custom"], "service.custom");
    },
    /** An error that the framework prints without a stack trace. */
    failure: failureOf(memberOf(root["classes"], "classes")["Error"]),
    /** Lets CloudFormation use a role in place of the caller's. */
    setServiceRole: (deploymentRole: string) => {
      const { iam } = provider();
      provider()["iam"] = { ...objectOf(iam), deploymentRole };
    },
    /** Replaces properties of a resource of serverless.yml before it is compiled. */
    setResourceProperties: (id: string, properties: JsonObject) => {
      const resources = memberOf(service()["resources"], "service.resources");
      const all = decodeResources(resources["Resources"]);
      resources["Resources"] = { ...all, [id]: withProperties(resourceOf(all, id), properties) };
    },
    changeTemplate: (change: (template: Template) => Template) => {
      provider()["compiledCloudFormationTemplate"] = change(template());
    },
  };
}

/** The word in serverless.yml for a Region that is not given: the framework cannot do without one. */
const NONE = "none";

/** Credentials, Region and retries of the framework, for a client of the AWS SDK. */
async function clientConfiguration(root: Record<string, unknown>): Promise<object> {
  const getProvider = root["getProvider"];
  if (typeof getProvider !== "function") throw unexpected("getProvider");
  const aws = memberOf(Reflect.apply(getProvider, root, ["aws"]), "the AWS provider");
  const configure = aws["getAwsSdkV3Config"];
  if (typeof configure !== "function") throw unexpected("the AWS provider's getAwsSdkV3Config");
  return memberOf(await Reflect.apply(configure, aws, []), "the configuration of AWS clients");
}

function failureOf(ErrorClass: unknown): (message: string) => Error {
  if (typeof ErrorClass !== "function") throw unexpected("classes.Error");
  return (message) => {
    const error: unknown = Reflect.construct(ErrorClass, [message]);
    return error instanceof Error ? error : new Error(message);
  };
}

/** The framework's own object, which is changed in place: the framework reads it again. */
function memberOf(value: unknown, path: string): Record<string, unknown> {
  return jsonOf(value, path) as Record<string, unknown>;
}

function jsonOf(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw unexpected(path);
  return value;
}

function unexpected(path: string): TypeError {
  return new TypeError(
    `Cannot read ${path} of the Serverless framework: use the version in package-lock.json (npm ci)`,
  );
}
