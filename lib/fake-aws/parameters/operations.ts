// The operations of Parameter Store as its protocol has them: JSON in, JSON out, and the table after it.
import { defined, type JsonObject, type JsonValue } from "@outrigger/base";
import { cutPage, shuffled } from "./pages.ts";
import { type Found, findBelow, findMatching, findParameter, lookUp } from "./parameter-queries.ts";
import { arnOf, checkNames, ServiceError, validationError } from "./parameter-rules.ts";
import {
  deleteParameters,
  labelVersion,
  type ParameterTable,
  putParameter,
  unlabelVersion,
  type WriteContext,
} from "./parameter-table.ts";
import { flagOf, maxResults, objectsOf, oneOf, optionalText, optionalWhole, textOf, textsOf } from "./service-input.ts";

export interface OperationContext extends WriteContext {
  /** Left out, answers are whole and in order. */
  readonly random: (() => number) | undefined;
}

export interface Performed {
  readonly table: ParameterTable;
  readonly output: JsonObject;
}

export const OPERATIONS = {
  PutParameter: put,
  DeleteParameter: deleteOne,
  DeleteParameters: deleteMany,
  LabelParameterVersion: label,
  UnlabelParameterVersion: unlabel,
  GetParameter: getOne,
  GetParameters: getMany,
  GetParametersByPath: getByPath,
  GetParameterHistory: getHistory,
  DescribeParameters: describe,
} satisfies Record<string, (table: ParameterTable, input: JsonObject, context: OperationContext) => Performed>;

export type Operation = keyof typeof OPERATIONS;

const TYPES = ["String", "StringList", "SecureString"] as const;
const TIERS = ["Standard", "Advanced", "Intelligent-Tiering"] as const;

function put(table: ParameterTable, input: JsonObject, context: OperationContext): Performed {
  const overwrite = flagOf(input, "Overwrite");
  const type = oneOf(input, "Type", TYPES);
  const tier = oneOf(input, "Tier", TIERS);
  const description = optionalText(input, "Description");
  if (overwrite && objectsOf(input, "Tags").length > 0) {
    throw validationError(
      "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please remove overwrite flag. To update tags for an existing parameter, please use AddTagsToResource or RemoveTagsFromResource.",
    );
  }
  const [name, value] = [textOf(input, "Name"), textOf(input, "Value")];
  const after = putParameter(table, { name, value, overwrite, ...defined({ type, tier, description }) }, context);
  return { table: after.table, output: { Version: after.written.version, Tier: after.written.tier } };
}

function deleteOne(table: ParameterTable, input: JsonObject): Performed {
  const after = deleteParameters(table, [textOf(input, "Name")]);
  if (after.deleted.length === 0) throw new ServiceError("ParameterNotFound");
  return { table: after.table, output: {} };
}

function deleteMany(table: ParameterTable, input: JsonObject): Performed {
  const names = textsOf(input, "Names");
  checkNames(names);
  const after = deleteParameters(table, names);
  const invalid = names.filter((name) => !after.deleted.includes(name));
  return { table: after.table, output: { DeletedParameters: after.deleted, InvalidParameters: invalid } };
}

function label(table: ParameterTable, input: JsonObject): Performed {
  const version = optionalWhole(input, "ParameterVersion");
  const after = labelVersion(table, textOf(input, "Name"), version, textsOf(input, "Labels"));
  return { table: after.table, output: { InvalidLabels: after.invalid, ParameterVersion: after.version } };
}

function unlabel(table: ParameterTable, input: JsonObject): Performed {
  const version = optionalWhole(input, "ParameterVersion");
  if (version === undefined) throw validationError("A parameter version is required.");
  const after = unlabelVersion(table, textOf(input, "Name"), version, textsOf(input, "Labels"));
  return { table: after.table, output: { RemovedLabels: after.removed, InvalidLabels: after.invalid } };
}

