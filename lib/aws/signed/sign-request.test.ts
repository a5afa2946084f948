import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signRequest } from "./sign-request.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const date = new Date("2015-08-30T12:36:00Z");

/** SHA-256 as the SDK's signer takes it. */
class Sha256 {
  readonly #hash;

  constructor(secret?: Bytes) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", binary(secret));
  }

  update(bytes: Bytes) {
    this.#hash.update(binary(bytes));
  }

  digest() {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

function binary(bytes: Bytes): string | NodeJS.ArrayBufferView {
  return bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : (bytes as string | NodeJS.ArrayBufferView);
}

describe("signRequest()", () => {
  it("signs as the case post-vanilla of AWS's published suite", () => {
    const options = { service: "service", region: "us-east-1", credentials, date };
    expect(signRequest({ host: "example.amazonaws.com" }, "", options)).toEqual({
      host: "example.amazonaws.com",
      "x-amz-date": "20150830T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    });
  });

  it("signs what the SDK's signer signs", async () => {
    const token = fc.option(fc.base64String({ minLength: 4 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        token,
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9000-01-01") }),
        async (body, sessionToken, now) => {
          const whole = sessionToken === undefined ? credentials : { ...credentials, sessionToken };
          const headers = {
            "content-type": "application/x-amz-json-1.1",
            host: "ssm.eu-west-1.amazonaws.com",
            "x-amz-target": "AmazonSSM.GetParameters",
          };
          const place = { service: "ssm", region: "eu-west-1", credentials: whole };
          const signer = new SignatureV4({ ...place, sha256: Sha256, applyChecksum: false });
          const request = { method: "POST", protocol: "https:", hostname: headers.host, path: "/", headers, body };
          const signed = await signer.sign(request, { signingDate: now });
          expect(signRequest(headers, body, { ...place, date: now })).toEqual(signed.headers);
          // As S3 takes it: the path is escaped once.
          const escaped = { service: "s3", region: "eu-west-1", credentials: whole };
          const s3 = new SignatureV4({ ...escaped, sha256: Sha256, applyChecksum: false, uriEscapePath: false });
          const path = "/a%20b/c%281%29";
          const query = { "list-type": "2", prefix: "a/é" };
          const listed = await s3.sign({ ...request, method: "GET", path, query }, { signingDate: now });
          const asked = { method: "GET", path, query: "list-type=2&prefix=a%2F%C3%A9" };
          expect(signRequest(headers, body, { ...escaped, date: now, ...asked })).toEqual(listed.headers);
        },
      ),
      { numRuns: 30 },
    );
  });
});
