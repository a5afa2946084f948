// What the contract of Parameter Store is run against: the port, and single operations in the protocol's words.
import {
  DeleteParameterCommand,
  DeleteParametersCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  GetParameterHistoryCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  LabelParameterVersionCommand,
  PutParameterCommand,
  SSMClient,
  UnlabelParameterVersionCommand,
} from "@aws-sdk/client-ssm";
import type { ParameterStore } from "@outrigger/aws";
import { signedParameterReader, ssmParameterStore } from "@outrigger/aws";
import type { JsonObject } from "@outrigger/base";
import { fakeObjectStore, fakeParameterStore, startFakeServer } from "@outrigger/fake-aws";
import type { MotoServer } from "../support/moto-server.ts";

export interface Backend {
  readonly store: ParameterStore;
  /** One operation; what the service refuses is thrown with the service's name for it. */
  readonly ask: (operation: OperationName, input: JsonObject) => Promise<JsonObject>;
  readonly close: () => Promise<void>;
}

export type OperationName = keyof typeof COMMANDS;

const COMMANDS = {
  DeleteParameter: DeleteParameterCommand,
  DeleteParameters: DeleteParametersCommand,
  DescribeParameters: DescribeParametersCommand,
  GetParameter: GetParameterCommand,
  GetParameterHistory: GetParameterHistoryCommand,
  GetParameters: GetParametersCommand,
  GetParametersByPath: GetParametersByPathCommand,
  LabelParameterVersion: LabelParameterVersionCommand,
  PutParameter: PutParameterCommand,
  UnlabelParameterVersion: UnlabelParameterVersionCommand,
};

export async function openInProcess(): Promise<Backend> {
  const store = fakeParameterStore();
  return {
    store,
    async ask(operation, input) {
      const reply = await store.service.call(operation, input);
      if (reply.kind === "refused") throw reply.error;
      if (reply.kind !== "answer") throw new Error(`nothing was to go wrong: ${reply.kind}`);
      return reply.output;
    },
    close: nothing,
  };
}

export async function openFakeServer(): Promise<Backend> {
  const server = await startFakeServer();
  return through(server.url, server.close);
}

/** Opens the fake server as serving reads it: without the SDK, which does only what the reader cannot. */
export async function openFakeServerSigned(): Promise<Backend> {
  const server = await startFakeServer();
  return readingSigned(server.url, REGION, through(server.url, server.close));
}

/** A Region of moto: nothing in it is seen from another. */
export async function openMoto(moto: Promise<MotoServer>, region: string): Promise<Backend> {
  return through((await moto).url, nothing, region);
}

export async function openMotoSigned(moto: Promise<MotoServer>, region: string): Promise<Backend> {
  const { url } = await moto;
  return readingSigned(url, region, through(url, nothing, region));
}

/** Does nothing, because what is shared is not one backend's to close. */
async function nothing(): Promise<void> {}

function readingSigned(url: string, region: string, backend: Backend): Backend {
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
  return {
    ...backend,
    store: { ...backend.store, getParameters: signedParameterReader(env, "releases").getParameters },
  };
}

const REGION = "us-east-1";

/** These are tests of parameters. */
const NO_BUCKET = fakeObjectStore({ fault: () => ({ kind: "error", name: "NoSuchBucket", status: 404 }) });

function through(endpoint: string, close: () => Promise<void>, region = REGION): Backend {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new SSMClient({ endpoint, region, credentials, maxAttempts: 1 });
  return {
    store: ssmParameterStore(client, NO_BUCKET),
    async ask(operation, input) {
      // The commands have no type in common that takes the input of any.
      const Command = COMMANDS[operation] as unknown as new (input: JsonObject) => GetParameterCommand;
      const { $metadata: _, ...output } = await client.send(new Command(input));
      return JSON.parse(JSON.stringify(output)) as JsonObject;
    },
    async close() {
      client.destroy();
      await close();
    },
  };
}
