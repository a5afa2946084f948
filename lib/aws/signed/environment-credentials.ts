// The credentials that a function has in its environment.
import type { Environment } from "./service-endpoint.ts";
import type { Credentials } from "./sign-request.ts";

/** Lambda gives a function its credentials in the environment and replaces the process before they expire. */
export function credentialsOf(env: Environment): Credentials {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (accessKeyId && secretAccessKey) {
    return sessionToken ? { accessKeyId, secretAccessKey, sessionToken } : { accessKeyId, secretAccessKey };
  }
  const message = "AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set";
  throw Object.assign(new Error(message), { name: "CredentialsProviderError" });
}
