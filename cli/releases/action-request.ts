// What a command asks the publish function to do, before it is sent.
import type { PublisherRequest } from "@outrigger/publisher";

/** A request without what every request is given when it is sent: who asks and why, its id, and whether it is a dry run. */
export type ActionRequest = PublisherRequest extends infer Request
  ? Request extends PublisherRequest
    ? Omit<Request, "cause" | "dryRun" | "id">
    : never
  : never;

/** The longest message that a channel's history keeps, in characters. */
export const MAX_MESSAGE = 500;
