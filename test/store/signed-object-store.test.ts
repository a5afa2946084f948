import { createServer } from "node:http";
import { signedObjectStore, signedParameterReader } from "@outrigger/aws";
import {
  type FakeObjectStore,
  type FakeServer,
  fakeObjectStore,
  type ObjectFault,
  startFakeServer,
} from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedRequest } from "../botocore/model.ts";
import { signatureOf } from "../botocore/verify-signature.ts";
import { bodyOf, closing, listening } from "../support/loopback.ts";

const PATIENCE = { attempts: 3, timeout: 5000, sleep: async () => {} };
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "token" };
const place = (name: string) => ({ bucket: "releases", key: `outrigger/dev/objects/${name}` });

let server: FakeServer;
let bucket: FakeObjectStore;
let faults: (ObjectFault | undefined)[] = [];
beforeAll(async () => {
  bucket = fakeObjectStore({ fault: () => faults.shift() });
  server = await startFakeServer({ objects: bucket });
});
afterAll(() => server.close());

const env = () => ({ AWS_ENDPOINT_URL: server.url, AWS_REGION: "eu-west-1", ...CREDENTIALS });
const store = () => signedObjectStore({ env: env(), ...PATIENCE });

describe("signedObjectStore()", () => {
  it("writes, reads, lists page by page, and deletes", async () => {
    const objects = store();
    for (const name of ["a", "b", "c"]) await objects.putObject({ ...place(name), text: `text of ${name}, é` });
    await objects.putObject({ bucket: "releases", key: "outrigger/prod/objects/a", text: "another's" });
    expect(await objects.getObject(place("b"))).toBe("text of b, é");
    expect(await objects.getObject(place("gone"))).toBeUndefined();
    const listed = await objects.listObjects(place(""));
    expect(listed.map(({ key }) => key)).toEqual(["a", "b", "c"].map((name) => place(name).key));
    expect(listed.every(({ lastModified }) => Math.abs(lastModified - Date.now()) < 60_000)).toBe(true);
    await objects.deleteObject(place("b"));
    await objects.deleteObject(place("b"));
    expect(await objects.getObject(place("b"))).toBeUndefined();
  });

  it("tries again what S3 did not answer or answered with its own fault, and nothing else", async () => {
    faults = [{ kind: "error", name: "SlowDown", status: 503 }, { kind: "lost" }];
    await store().putObject({ ...place("slow"), text: "text" });
    expect(await store().getObject(place("slow"))).toBe("text");
    faults = Array.from({ length: 3 }, () => ({ kind: "error", name: "InternalError", status: 500 }) as const);
    await expect(store().getObject(place("slow"))).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("Cannot read s3://releases/outrigger/dev/objects/slow: InternalError"),
    });
    faults = [{ kind: "error", name: "AccessDenied", status: 403 }];
    await expect(store().listObjects(place(""))).rejects.toMatchObject({ code: "store-denied" });
    expect(faults).toEqual([]);
  });

  it("knows an object that does not exist from one that may not be read by listing its name", async () => {
    const denied = { kind: "error", name: "AccessDenied", status: 403 } as const;
    faults = [denied];
    expect(await store().getObject(place("gone"))).toBeUndefined();
    faults = [denied];
    await expect(store().getObject(place("a"))).rejects.toMatchObject({ code: "store-denied" });
    faults = [denied, denied];
    await expect(store().getObject(place("gone"))).rejects.toMatchObject({ code: "store-denied" });
  });

  it("says that a bucket of another Region is one", async () => {
    faults = [{ kind: "error", name: "PermanentRedirect", status: 301 }];
    await expect(store().putObject({ ...place("a"), text: "text" })).rejects.toMatchObject({
      code: "parameter-refused",
      message: expect.stringContaining("the bucket is in another Region than the deployment"),
    });
  });

  it.each([
    [503, 3, "store-unavailable", "status 503"],
    [418, 1, "parameter-refused", "status 418"],
    [301, 1, "parameter-refused", "in another Region"],
  ])("goes by the status %i where S3 did not write the answer", async (status, tries, code, message) => {
    let calls = 0;
    const exchange = async () => {
      calls += 1;
      return { status, body: "<html>a proxy's page</html>" };
    };
    const written = signedObjectStore({ env: env(), ...PATIENCE, exchange }).putObject({ ...place("a"), text: "text" });
    await expect(written).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(calls).toBe(tries);
  });

  it("signs what it sends, path, query and body", async () => {
    const seen: RecordedRequest[] = [];
    const recorder = createServer(async (request, response) => {
      const raw = request.rawHeaders;
      const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
      const body = await bodyOf(request);
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers, body });
      response.end("<ListBucketResult></ListBucketResult>");
    });
    const url = `http://127.0.0.1:${await listening(recorder)}`;
    const objects = signedObjectStore({ env: { ...env(), AWS_ENDPOINT_URL: url }, ...PATIENCE });
    await objects.putObject({ ...place("a"), text: "text é" });
    await objects.listObjects(place(""));
    await objects.deleteObject({ bucket: "releases", key: "odd name/(1)/é" });
    await closing(recorder);
    expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      "PUT /releases/outrigger/dev/objects/a",
      "GET /releases/?list-type=2&prefix=outrigger%2Fdev%2Fobjects%2F",
      "DELETE /releases/odd%20name/%281%29/%C3%A9",
    ]);
    // The judge escapes paths twice, as every service but S3 does: these need no escaping.
    for (const request of seen.slice(0, 2)) {
      const sent = request.headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
      expect(sent).toContain(
        "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
      );
      expect(sent).toBe(signatureOf(request, sent, "AKIDEXAMPLE", "secret").header);
    }
  });
});

describe("signedParameterReader()", () => {
  it("reads objects with the same connection and signature, once", async () => {
    await bucket.putObject({ ...place("x"), text: "text" });
    const { objects } = signedParameterReader(env());
    expect(await objects?.getObject(place("x"))).toBe("text");
    expect(await objects?.getObject(place("gone"))).toBeUndefined();
    faults = [{ kind: "error", name: "SlowDown", status: 503 }];
    await expect(objects?.getObject(place("x"))).rejects.toMatchObject({ code: "store-unavailable" });
  });
});
