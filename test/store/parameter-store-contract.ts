// What Outrigger takes for granted of Parameter Store, as tests that any stand-in for it has to pass. What the real
// service does is taken from its API reference and user guide.

import type { Parameter, ParameterStore, Tier } from "@outrigger/aws";
import { defined, isObject, type JsonObject } from "@outrigger/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "./backend.ts";

/**
 * Runs the contract against a stand-in.
 *
 * @param differences titles of tests that it is known to fail, each with what it does instead. One that passes after
 *   all fails the suite, so that the list stays true.
 * @param lacking why it cannot be had here: its tests are skipped, and say so
 */
export function describeContract(
  name: string,
  open: () => Promise<Backend>,
  differences: Readonly<Record<string, string>> = {},
  lacking?: string,
): void {
  const title = lacking === undefined ? name : `${name} (skipped: ${lacking})`;
  describe.skipIf(lacking !== undefined)(`Parameter Store: ${title}`, () => {
    let backend: Backend;
    let tests = 0;
    beforeAll(async () => {
      backend = await open();
    }, 60_000);
    afterAll(() => backend?.close());

    for (const [title, run] of Object.entries(CONTRACT)) {
      const difference = differences[title];
      const test = () => run({ ...backend, root: `/contract/t${++tests}` });
      if (difference === undefined) it(title, test, 30_000);
      else it.fails(`${title} (known difference: ${difference})`, test, 30_000);
    }

    it("has no known difference that names no test", () => {
      expect(Object.keys(differences).filter((title) => !Object.hasOwn(CONTRACT, title))).toEqual([]);
    });
  });
}

interface Given extends Backend {
  /** A path of the test's own. */
  readonly root: string;
}

