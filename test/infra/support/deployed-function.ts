// A function as it is deployed: its artifact unpacked as Lambda unpacks it, its environment from the template, on the Node
// that it is deployed on.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { deployedNode } from "../../../tools/support/node24.ts";
import { endProcess } from "../../support/end-process.ts";
import type { Template } from "./template.ts";

const runner = fileURLToPath(new URL("run-function.cjs", import.meta.url));

export interface DeployedFunction {
  readonly url: string;
  /** Calls the handler with an event and gives what it returned. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  /** All that it has written to standard output. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

export interface DeployOptions {
  readonly template: Template;
  readonly name: string;
  /** The folder in which `serverless package` has put the zips. */
  readonly artifacts: string;
  readonly directory: string;
  /** The environment on top of the template's: an endpoint, credentials, what the template leaves to the service. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startDeployed({
  template,
  name,
  artifacts,
  directory,
  env,
}: DeployOptions): Promise<DeployedFunction> {
  const files = unzipSync(readFileSync(join(artifacts, `${name}.zip`)));
  const place = join(directory, name);
  mkdirSync(place);
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(place, file), bytes);
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}LambdaFunction`;
  const properties = template.Resources[id]?.Properties as {
    readonly Handler: string;
    readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  };
  if (properties.Handler !== "index.handler") throw new Error(`The handler is ${properties.Handler}`);
  const plain = Object.entries(properties.Environment.Variables).filter(([, value]) => typeof value === "string");
  const child = spawn(deployedNode().path, [runner, join(place, "index.cjs")], {
    env: { ...(Object.fromEntries(plain) as Record<string, string>), ...env },
  });
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const url = `http://127.0.0.1:${await portOf(child)}`;
  return {
    url,
    invoke: async (event) => {
      const response = await fetch(`${url}/invoke`, { method: "POST", body: JSON.stringify(event) });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return JSON.parse(text);
    },
    log: () => log,
    stop: () => endProcess(child),
  };
}

function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The function has ended: ${said}`)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-4000);
      const port = /listening on (\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(port);
    });
  });
}
