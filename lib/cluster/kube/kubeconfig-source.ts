// From what a kubeconfig is read, and what it comes to. Types only.
import type { KubeAccess } from "./kube-access.ts";

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
  /** Where a pod finds its API server, and SSL_CERT_FILE. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface PluginRun {
  /** The kubeconfig: a command with a slash is relative to it. */
  readonly nextTo: string;
  /** Whether the plugin gets the terminal. */
  readonly isInteractive: boolean;
}

export interface KubeconfigAccess extends KubeAccess {
  /** The cluster's own proxy. */
  readonly proxyUrl?: string;
}

/** As whom to come. */
export type Credentials = Pick<KubeAccess, "token" | "certificate" | "key" | "headers">;
