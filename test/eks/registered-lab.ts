// A laboratory of the command line whose cluster is registered, as most tests of commands about a cluster begin.
import { expect } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

interface RegisteredLab {
  readonly phase?: "cluster" | "enforce";
  /** Namespaces besides `shop`, which do not ask for sidecars. */
  readonly others?: readonly string[];
}

/** A laboratory whose namespace `shop` asks for sidecars, and whose cluster is served what is shipped. */
export async function openRegisteredLab({ phase = "cluster", others = [] }: RegisteredLab = {}): Promise<CliLab> {
  const lab = await openCliLab();
  lab.namespace("shop", { "istio-injection": "enabled" });
  for (const name of others) lab.namespace(name);
  expect((await lab.run("publish")).err).toBe("");
  expect((await lab.register("--phase", phase)).code).toBe(0);
  return lab;
}