function getOne(table: ParameterTable, input: JsonObject): Performed {
  const found = findParameter(table, textOf(input, "Name"));
  return { table, output: { Parameter: shown(found, flagOf(input, "WithDecryption")) } };
}

function getMany(table: ParameterTable, input: JsonObject, { random }: OperationContext): Performed {
  const names = textsOf(input, "Names");
  checkNames(names);
  const asked = random === undefined ? names : shuffled(names, random);
  const found = new Map(asked.map((name) => [name, lookUp(table, name)]));
  const invalid = names.filter((name) => found.get(name) === undefined);
  const isOpen = flagOf(input, "WithDecryption");
  const parameters = [...found.values()].filter((item) => item !== undefined).map((item) => shown(item, isOpen));
  return { table, output: { Parameters: parameters, InvalidParameters: invalid } };
}

function getByPath(table: ParameterTable, input: JsonObject, { random }: OperationContext): Performed {
  const path = textOf(input, "Path");
  const isRecursive = flagOf(input, "Recursive");
  if (objectsOf(input, "ParameterFilters").length > 0)
    throw new ServiceError("InvalidFilterKey", "Filters are not part of this fake");
  const request = pageRequest(input, `${path} ${isRecursive}`, 10);
  const page = cutPage(findBelow(table, path, isRecursive), request, random);
  const isOpen = flagOf(input, "WithDecryption");
  const parameters = page.items.map((item) => shown(item, isOpen));
  return { table, output: { Parameters: parameters, ...defined({ NextToken: page.token }) } };
}

function getHistory(table: ParameterTable, input: JsonObject): Performed {
  const name = textOf(input, "Name");
  findParameter(table, name);
  // In order of their numbers, whatever chance says: names that sort as the versions do.
  const versions = (table.get(name) ?? []).map((stored) => ({
    name: String(stored.version).padStart(12, "0"),
    found: { name, selector: "", stored },
  }));
  const page = cutPage(versions, pageRequest(input, name, 50), undefined);
  const isOpen = flagOf(input, "WithDecryption");
  const parameters = page.items.map(({ found }) => {
    return { ...described(found), Value: shownValue(found, isOpen), Labels: found.stored.labels };
  });
  return { table, output: { Parameters: parameters, ...defined({ NextToken: page.token }) } };
}

function describe(table: ParameterTable, input: JsonObject, { random }: OperationContext): Performed {
  const filters = objectsOf(input, "ParameterFilters").map((filter) => ({
    key: textOf(filter, "Key"),
    option: optionalText(filter, "Option") ?? "Equals",
    values: textsOf(filter, "Values"),
  }));
  const page = cutPage(findMatching(table, filters), pageRequest(input, JSON.stringify(filters), 50), random);
  return { table, output: { Parameters: page.items.map(described), ...defined({ NextToken: page.token }) } };
}

function pageRequest(input: JsonObject, question: string, most: number) {
  return { question, max: maxResults(input, most), token: optionalText(input, "NextToken") };
}

function shown(found: Found, isOpen: boolean): JsonObject {
  const { name, selector, stored } = found;
  return {
    ...(selector === "" ? {} : { Selector: selector }),
    ARN: arnOf(name),
    DataType: "text",
    LastModifiedDate: stored.modified / 1000,
    Name: name,
    Type: stored.type,
    Value: shownValue(found, isOpen),
    Version: stored.version,
  };
}

function described({ name, stored }: Found): JsonObject {
  return defined({
    ARN: arnOf(name),
    DataType: "text",
    Description: stored.description,
    LastModifiedDate: stored.modified / 1000,
    LastModifiedUser: stored.user,
    Name: name,
    Policies: [],
    Tier: stored.tier,
    Type: stored.type,
    Version: stored.version,
  });
}

/** A SecureString that is not asked for open comes as a ciphertext: here, something that is not its value. */
function shownValue({ stored }: Found, isOpen: boolean): JsonValue {
  if (stored.type !== "SecureString" || isOpen) return stored.value;
  return Buffer.from(`sealed ${stored.value}`).toString("base64");
}
