// Our reader of kubeconfigs next to client-go's: what it makes of each case of test/kubeconfig was written by client-go itself.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KubeconfigAccess, readKubeconfig } from "../kube/kubeconfig.ts";

/** A kubeconfig as test/kubeconfig/read.go reads it. */
interface KubeconfigCase {
  readonly name: string;
  /** File → text, below one folder. */
  readonly files: Readonly<Record<string, string>>;
  /** $KUBECONFIG. */
  readonly kubeconfig?: readonly string[];
  /** --kubeconfig. */
  readonly explicit?: string;
  readonly context?: string;
}

/** A connection as test/kubeconfig/read.go writes it. */
interface Reading {
  readonly name: string;
  readonly refused?: true;
  /** A credential that client-go supports and we refuse: a user name and password. */
  readonly other?: string;
}

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/kubeconfig/${file}`, import.meta.url), "utf8"));
const kubeconfigCases: readonly KubeconfigCase[] = read("cases.json");
const expected = new Map((read("expected.json") as readonly Reading[]).map((one) => [one.name, one]));

describe("readKubeconfig() and client-go", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-kubeconfigs-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns what we make of a case, in the words of expected.json. */
  async function reading({ name, files, kubeconfig = [], explicit, context }: KubeconfigCase, at: string) {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(at, file)), { recursive: true });
      writeFileSync(join(at, file), text);
    }
    let plugin: string | undefined;
    const access = await readKubeconfig({
      files: (explicit === undefined ? kubeconfig : [explicit]).map((file) => join(at, file)),
      isExplicit: explicit !== undefined,
      ...(context === undefined ? {} : { context }),
      readText: (file, besides) => readFile(besides === undefined ? file : resolve(dirname(besides), file), "utf8"),
      run: async (command, args) => {
        plugin = [command.replace(/^\.\//, ""), ...args].join(" ");
        return JSON.stringify({ status: { token: "issued" } });
      },
    }).catch(() => undefined);
    if (access === undefined) return { name, refused: true };
    return { name, ...(await describedAs(access, plugin)) };
  }

  it("has the same cases as client-go has read", () => {
    expect([...expected.keys()]).toEqual(kubeconfigCases.map(({ name }) => name));
    expect(expected.size).toBeGreaterThanOrEqual(50);
  });

  it.each(kubeconfigCases.map((one, index) => [one.name, one, index] as const))(
    "reads %s",
    async (name, one, index) => {
      const { other, ...wanted } = expected.get(name) as Reading;
      expect(await reading(one, join(folder, String(index)))).toEqual(
        other === undefined ? wanted : { name, refused: true },
      );
    },
  );
});

async function describedAs(
  { url, ca, serverName, insecure, proxyUrl, ...access }: KubeconfigAccess,
  plugin: string | undefined,
) {
  const { certificate, key, headers = {} } = access;
  const extra = Object.entries(headers).filter(([name]) => name.startsWith("Impersonate-Extra-"));
  const found = {
    url,
    ca,
    serverName,
    insecure,
    proxy: proxyUrl,
    token: plugin === undefined ? await access.token?.() : undefined,
    certificate,
    key,
    as: headers["Impersonate-User"],
    asUid: headers["Impersonate-Uid"],
    asGroups: headers["Impersonate-Group"],
    asExtra: extra.length === 0 ? undefined : Object.fromEntries(extra.map(([name, value]) => [name.slice(18), value])),
    plugin,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
