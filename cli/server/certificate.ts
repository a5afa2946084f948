// The certificate of a local server: made on first use, kept for the next, made again when it will not do.
import { createPrivateKey, randomUUID, X509Certificate } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { makeFolder } from "../project/make-folder.ts";
import { stateDirectory } from "../releases/state-directory.ts";

/** Private key and certificate, both PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY = 86_400_000;

/** A certificate that is about to expire would fail while in use. */
const REST = 2 * DAY;

/** The names by which a local server is called from this machine, and from a cluster that runs in Docker on it. */
const NAMES: readonly string[] = ["localhost", "127.0.0.1", "::1", "host.docker.internal"];
const WILDCARDS: readonly string[] = ["0.0.0.0", "::"];

/**
 * The certificate for a server on `host`. It is kept in one file, mode 0600, so that key and certificate always belong
 * together; where nothing can be kept it lasts for this run.
 */
export async function findCertificate(
  host: string,
  env: Readonly<Record<string, string | undefined>>,
  report: (line: string) => void,
): Promise<Certificate> {
  const names = NAMES.includes(host) || WILDCARDS.includes(host) ? NAMES : [...NAMES, host];
  const directory = stateDirectory(env);
  const kept = directory && (await readKept(join(directory, FILE)));
  if (kept && isGood(kept, names)) return kept;
  const made = await makeCertificate(names);
  if (directory === undefined || !(await keep(directory, made))) {
    report(
      "The certificate cannot be kept: another one is made next time (set XDG_STATE_HOME to a directory that can be written)",
    );
  }
  return made;
}

const FILE = "localhost.pem";

async function readKept(file: string): Promise<Certificate | undefined> {
  try {
    const text = await readFile(file, "utf8");
    const [key] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/.exec(text) ?? [];
    const [cert] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text) ?? [];
    return key === undefined || cert === undefined ? undefined : { key, cert };
  } catch {
    return undefined;
  }
}

function isGood({ key, cert }: Certificate, names: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      Date.parse(certificate.validFrom) <= Date.now() &&
      Date.parse(certificate.validTo) > Date.now() + REST &&
      names.every((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined)
    );
  } catch {
    return false;
  }
}

/**
 * Makes a self-signed certificate, valid from yesterday for a year.
 *
 * @param names host names and IP addresses that it is for
 */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  // Loaded only here: it is large, and most runs of the tool need no certificate.
  const { default: selfsigned } = await import("selfsigned");
  const made = await selfsigned.generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - DAY),
    notAfterDate: new Date(Date.now() + 365 * DAY),
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** Written to a temporary file and renamed, so that two servers that start at once do not read each other's halves. */
async function keep(directory: string, { key, cert }: Certificate): Promise<boolean> {
  const file = join(directory, FILE);
  try {
    await makeFolder(directory, 0o700);
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, `${key.trim()}\n${cert.trim()}\n`, { mode: 0o600, flag: "wx" });
    await rename(draft, file);
    return true;
  } catch {
    return false;
  }
}
