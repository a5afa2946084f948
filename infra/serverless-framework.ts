// Owns the part of the Serverless framework's object that the plugin uses. The framework has no types for it: what is read
// is decoded here, and what is written goes through the functions here.
import { isObject, type JsonObject } from "../lib/json.ts";
import { decodeResources, decodeTemplate, resourceOf, type Template, withProperties } from "./template.ts";

/** The framework, decoded. */
export interface Framework {
  /** The folder with serverless.yml. */
  readonly directory: string;
  readonly functionNames: readonly string[];
  /** The `custom` block of serverless.yml. */
  readonly custom: JsonObject;
  /** An error that the framework prints without a stack trace. */
  readonly failure: (message: string) => Error;
  /** Replaces properties of a resource of serverless.yml before it is compiled. */
  readonly setResourceProperties: (id: string, properties: JsonObject) => void;
  /** Replaces the compiled template. */
  readonly changeTemplate: (change: (template: Template) => Template) => void;
}

/**
 * Decodes the framework's object. Its service is read when a hook asks for it: variables are resolved by then.
 *
 * @throws TypeError naming the member that is not as expected, after a change of the framework
 */
export function decodeFramework(serverless: unknown): Framework {
  const root = memberOf(serverless, "serverless");
  const service = () => memberOf(root["service"], "service");
  const provider = () => memberOf(service()["provider"], "service.provider");
  const directory = root["serviceDir"];
  if (typeof directory !== "string") throw unexpected("serviceDir");
  return {
    directory,
    get functionNames() {
      return Object.keys(memberOf(service()["functions"], "service.functions"));
    },
    get custom() {
      return jsonOf(service()["custom"], "service.custom");
    },
    failure: failureOf(memberOf(root["classes"], "classes")["Error"]),
    setResourceProperties: (id, properties) => {
      const resources = memberOf(service()["resources"], "service.resources");
      const all = decodeResources(resources["Resources"]);
      resources["Resources"] = { ...all, [id]: withProperties(resourceOf(all, id), properties) };
    },
    changeTemplate: (change) => {
      const template = decodeTemplate(provider()["compiledCloudFormationTemplate"]);
      provider()["compiledCloudFormationTemplate"] = change(template);
    },
  };
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
  if (!isRecord(value)) throw unexpected(path);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
