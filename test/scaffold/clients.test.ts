// That no request to AWS waits forever: the SDK sets no limit by itself, so every client that the product makes has one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../pages/code-blocks.ts";

/** Clients whose calls end in another way, and how. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "functions/canary/index.ts SSMClient": "each call has a signal: read-token.ts",
  "cli/server/fake-deployment.ts SSMClient": "it asks a server of this process",
};

const files = ["functions", "lib", "cli", "infra", "scripts"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$|node_modules/.test(file))
    .map((file) => join(folder, file)),
);

/** Returns every `new …Client(…)`, with what it is given. */
function clientsIn(text: string): readonly (readonly [name: string, given: string])[] {
  return [...text.matchAll(/new ([A-Z]\w*Client)\(/g)].map((match) => {
    let depth = 1;
    let end = match.index + match[0].length;
    for (; depth > 0; end++) depth += text[end] === "(" ? 1 : text[end] === ")" ? -1 : 0;
    return [match[1] as string, text.slice(match.index + match[0].length, end - 1)];
  });
}

/** Limits, or the function that makes them for every client of the command line. */
const LIMITS = "(?:requestHandler|awsClientConfig)";

/** Whether what a client is given has limits: by itself, or by a name of the file that has them. */
function isLimited(given: string, text: string): boolean {
  if (new RegExp(LIMITS).test(given)) return true;
  const names = [...given.matchAll(/[A-Za-z]\w*/g)].map(([name]) => name);
  return names.some(
    (name) =>
      new RegExp(`(?:const|function) ${name}\\b[^;]*?${LIMITS}`, "s").test(text) ||
      (new RegExp(`\\b${name}: object\\b`).test(text) && /requestHandler: LIMITS/.test(text)),
  );
}

describe("clients of AWS", () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return clientsIn(text).map(([name, given]) => ({ key: `${file} ${name}`, isLimited: isLimited(given, text) }));
  });

  it("are found", () => {
    expect(found.length).toBeGreaterThan(12);
  });

  it("have limits of time", () => {
    const maker = readFileSync(join(ROOT, "cli/connect/aws-request-handler.ts"), "utf8");
    expect(maker).toMatch(/function awsClientConfig\b[\s\S]*?requestHandler: awsRequestHandler\([\s\S]*?\n}/);
    const unlimited = found.filter((client) => !client.isLimited).map(({ key }) => key);
    expect(unlimited.sort()).toEqual(Object.keys(OTHERWISE).sort());
  });
});
