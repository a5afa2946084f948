// A proxy in front of an emulator that records each call as IAM sees it: its action, and its resource.
import { createServer, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { closing, listening } from "../../support/loopback.ts";
import type { IamCall } from "./evaluate-policy.ts";

export interface Recorder {
  /** The value for AWS_ENDPOINT_URL. */
  readonly url: string;
  readonly calls: () => readonly IamCall[];
  readonly stop: () => Promise<void>;
}

export async function startRecorder(emulator: string): Promise<Recorder> {
  const calls = new Map<string, IamCall>();
  const { hostname, port } = new URL(emulator);
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const call = callOf(incoming, body.toString("utf8"));
    calls.set(JSON.stringify(call), call);
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy()).end(body);
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  return { url, calls: () => [...calls.values()], stop: () => closing(server) };
}

function callOf({ headers, method = "", url = "" }: IncomingMessage, body: string): IamCall {
  const [, region = "", service = ""] =
    /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(String(headers.authorization)) ?? [];
  const arn = (name: string, rest: string) => `arn:aws:${name}:${region}:123456789012:${rest}`;
  const form = new URLSearchParams(body);
  const operation =
    String(headers["x-amz-target"] ?? form.get("Action"))
      .split(".")
      .at(-1) ?? "";
  if (service === "s3") return objectCall(method, decodeURIComponent(url));
  if (service === "lambda") {
    const [, name = ""] = /^\/2015-03-31\/functions\/([^/?]+)$/.exec(url) ?? [];
    return {
      action: `lambda:${method === "GET" ? "GetFunction" : method}`,
      resource: arn("lambda", `function:${name}`),
    };
  }
  const action = `${service === "monitoring" ? "cloudwatch" : service}:${operation}`;
  if (service === "cloudformation") {
    const stack = form.get("StackName");
    return {
      action,
      resource: stack === null ? "*" : arn("cloudformation", `stack/${stack.split("/")[1] ?? stack}/1`),
    };
  }
  // Alarms are asked for by a prefix.
  if (action === "cloudwatch:DescribeAlarms") return { action, resource: arn("cloudwatch", "alarm:*") };
  return { action, resource: form.get("PolicyArn") ?? "*" };
}

function objectCall(method: string, path: string): IamCall {
  const [, bucket = "", key = ""] = /^\/([^/?]+)\/?([^?]*)/.exec(path) ?? [];
  const resource = `arn:aws:s3:::${bucket}`;
  if (/[?&]delete/.test(path)) return { action: "s3:DeleteObject", resource: `${resource}/*` };
  if (key === "") return { action: /^(HEAD|GET)$/.test(method) ? "s3:ListBucket" : `s3:${method}`, resource };
  const verb = { PUT: "PutObject", POST: "PutObject", GET: "GetObject", HEAD: "GetObject" }[method] ?? method;
  return { action: `s3:${verb}`, resource: `${resource}/${key}` };
}
