// Parts of a kubeconfig's entries: names, PEM texts inline or in files next to it, and what is said where something is wrong.
import { defined, isObject, type JsonObject, OutriggerError } from "@outrigger/base";
import type { KubeAccess } from "./kube-access.ts";

/** A context, cluster or user, and the file that has it. */
export interface Entry {
  readonly file: string;
  readonly name: string;
  readonly entry: JsonObject;
}

/** PEM text: inline as base64, or in a file relative to the kubeconfig; client-go takes one of them only. */
export async function pem(source: KubeconfigSource, from: Entry, key: string): Promise<string | undefined> {
  const [inline, file] = [from.entry[`${key}-data`], from.entry[key]];
  if (isName(inline) && isName(file))
    throw refused(`${from.name} has both ${key} and ${key}-data: take one of them away`);
  if (isName(inline)) return Buffer.from(inline, "base64").toString("utf8");
  return isName(file) ? readNextTo(source, from, file) : undefined;
}

export async function readNextTo({ readText }: KubeconfigSource, from: Entry, file: string): Promise<string> {
  return readText(file, from.file).catch((cause: unknown) => {
    throw refused(`${file}, which ${from.file} names, cannot be read`, cause);
  });
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function nameOf(value: unknown): string | undefined {
  return isName(value) ? value : undefined;
}

export function isGiven(value: unknown): boolean {
  return isName(value) || isObject(value) || (Array.isArray(value) && value.length > 0);
}

export function refused(why: string, cause?: unknown): OutriggerError {
  return new OutriggerError("cluster-denied", `Cannot use the kubeconfig: ${why}`, defined({ cause }));
}

export interface KubeconfigSource {
  /** The files, the first of which wins where two say something of the same name. One that is missing says nothing. */
  readonly files: readonly string[];
  /** Whether a file was named for itself, as with --kubeconfig: then it has to be there. */
  readonly isExplicit?: boolean;
  /** Left out: the current one. */
  readonly context?: string;
  /** A file's text, its name relative to the directory of another where there is one; throws where there is none. */
  readonly readText: (file: string, besides?: string) => Promise<string>;
  /** Runs a plugin and gives what it prints. */
  readonly run: (
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    plugin: PluginRun,
  ) => Promise<string>;
  /** Whether a person can answer a plugin's questions. */
  readonly isInteractive?: boolean;
  /** The variables by which a pod finds its API server, and SSL_CERT_FILE. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface PluginRun {
  /** The kubeconfig: a command with a slash is relative to it. */
  readonly nextTo: string;
  /** Whether the plugin gets the terminal. */
  readonly isInteractive: boolean;
}

export type Credentials = Pick<KubeAccess, "token" | "certificate" | "key" | "headers">;
