// What osls packages, read into memory: the template, the functions' zips, and what a deploy of them needs to know.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type JsonObject, objectOf, textOf } from "@outrigger/base";
import type { Io } from "../terminal/io.ts";
import { runOsls } from "./run-osls.ts";

export interface PackagedByOsls {
  readonly template: JsonObject;
  /** Function → its zip. */
  readonly zips: ReadonlyMap<string, Uint8Array>;
  readonly region: string;
  /** Of the stack. */
  readonly tags: Readonly<Record<string, string>>;
  /** The setting `serviceRole`. */
  readonly role: string | undefined;
}

/** @param words of osls, for the stage and its settings */
export async function packageWithOsls(words: readonly string[], io: Io): Promise<PackagedByOsls> {
  const folder = await mkdtemp(join(tmpdir(), "outrigger-package-"));
  try {
    await runOsls(["package", "--package", folder, ...words], io);
    const bytes = (name: string) => readFile(join(folder, name));
    const json = async (name: string) => objectOf(JSON.parse((await bytes(name)).toString("utf8")));
    const names = (await readdir(folder)).filter((name) => name.endsWith(".zip")).toSorted();
    const zips = names.map(async (name) => [basename(name, ".zip"), new Uint8Array(await bytes(name))] as const);
    const { service } = await json("serverless-state.json");
    const { region, stackTags, iam } = objectOf(objectOf(service)["provider"]);
    const tags = Object.entries(objectOf(stackTags)).map(([key, value]) => [key, String(value)] as const);
    return {
      template: await json("cloudformation-template-update-stack.json"),
      zips: new Map(await Promise.all(zips)),
      region: textOf(region) ?? "",
      tags: Object.fromEntries(tags),
      role: textOf(objectOf(iam)["deploymentRole"]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
