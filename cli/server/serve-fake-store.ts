// `start --store ssm-fake` from the command's side: what the fake deployment is made of, and what to try with it.
import { resolve } from "node:path";
import type { Tier } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { readSourceTree } from "@outrigger/publisher";
import type { AwsTarget } from "../connect/aws-connection.ts";
import { awsFlags, awsTarget } from "../options/aws-options.ts";
import type { Io } from "../terminal/io.ts";
import type { Served } from "./served.ts";

export interface FakeStoreOptions {
  readonly dir: string | undefined;
  readonly port: number;
}

/** Starts a deployment of the stage that commands take when nothing else is said, and serves it. */
export async function serveFakeStore(
  { dir, port }: FakeStoreOptions,
  io: Io,
  report: (line: string) => void,
): Promise<Served> {
  // Loaded only here: the SDK is most of the tool.
  const { startFakeDeployment } = await import("./fake-deployment.ts");
  const target = awsTarget({}, io.env);
  const [shipped, tree] = await Promise.all([
    readSourceTree(io.templates),
    dir === undefined ? {} : readSourceTree(resolve(io.cwd, dir)),
  ]);
  const tier = tierOf(io.env["OUTRIGGER_TIER"] || "Standard");
  const bucket = io.env["OUTRIGGER_RELEASE_BUCKET"] || undefined;
  const place = { target, tier, ...defined({ bucket }) };
  const fake = await startFakeDeployment({ ...place, shipped, tree, port, report });
  const { find, token, release, url, connection, close } = fake;
  const deployment = { ...connection, target };
  return { find, path: `/t/${token}/inject`, release, hints: hintsFor(target, url), deployment, close };
}

function tierOf(text: string): Tier {
  if (text === "Standard" || text === "Advanced") return text;
  throw new OutriggerError("usage", `Cannot use OUTRIGGER_TIER ${JSON.stringify(text)}: it is Standard or Advanced`);
}

function hintsFor(target: AwsTarget, url: string): string {
  const flags = awsFlags(target);
  const values = target.layout.sourceParameter("values/50-mine");
  return `
Edit, in another terminal; what is published is served a second later:

  export AWS_ENDPOINT_URL=${url} AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=fake AWS_SECRET_ACCESS_KEY=fake
  aws ssm put-parameter --overwrite --type String --name ${values} --value 'global: {hub: registry.example/istio}'
  outrigger pull${flags} my-templates
  outrigger push${flags} my-templates

Before you work with AWS itself in that terminal:

  unset AWS_ENDPOINT_URL AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
`;
}
