// The connection to AWS for everything that starts fast: the SDK is most of the tool.
import type { Io } from "../terminal/io.ts";
import type { ConnectAws } from "./aws-connection.ts";

/**
 * Connects to deployments with the credentials and proxies of an environment. The SDK is loaded by the first connection.
 *
 * @param env as `process.env`
 * @param version of the tool
 */
export function connectLazily(env: Io["env"], version: string): ConnectAws {
  return async (target) => (await import("./connect-aws.ts")).connectAws(target, { env, version });
}
