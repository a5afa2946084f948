// Owns the shape of a connection to a deployment in AWS: what commands ask of it, whoever answers. Tests pass a store and
// a publisher in this process.
import { OutriggerError } from "../lib/errors.ts";
import type { ParameterStore } from "../lib/store/parameter-store.ts";
import type { PublisherRequest, PublisherResult } from "../lib/store/publisher-request.ts";

export interface AwsConnection {
  readonly store: ParameterStore;
  /** Asks the publish function and waits for its answer. Throws where it cannot be asked. */
  readonly askPublisher: (request: PublisherRequest) => Promise<PublisherResult>;
  /** Who asks: an ARN, or the name that this machine or pipeline goes by. */
  readonly caller: () => Promise<string>;
}

export type PublisherAnswer = Extract<PublisherResult, { ok: true }>;

/** Asks, and throws what the publisher refuses as the error that it found. */
export async function requirePublisher(
  { askPublisher }: Pick<AwsConnection, "askPublisher">,
  request: PublisherRequest,
): Promise<PublisherAnswer> {
  const result = await askPublisher(request);
  if (result.ok) return result;
  const { code, message, ...place } = result.error;
  throw new OutriggerError(code, message, place);
}