const CONTRACT: Readonly<Record<string, (given: Given) => Promise<void>>> = {
  "gives back what was written": async ({ store, root }) => {
    const before = Date.now() - 5000;
    expect(await put(store, `${root}/a`, "one")).toBe(1);
    const [parameter] = await store.getParameters([`${root}/a`]);
    expect(parameter).toEqual({
      name: `${root}/a`,
      value: "one",
      type: "String",
      version: 1,
      lastModified: anyNumber(),
    });
    expect(parameter?.lastModified).toBeGreaterThan(before);
  },

  "keeps letters of any language, line ends and spaces": async ({ store, root }) => {
    const value = " ü 漢字 🚀\r\n\ttab <% x %> {a: {b: 1} }\n\n ";
    await put(store, `${root}/a`, value);
    expect((await store.getParameters([`${root}/a`]))[0]?.value).toBe(value);
  },

  "leaves out names that do not exist": async ({ store, root }) => {
    await put(store, `${root}/a`);
    expect(namesOf(await store.getParameters([`${root}/b`, `${root}/a`, `${root}/a/b`]))).toEqual([`${root}/a`]);
    expect(await store.getParameters([`${root}/c`])).toEqual([]);
  },

  "counts versions up, and from one again after a deletion": async ({ store, root }) => {
    expect([await put(store, `${root}/a`), await put(store, `${root}/a`)]).toEqual([1, 2]);
    await store.deleteParameters([`${root}/a`]);
    expect(await put(store, `${root}/a`)).toBe(1);
  },

  "overwrites nothing unless it is asked to": async ({ store, root }) => {
    await put(store, `${root}/a`, "one");
    const write = { name: `${root}/a`, value: "two", overwrite: false, tier: "Standard" as const };
    await expect(store.putParameter(write)).rejects.toMatchObject({ code: "parameter-exists" });
    expect((await store.getParameters([`${root}/a`]))[0]).toMatchObject({ value: "one", version: 1 });
  },

  "deletes those of ten names that exist and ignores the others": async ({ store, root }) => {
    await put(store, `${root}/a`);
    await put(store, `${root}/b`);
    await store.deleteParameters([`${root}/a`, `${root}/none`]);
    expect(namesOf(await store.getParameters([`${root}/a`, `${root}/b`]))).toEqual([`${root}/b`]);
  },

  "gives everything below a path once, in pages of at most ten": async ({ store, root }) => {
    const names = Array.from({ length: 23 }, (_, index) => `${root}/in/${index % 3}/${index}`);
    for (const name of [...names, `${root}/in`, `${root}/input/x`, `${root}/other`]) await put(store, name);
    const pages = await pagesBelow(store, `${root}/in`);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(10);
    expect(namesOf(pages.flat()).sort()).toEqual([...names].sort());
    expect(pages.flat().every(({ value, version }) => value === "x" && version === 1)).toBe(true);
  },

  "gives no parameter below a path that has none": async ({ store, root }) => {
    expect((await pagesBelow(store, `${root}/none`)).flat()).toEqual([]);
  },

  "gives a page's token to the same question only": async ({ store, ask, root }) => {
    for (let index = 0; index < 12; index++) await put(store, `${root}/a/${index}`);
    const { NextToken } = await ask("GetParametersByPath", { Path: root, Recursive: true, MaxResults: 5 });
    expect(NextToken).toBeTypeOf("string");
    await refused(
      ask("GetParametersByPath", { Path: `${root}/a`, NextToken: NextToken as string }),
      "InvalidNextToken",
    );
    await refused(ask("GetParametersByPath", { Path: root, NextToken: "made up" }), "InvalidNextToken");
  },

  "lists one level unless asked to go deeper, and at most ten": async ({ store, ask, root }) => {
    await put(store, `${root}/a`);
    await put(store, `${root}/b/c`);
    const input = { Path: `${root}/`, Recursive: false };
    expect(await listed(ask, input)).toEqual([`${root}/a`]);
    await refused(ask("GetParametersByPath", { Path: root, MaxResults: 11 }), "ValidationException");
  },

  "refuses an invalid path": async ({ ask }) => {
    await refused(ask("GetParametersByPath", { Path: "no-slash" }), "ValidationException");
  },

  ...refusesValue("refuses an empty value", ""),
  ...refusesValue("refuses two opening braces", "a {{ b"),
  ...refusesValue("refuses two closing braces", "{a: {b: 1}}"),
  ...refusesValue("refuses more than 4096 bytes on the Standard tier", "x".repeat(4097)),
  ...refusesValue("refuses more than 8192 bytes on the Advanced tier", "x".repeat(8193), "Advanced"),

  "takes 4096 bytes on the Standard tier and 8192 on the Advanced": async ({ store, root }) => {
    await put(store, `${root}/a`, "x".repeat(4096));
    await put(store, `${root}/b`, "x".repeat(8192), "Advanced");
    const sizes = (await store.getParameters([`${root}/a`, `${root}/b`])).map(({ value }) => value.length);
    expect(sizes.sort()).toEqual([4096, 8192]);
  },

  "keeps a parameter on the Advanced tier when a write asks for less": async ({ store, ask, root }) => {
    await put(store, `${root}/a`, "x");
    expect(await put(store, `${root}/a`, "x".repeat(5000), "Advanced")).toBe(2);
    expect(await put(store, `${root}/a`, "x")).toBe(3);
    const filter = { Key: "Name", Option: "Equals", Values: [`${root}/a`] };
    expect(await ask("DescribeParameters", { ParameterFilters: [filter] })).toMatchObject({
      Parameters: [{ Tier: "Advanced" }],
    });
  },

  "keeps the tier when a write names none": async ({ ask, root }) => {
    const write = { Name: `${root}/a`, Value: "x", Type: "String", Overwrite: true };
    expect(await ask("PutParameter", { ...write, Tier: "Advanced" })).toMatchObject({ Tier: "Advanced" });
    expect(await ask("PutParameter", write)).toMatchObject({ Version: 2, Tier: "Advanced" });
  },

  "takes the tier that a value needs when it is to choose": async ({ ask, root }) => {
    const write = { Name: `${root}/a`, Type: "String", Overwrite: true, Tier: "Intelligent-Tiering" };
    expect(await ask("PutParameter", { ...write, Value: "x" })).toMatchObject({ Tier: "Standard" });
    expect(await ask("PutParameter", { ...write, Value: "x".repeat(5000) })).toMatchObject({ Tier: "Advanced" });
  },

  ...refusesName("refuses a name with a space", (root) => `${root}/a b`),
  ...refusesName("refuses a name with a colon", (root) => `${root}/a:1`),
  ...refusesName("refuses a name with an empty level", (root) => `${root}//a`),
  ...refusesName("refuses a path that does not begin with a slash", (root) => `${root.slice(1)}/a`),
  ...refusesName("refuses a name that begins with ssm", () => "ssm-mine"),
  ...refusesName("refuses a path that begins with ssm", () => "/SSM/mine"),
  ...refusesName("refuses a name that begins with aws", () => "awsMine"),
  ...refusesName("refuses more than fifteen levels", (root) => `${root}${"/x".repeat(14)}`),
  ...refusesName("refuses a name of more than 1011 characters with its ARN", (root) => `${root}/${"x".repeat(980)}`),

  "keeps the paths of AWS for AWS": async ({ store }) => {
    await expect(put(store, "/aws/mine")).rejects.toMatchObject({ code: "store-denied" });
  },

  "takes fifteen levels, and every letter that a name may have": async ({ store, root }) => {
    for (const name of [`${root}${"/x".repeat(13)}`, `${root}/aZ09_.-`, `contract-${Date.now()}`]) {
      expect(await put(store, name)).toBe(1);
      expect(namesOf(await store.getParameters([name]))).toEqual([name]);
    }
  },

  "takes ten names and refuses eleven when it reads": async ({ store, root }) => {
    const names = Array.from({ length: 11 }, (_, index) => `${root}/${index}`);
    expect(await store.getParameters(names.slice(1))).toEqual([]);
    await expect(store.getParameters(names)).rejects.toMatchObject({ code: "parameter-refused" });
  },

  "takes ten names and refuses eleven when it deletes": async ({ store, root }) => {
    const names = Array.from({ length: 11 }, (_, index) => `${root}/${index}`);
    await store.deleteParameters(names.slice(1));
    await expect(store.deleteParameters(names)).rejects.toMatchObject({ code: "parameter-refused" });
  },

  "refuses the same name twice": async ({ store, root }) => {
    await expect(store.getParameters([`${root}/a`, `${root}/a`])).rejects.toMatchObject({ code: "parameter-refused" });
  },

  "finds a version and a label by its selector": async ({ store, ask, root }) => {
    const name = `${root}/a`;
    await put(store, name, "one");
    await put(store, name, "two");
    await ask("LabelParameterVersion", { Name: name, ParameterVersion: 1, Labels: ["good"] });
    for (const [selector, value] of [
      ["", "two"],
      [":1", "one"],
      [":2", "two"],
      [":good", "one"],
    ] as const) {
      const { Parameter } = await ask("GetParameter", { Name: `${name}${selector}` });
      expect(Parameter).toMatchObject({ Name: name, Value: value });
    }
  },

  "says by which selector it found one of several": async ({ store, ask, root }) => {
    const name = `${root}/a`;
    await put(store, name, "one");
    await put(store, name, "two");
    const { Parameters, InvalidParameters } = await ask("GetParameters", { Names: [`${name}:1`, `${name}:9`] });
    expect(Parameters).toMatchObject([{ Name: name, Value: "one", Selector: ":1" }]);
    expect(InvalidParameters).toEqual([`${name}:9`]);
  },

  "has names for a parameter and a version that does not exist": async ({ store, ask, root }) => {
    const Name = `${root}/a`;
    await refused(ask("GetParameter", { Name }), "ParameterNotFound");
    await refused(ask("DeleteParameter", { Name }), "ParameterNotFound");
    await refused(ask("GetParameterHistory", { Name }), "ParameterNotFound");
    await refused(ask("LabelParameterVersion", { Name, Labels: ["x"] }), "ParameterNotFound");
    await put(store, Name);
    await refused(ask("GetParameter", { Name: `${Name}:9` }), "ParameterVersionNotFound");
    expect(await ask("DeleteParameter", { Name })).toEqual({});
  },

  "opens a SecureString only when it is asked to": async ({ store, ask, root }) => {
    const Name = `${root}/a`;
    await ask("PutParameter", { Name, Value: "secret", Type: "SecureString" });
    const [sealed] = await store.getParameters([Name]);
    expect(sealed?.type).toBe("SecureString");
    expect(sealed?.value).not.toBe("secret");
    const { Parameter } = await ask("GetParameter", { Name, WithDecryption: true });
    expect(Parameter).toMatchObject({ Value: "secret" });
  },

  "needs a type for a new parameter and keeps it afterwards": async ({ ask, root }) => {
    const Name = `${root}/a`;
    await refused(ask("PutParameter", { Name, Value: "a,b" }), "ValidationException");
    await ask("PutParameter", { Name, Value: "a,b", Type: "StringList" });
    await ask("PutParameter", { Name, Value: "c,d", Overwrite: true });
    expect((await ask("GetParameter", { Name }))["Parameter"]).toMatchObject({ Type: "StringList", Value: "c,d" });
  },

  "refuses another type for a parameter that is there": async ({ ask, root }) => {
    const Name = `${root}/a`;
    await ask("PutParameter", { Name, Value: "x", Type: "String" });
    const write = ask("PutParameter", { Name, Value: "x", Type: "SecureString", Overwrite: true });
    await refused(write, "HierarchyTypeMismatchException");
  },

  "refuses a type that does not exist": async ({ ask, root }) => {
    await refused(ask("PutParameter", { Name: `${root}/a`, Value: "x", Type: "Text" }), "ValidationException");
  },

  "refuses a tier that does not exist": async ({ ask, root }) => {
    const write = { Name: `${root}/a`, Value: "x", Type: "String", Tier: "Large" };
    await refused(ask("PutParameter", write), "ValidationException");
  },

  "keeps a hundred versions, the oldest of them only while no label holds it": async ({ store, ask, root }) => {
    const Name = `${root}/a`;
    for (let version = 1; version <= 101; version++) expect(await put(store, Name, `v${version}`)).toBe(version);
    await refused(ask("GetParameter", { Name: `${Name}:1` }), "ParameterVersionNotFound");
    await ask("LabelParameterVersion", { Name, ParameterVersion: 2, Labels: ["hold"] });
    const write = { Name, Value: "x", Overwrite: true };
    await refused(ask("PutParameter", write), "ParameterMaxVersionLimitExceeded");
    await ask("LabelParameterVersion", { Name, ParameterVersion: 100, Labels: ["hold"] });
    expect(await ask("PutParameter", write)).toMatchObject({ Version: 102 });
  },

  "returns a history from the oldest on, with labels, in pages": async ({ store, ask, root }) => {
    const Name = `${root}/a`;
    for (const value of ["one", "two", "three"]) await put(store, Name, value);
    await ask("LabelParameterVersion", { Name, ParameterVersion: 2, Labels: ["good"] });
    const first = await ask("GetParameterHistory", { Name, MaxResults: 2 });
    const rest = await ask("GetParameterHistory", { Name, MaxResults: 2, NextToken: first["NextToken"] as string });
    expect([first["Parameters"], rest["Parameters"]].flat()).toMatchObject([
      { Version: 1, Value: "one", Labels: [] },
      { Version: 2, Value: "two", Labels: ["good"] },
      { Version: 3, Value: "three", Labels: [] },
    ]);
    expect(rest["NextToken"]).toBeUndefined();
  },

  "has a label on one version, reports invalid labels, and takes ten": async ({ store, ask, root }) => {
    const Name = `${root}/a`;
    await put(store, Name, "one");
    await put(store, Name, "two");
    const label = (Labels: readonly string[], version?: number) =>
      ask("LabelParameterVersion", defined({ Name, Labels, ParameterVersion: version }));
    expect(await label(["good", "1st", "aws-x", "a b"], 1)).toEqual({
      InvalidLabels: ["1st", "aws-x", "a b"],
      ParameterVersion: 1,
    });
    expect(await label(["good"])).toEqual({ InvalidLabels: [], ParameterVersion: 2 });
    expect((await ask("GetParameter", { Name: `${Name}:good` }))["Parameter"]).toMatchObject({ Value: "two" });
    const more = Array.from({ length: 10 }, (_, index) => `l${index}`);
    await refused(label(more, 2), "ParameterVersionLabelLimitExceeded");
    const unlabel = (Labels: readonly string[], ParameterVersion: number) =>
      ask("UnlabelParameterVersion", { Name, Labels, ParameterVersion });
    expect(await unlabel(["good", "bad"], 2)).toEqual({ RemovedLabels: ["good"], InvalidLabels: ["bad"] });
    expect(await unlabel(["good"], 2)).toEqual({ RemovedLabels: [], InvalidLabels: ["good"] });
    await refused(unlabel(["good"], 3), "ParameterVersionNotFound");
  },

  "describes parameters by name and type, without their values": async ({ store, ask, root }) => {
    await put(store, `${root}/a`, "x");
    await ask("PutParameter", { Name: `${root}/b`, Value: "x,y", Type: "StringList", Description: "two" });
    const below = { Key: "Name", Option: "BeginsWith", Values: [`${root}/`] };
    const ofType = { Key: "Type", Values: ["StringList"] };
    expect(await described(ask, [below])).toEqual([`${root}/a`, `${root}/b`]);
    expect(await described(ask, [below, ofType])).toEqual([`${root}/b`]);
    const { Parameters } = await ask("DescribeParameters", { ParameterFilters: [below, ofType] });
    const [parameter] = (Parameters as readonly JsonObject[]).filter(isObject);
    if (parameter !== undefined) {
      expect(parameter).toMatchObject({ Description: "two", Type: "StringList", Version: 1, Tier: "Standard" });
      expect(parameter).not.toHaveProperty("Value");
    }
  },
};

