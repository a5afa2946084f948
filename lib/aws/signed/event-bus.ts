// Sending events to a bus of EventBridge, without the SDK: the function that sends them has no other use for its client.
import { type JsonValue, objectOf, objectsOf, textOf } from "@outrigger/base";
import { awsError } from "../aws-errors.ts";
import type { CallOptions } from "../outside-call.ts";
import type { Environment } from "./service-endpoint.ts";
import { signedCaller } from "./signed-call.ts";

interface BusEvent {
  readonly source: string;
  /** Its `detail-type`. */
  readonly type: string;
  readonly time: Date;
  readonly detail: object;
}

/**
 * A bus.
 *
 * @param bus its name, or its ARN where it is another account's
 */
export function signedEventBus(bus: string, env: Environment) {
  const call = signedCaller("events", env);
  const failed = (cause: unknown) =>
    awsError(cause, { doing: `send events to ${bus}`, action: "events:PutEvents", region: env["AWS_REGION"] ?? "" });
  return {
    /**
     * Sends ten events at most, once.
     *
     * @returns how many were taken, from the first on
     * @throws OutriggerError `aws-denied` or `aws-unavailable` where not even the first was
     */
    async putEvents(events: readonly BusEvent[], { signal }: CallOptions = {}): Promise<number> {
      const Entries = events.map(({ source, type, time, detail }) => ({
        EventBusName: bus,
        Source: source,
        DetailType: type,
        // In seconds.
        Time: Math.floor(time.getTime() / 1000),
        Detail: JSON.stringify(detail),
      }));
      const answer = await call("AWSEvents.PutEvents", { Entries }, signal).catch((error: unknown) => {
        throw failed(error);
      });
      const refused = refusedOf(answer);
      if (refused[0] !== undefined) throw failed(refused[0]);
      const first = refused.findIndex((error) => error !== undefined);
      return first === -1 ? events.length : first;
    },
  };
}

/** The error of each event; undefined where it was taken. */
function refusedOf(answer: JsonValue): readonly (Error | undefined)[] {
  const list = objectOf(answer)["Entries"];
  if (!Array.isArray(list)) return [new Error("the answer says nothing of the events")];
  return objectsOf(list).map(({ ErrorCode, ErrorMessage }) => {
    const name = textOf(ErrorCode);
    return name === undefined ? undefined : Object.assign(new Error(textOf(ErrorMessage)), { name });
  });
}
