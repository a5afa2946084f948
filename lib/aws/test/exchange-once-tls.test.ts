// TLS as it is in a function: Node's own list of authorities, which a test can only add to when a process starts.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Posts by name twice with one session, and by address. A session is of one host: Node does not check its name again. */
const SCRIPT = `
import { exchangeOnce } from "./lib/aws/signed/exchange-once.ts";
const sessions = {};
const post = (host, kept) => exchangeOnce(new URL("https://" + host + ":" + process.env.PORT), { headers: {}, body: "a" }, kept)
  .then(({ status, body }) => status + " " + body, (error) => error.code);
const said = [await post("localhost", sessions), await post("localhost", sessions), await post("127.0.0.1")];
console.log(JSON.stringify(said));
`;

describe("exchangeOnce() over TLS", () => {
  const reused: boolean[] = [];
  let server: Server;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-tls-"));
    const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
      extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
    });
    writeFileSync(join(folder, "ca.pem"), cert);
    server = createServer({ key, cert }, (request, response) => {
      reused.push((request.socket as TLSSocket).isSessionReused());
      request.resume().on("end", () => response.end("answered"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function said(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
    const { port } = server.address() as AddressInfo;
    const argv = ["--import", "tsx", "--input-type=module", "--eval", SCRIPT];
    const options = { env: { ...process.env, PORT: String(port), ...env } };
    return JSON.parse((await promisify(execFile)(process.execPath, argv, options)).stdout);
  }

  it("takes a certificate of a known authority for its name alone, and resumes the session", async () => {
    const [first, second, byAddress] = await said({ NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") });
    expect([first, second]).toEqual(["200 answered", "200 answered"]);
    expect(reused).toEqual([false, true]); // the call by address is over before its request
    expect(byAddress).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  it("takes no certificate of an unknown authority", async () => {
    expect(new Set((await said({})).slice(0, 2))).toEqual(new Set(["DEPTH_ZERO_SELF_SIGNED_CERT"]));
  });
});