function refusesValue(title: string, value: string, tier: Tier = "Standard") {
  return {
    [title]: async ({ store, root }: Given) => {
      await expect(put(store, `${root}/a`, value, tier)).rejects.toMatchObject({
        code: "parameter-refused",
        path: `${root}/a`,
      });
      expect(await store.getParameters([`${root}/a`])).toEqual([]);
    },
  };
}

function refusesName(title: string, nameIn: (root: string) => string) {
  return {
    [title]: async ({ store, root }: Given) => {
      const name = nameIn(root);
      try {
        await expect(put(store, name)).rejects.toMatchObject({ code: "parameter-refused", path: name });
      } finally {
        // Who took it must not stumble over it in a later test.
        await store.deleteParameters([name]);
      }
    },
  };
}

function put(store: ParameterStore, name: string, value = "x", tier: Tier = "Standard"): Promise<number> {
  return store.putParameter({ name, value, overwrite: true, tier });
}

async function refused(answer: Promise<unknown>, name: string): Promise<void> {
  await expect(answer).rejects.toMatchObject({ name });
}

async function pagesBelow(store: ParameterStore, path: string): Promise<readonly (readonly Parameter[])[]> {
  const pages: (readonly Parameter[])[] = [];
  let next: string | undefined;
  do {
    const page = await store.getParametersByPath({ path, next });
    pages.push(page.parameters);
    next = page.next;
  } while (next !== undefined);
  return pages;
}

async function listed(ask: Backend["ask"], input: JsonObject): Promise<readonly string[]> {
  return everyPage((token) => ask("GetParametersByPath", { ...input, ...token }));
}

async function described(ask: Backend["ask"], filters: readonly JsonObject[]): Promise<readonly string[]> {
  return everyPage((token) => ask("DescribeParameters", { ParameterFilters: filters, ...token }));
}

async function everyPage(page: (token: JsonObject) => Promise<JsonObject>): Promise<readonly string[]> {
  const names: string[] = [];
  let token: JsonObject = {};
  do {
    const { Parameters, NextToken } = await page(token);
    for (const parameter of Parameters as readonly JsonObject[]) names.push(parameter["Name"] as string);
    token = typeof NextToken === "string" ? { NextToken } : {};
  } while (token["NextToken"] !== undefined);
  return names.sort();
}

function namesOf(parameters: readonly Parameter[]): string[] {
  return parameters.map(({ name }) => name);
}

function anyNumber(): unknown {
  return expect.any(Number);
}
