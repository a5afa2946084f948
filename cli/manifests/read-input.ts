// Reads what a user names on the command line: a file, or standard input.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { isGoTemplate } from "@outrigger/template";
import { parseYamlDocuments } from "@outrigger/yaml";
import type { Io } from "../terminal/io.ts";
import { inputFault, isUrl, urlName } from "./input-fault.ts";

export function inputName(filename: string): string {
  if (filename === "-") return "standard input";
  return isUrl(filename) ? urlName(filename) : filename;
}

/**
 * The text of a file, of what a URL leads to, or of standard input where it is called `-`.
 *
 * @throws OutriggerError `manifest-invalid`, naming the file and why
 */
export async function readInput(filename: string, io: Io): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readBytes(filename, io));
  } catch (cause) {
    if (cause instanceof OutriggerError) throw cause;
    const source = inputName(filename);
    throw new OutriggerError("manifest-invalid", `Cannot read ${source}: ${inputFault(cause)}`, {
      path: source,
      cause,
    });
  }
}

/** @throws OutriggerError `manifest-invalid` for a Helm chart's template, which is not a manifest yet */
export function assertRendered(text: string, source: string): void {
  if (!isGoTemplate(text) || !isTemplateText(text)) return;
  const message = `Cannot read ${source}: it is a Helm template, not a manifest; render it first: helm template CHART | outrigger inject -f -`;
  throw new OutriggerError("manifest-invalid", message, { path: source });
}

/** A manifest may hold Go templates inside of text: then it is YAML all the same. */
function isTemplateText(text: string): boolean {
  try {
    const documents = parseYamlDocuments(text, "manifest");
    return documents.some(({ value }) => isObject(value) && hasTag(value));
  } catch {
    return true;
  }
}

/** `name: {{ .Values.x }}` without quotes is a mapping whose key is a mapping, or a text that starts with a tag. */
function hasTag(value: JsonObject): boolean {
  const { kind, metadata } = value;
  return [kind, objectOf(metadata)["name"]].some((text) => String(text).includes("{{"));
}

async function readBytes(filename: string, io: Io): Promise<Uint8Array> {
  if (isUrl(filename)) return (await import("./fetch-bytes.ts")).fetchBytes(filename, io);
  if (filename !== "-") return readFile(resolve(io.cwd, filename));
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}
