// Signature Version 4, from its description: what a request has to be signed with. AWS's test suite judges it first; then
// it judges what is sent.
import { createHash, createHmac } from "node:crypto";
import type { RecordedRequest } from "./model.ts";

export interface Signed {
  readonly canonical: string;
  readonly toSign: string;
  /** The Authorization header. */
  readonly header: string;
}

/** Signs a request as its Authorization header says that it is signed: with those headers, for that scope. */
export function signatureOf(
  request: RecordedRequest,
  authorization: string,
  accessKey: string,
  secret: string,
): Signed {
  const scope = /Credential=[^/]+\/([^,]+),/.exec(authorization)?.[1] ?? "";
  const names = (/SignedHeaders=([^,]+),/.exec(authorization)?.[1] ?? "").split(";");
  const [path = "", query = ""] = splitAt(request.url, "?");
  const lines = names.map((name) => `${name}:${headerOf(request, name)}\n`).join("");
  const bodyHash = sha256(request.body);
  const signedHeaders = names.join(";");
  const canonical = [request.method, canonicalPath(path), canonicalQuery(query), lines, signedHeaders, bodyHash].join(
    "\n",
  );
  const toSign = ["AWS4-HMAC-SHA256", headerOf(request, "x-amz-date"), scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const credential = `Credential=${accessKey}/${scope}, SignedHeaders=${signedHeaders}`;
  const header = `AWS4-HMAC-SHA256 ${credential}, Signature=${hmac(key, toSign).toString("hex")}`;
  return { canonical, toSign, header };
}

/** Every value of a header, joined; white space in a row counts as one space. */
function headerOf({ headers }: RecordedRequest, wanted: string): string {
  const values = headers.filter(([name]) => name.toLowerCase() === wanted);
  return values.map(([, value]) => value.trim().replace(/\s+/g, " ")).join(",");
}

/** `/a/../b//c/` → `/b/c/`, each part encoded once more. */
function canonicalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(encoded(part));
  }
  const isFolder = parts.length > 0 && /\/\.{0,2}$/.test(path);
  return `/${parts.join("/")}${isFolder ? "/" : ""}`;
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => {
    const [name = "", value = ""] = splitAt(pair, "=");
    return [encoded(decodeURIComponent(name)), encoded(decodeURIComponent(value))] as const;
  });
  const sorted = pairs.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}=${value}`).join("&");
}

function splitAt(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** RFC 3986: letters, digits, `-`, `.`, `_` and `~` are left. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
