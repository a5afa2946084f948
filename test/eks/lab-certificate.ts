// The certificate of every server in a laboratory: a key is the most expensive part of one, and no test is about its own.
import { type Certificate, makeCertificate } from "@outrigger/cli";

let made: Promise<Certificate> | undefined;

/** A certificate for `localhost` and 127.0.0.1, made once in a process. */
export function labCertificate(): Promise<Certificate> {
  made ??= makeCertificate(["localhost", "127.0.0.1"]);
  return made;
}
