// What the publish function is given beyond what the publisher is.
import type { OutsideCall, ParameterWrite } from "@outrigger/aws";
import type { PublisherDependencies } from "@outrigger/publisher";
import type { Answer } from "../cloudformation-response.ts";

/** The dependencies for answering CloudFormation. */
export interface AnswerDependencies extends PublisherDependencies {
  /** The name of the parameter with the canary's token. */
  readonly canaryToken: string;
  /** Writes a SecureString; `parameter-exists` is thrown where there is one and it is not to be overwritten. */
  readonly putSecret: OutsideCall<Omit<ParameterWrite, "tier">, void>;
  /** A new token: 43 characters of base64url. */
  readonly makeToken: () => string;
  readonly write: (line: string) => void;
  /** Reads CloudFormation's word for the state of a stack, by its ARN. */
  readonly stackStatus: OutsideCall<string, string>;
}

/** Everything that the function is given. */
export interface PublishFunction extends AnswerDependencies {
  /** The store for edits and the schedule, whose calls leave the budget to people; `store` where it is left out. */
  readonly automaticStore?: PublisherDependencies["store"];
  readonly stage: string;
  /** The version of Outrigger that this function is. */
  readonly version: string;
  /** The ARN of the stack that this function belongs to. */
  readonly stackId: string;
  readonly respond: OutsideCall<Pick<Answer, "request" | "response">, void>;
}
