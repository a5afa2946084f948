// Reading the canary's token: the one SecureString of a deployment, which only this function may read.
import { GetParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { OutriggerError } from "@outrigger/base";

/** 32 bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the token at a name.
 *
 * @throws OutriggerError `store-unavailable`, `store-denied` or `store-corrupt`, never with the value in it
 */
export async function readToken(client: Pick<SSMClient, "send">, name: string, timeout: number): Promise<string> {
  const command = new GetParameterCommand({ Name: name, WithDecryption: true });
  const read = client.send(command, { abortSignal: AbortSignal.timeout(timeout) });
  const { Parameter } = await read.catch((error: unknown) => {
    throw readFailure(name, error, timeout);
  });
  const value = Parameter?.Value ?? "";
  if (TOKEN.test(value)) return value;
  throw failure("store-corrupt", name, "it holds no token; docs/runbooks/endpoint.md#canary says how to make one");
}

/** The service's own message is left out: it adds nothing to the name of the error, which is a word. */
function readFailure(name: string, error: unknown, timeout: number): OutriggerError {
  const kind = error instanceof Error ? error.name : "";
  if (kind === "ParameterNotFound")
    return failure("store-corrupt", name, 'there is none; run "outrigger repair" to make one');
  if (/^(Abort|Timeout)Error$/.test(kind))
    return failure("store-unavailable", name, `Parameter Store did not answer within ${timeout / 1000} s`);
  return /AccessDenied|Credential|Token|Signature|KMS|InvalidKeyId/.test(kind)
    ? failure("store-denied", name, `${kind}; see what the canary's role may do`)
    : failure("store-unavailable", name, `${kind}; the next run tries again`);
}

function failure(code: "store-unavailable" | "store-denied" | "store-corrupt", name: string, why: string) {
  return new OutriggerError(code, `Cannot read the canary's token at ${name}: ${why}`, { path: name });
}
