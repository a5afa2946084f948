// Whose credentials the clients of AWS use, and asking for an MFA code where a profile requires one: once for all clients.
import { createInterface } from "node:readline/promises";
import { fromNodeProviderChain } from "@aws-sdk/credential-providers";
import { defined, OutriggerError } from "@outrigger/base";
import { printable } from "../terminal/printable.ts";
import type { AwsTarget } from "./aws-connection.ts";

type Credentials = ReturnType<typeof fromNodeProviderChain>;

/** Gives the code that a device shows. */
export type AskCode = (serial: string) => Promise<string>;

type Target = Pick<AwsTarget, "profile">;

const known = new WeakMap<Target, Credentials>();

/**
 * The credentials that the SDK finds: those of the environment, or of the profile. All clients of a command share them, so that a
 * person is asked for one code.
 */
export function awsCredentials(target: Target, askCode: AskCode = askOnTerminal): Credentials {
  const found = known.get(target);
  if (found !== undefined) return found;
  const credentials = fromNodeProviderChain({ ...defined({ profile: target.profile }), mfaCodeProvider: askCode });
  known.set(target, credentials);
  return credentials;
}

/** @throws OutriggerError `aws-denied` where there is no terminal to ask on */
async function askOnTerminal(serial: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    const message = `Cannot sign in to AWS: the profile requires an MFA code of ${serial}, and there is no terminal to ask for it; run this in a terminal, or sign in first (aws sts get-session-token) and use those credentials`;
    throw new OutriggerError("aws-denied", message);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(printable(`MFA code for ${serial}: `))).trim();
  } finally {
    terminal.close();
  }
}
