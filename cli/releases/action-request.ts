// What a command asks the publish function to do, before it is sent.
import type { PublisherRequest } from "@outrigger/publisher";

/** A request without what every request is given when it is sent: who asks and why, its id, and whether it is a dry run. */
export type ActionRequest = PublisherRequest extends infer Request
  ? Request extends PublisherRequest
    ? Omit<Request, "cause" | "dryRun" | "id">
    : never
  : never;

/** Classes of change that a person accepts, as a request names them. */
export type AcceptedEffects = NonNullable<Extract<ActionRequest, { readonly action: "publish" }>["accept"]>;

/** The classes that a word names, separated by commas. Which there are, the publisher knows. */
export function parseEffects(text: string): AcceptedEffects {
  return text.split(",").map((name) => name.trim()) as unknown as AcceptedEffects;
}

/** The longest message that a channel's history keeps, in characters. */
export const MAX_MESSAGE = 500;
