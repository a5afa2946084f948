// What a command asks the publish function to do, before it is sent.
import { defined } from "@outrigger/base";
import type { PublisherRequest } from "@outrigger/publisher";

/** A request without what every request is given when it is sent: who asks and why, its id, and whether it is a dry run. */
export type ActionRequest = PublisherRequest extends infer Request
  ? Request extends PublisherRequest
    ? Omit<Request, "cause" | "dryRun" | "id">
    : never
  : never;

type Publication = Extract<ActionRequest, { readonly action: "publish" }>;

type AcceptedEffects = NonNullable<Publication["accept"]>;

/**
 * Reads what a person accepts: classes of change, and the release that they were seen in, as in
 * `container-gone,image@1f2e3d4c5b6a`.
 */
export function acceptedIn(text: string | undefined): Pick<Publication, "accept" | "release"> {
  if (text === undefined) return {};
  const [names = "", release] = text.split("@");
  return { accept: parseEffects(names), ...defined({ release }) };
}

/** The classes that a word names, separated by commas. Which there are, the publisher knows. */
export function parseEffects(text: string): AcceptedEffects {
  return text.split(",").map((name) => name.trim() as AcceptedEffects[number]);
}

/** The longest message that a channel's history keeps, in characters. */
export const MAX_MESSAGE = 500;
