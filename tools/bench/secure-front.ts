// A TLS server in front of a server on loopback, with a certificate of its own: what a call over TLS takes on the caller's
// side. Knows no protocol above TLS.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { makeCertificate } from "@outrigger/cli";
import { listening } from "../../test/support/loopback.ts";

export interface SecureFront {
  readonly url: string;
  /** The file for NODE_EXTRA_CA_CERTS. */
  readonly authorityFile: string;
  readonly close: () => void;
}

export async function startSecureFront(port: number): Promise<SecureFront> {
  const { key, cert } = await makeCertificate(["localhost"]);
  const directory = mkdtempSync(join(tmpdir(), "outrigger-front-"));
  const authorityFile = join(directory, "authority.pem");
  writeFileSync(authorityFile, cert);
  const server = createServer({ key, cert, ALPNProtocols: ["http/1.1"] }, (socket) => {
    const behind = connect(port, "127.0.0.1");
    socket.on("error", () => behind.destroy()).pipe(behind);
    behind.on("error", () => socket.destroy()).pipe(socket);
  });
  return {
    url: `https://localhost:${await listening(server)}`,
    authorityFile,
    close: () => {
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
